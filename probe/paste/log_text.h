#pragma once
// The text in a log file: decompressed, in UTF-8. Anything else is refused, because "nothing found" would mislead.
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "probe/paste/unpack.h"

namespace envdoctor {

class LogText {
 public:
  static constexpr std::uint64_t unpacked_limit = 256 << 20;

  explicit LogText(std::function<void(std::string_view)> take, std::uint64_t limit = unpacked_limit)
      : take_(std::move(take)), limit_(limit) {}
  // The file's next bytes, cut anywhere. Throws NoLog.
  void feed(std::string_view bytes);
  void finish();

 private:
  enum class Form { unknown, plain, wide };
  void start_file();
  void unpacked(std::string_view bytes);
  void start_text();
  void decode(std::string_view bytes);
  void put_unit(std::uint32_t unit);

  std::function<void(std::string_view)> take_;
  std::uint64_t limit_;
  std::string head_{};  // the bytes read before the format is known
  bool started_ = false;
  std::unique_ptr<Unpacker> unpacker_{};
  std::uint64_t size_ = 0;  // decompressed
  Form form_ = Form::unknown;
  std::string text_head_{};
  std::size_t width_ = 2;  // bytes of a unit: 2 in UTF-16, 4 in UTF-32
  bool big_endian_ = false;
  std::uint32_t unit_ = 0;
  std::size_t unit_bytes_ = 0;  // how many of them arrived
  std::uint32_t high_ = 0;      // the first of two surrogates
  std::string decoded_{};
};

}  // namespace envdoctor
