#pragma once
// What a child says to its parent on the private descriptor: frames of a 32-bit length, a kind and that many bytes.
#include <string>
#include <string_view>

namespace envdoctor {

inline constexpr char step_frame = 's';
inline constexpr char answer_frame = 'a';
inline constexpr char trouble_frame = 'x';  // why there will be no answer

// Writes one frame whole; gives up quietly if nobody reads any more.
void write_frame(int descriptor, char kind, std::string_view bytes);

// The parent's side: takes the bytes in pieces of any size.
class Frames {
 public:
  static constexpr std::size_t longest = 64u << 20;

  void take(std::string_view bytes);

  // A frame that makes no sense came; nothing after it is read.
  [[nodiscard]] bool bad() const { return !bad_.empty(); }
  [[nodiscard]] const std::string& why_bad() const { return bad_; }
  // The last frame broke off.
  [[nodiscard]] bool partial() const { return !pending_.empty(); }
  // It answered and named no further step since: nothing more is to be expected.
  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] bool answered() const { return answered_; }
  std::string answer{};   // the last one
  int answers = 0;        // how many came, equal ones too
  std::string step{};
  std::string trouble{};

 private:
  void frame(char kind, std::string_view bytes);
  std::string pending_{};
  std::string bad_{};
  bool answered_ = false;
  bool complete_ = false;
};

}  // namespace envdoctor
