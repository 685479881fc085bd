#pragma once
// Rotated logs: compressed by gzip, xz or zstd, as one member or several concatenated ones.
#include <functional>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace envdoctor {

// Not a log: damaged, too large, or not text. `what()` continues after the file's name.
class NoLog : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Unpacker {
 public:
  using Take = std::function<void(std::string_view)>;

  virtual ~Unpacker() = default;
  // The next compressed bytes, split anywhere; `take` gets the output. Throws NoLog.
  void feed(std::string_view packed, const Take& take);
  void finish(const Take& take);

 protected:
  // Decompresses from `packed`, which it shortens, to `out`; returns the number of bytes written. `last`: end of input.
  virtual std::size_t step(std::string_view& packed, char* out, std::size_t size, bool last) = 0;
  bool ended_ = false;  // a member ended with the last byte that was read

 private:
  void run(std::string_view packed, bool last, const Take& take);
};

// Chosen by a log's first bytes; null: not compressed.
std::unique_ptr<Unpacker> unpacker_of(std::string_view start);

}  // namespace envdoctor
