#include "probe/paste/log_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace envdoctor {
namespace {

constexpr std::size_t magic_size = 6, head_size = 4096;

// Files that are no logs. Those that begin with text need a row; others are found by their control characters.
struct OtherKind {
  std::string_view start;
  const char* what;
};
constexpr OtherKind other_kinds[] = {{"\x7f"
                                      "ELF",
                                      "a program or a library"},
                                     {"\x89PNG", "a picture (PNG)"},
                                     {"\xff\xd8\xff", "a picture (JPEG)"},
                                     {"PK\x03\x04", "a zip archive"},
                                     {"%PDF-", "a PDF document"},
                                     {"BZh", "packed by bzip2"},
                                     {"SQLite format 3", "an SQLite database"}};

// Except those that programs print on purpose (tabs, line ends, bells, backspaces, shifts, colours).
bool control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 7 || (byte > 15 && byte < 27) || (byte > 27 && byte < 32) || byte == 127;
}

void refuse_what_is_no_text(std::string_view head) {
  std::string what;
  for (const OtherKind& kind : other_kinds) {
    if (head.starts_with(kind.start)) what = kind.what;
  }
  if (what.empty() && unpacker_of(head)) what = "packed twice";
  // A program may print a NUL or two; of other data a tenth and more are control characters.
  const auto controls = static_cast<std::size_t>(std::ranges::count_if(head, control));
  if (what.empty() && controls > 2 + head.size() / 32) what = "binary";
  if (!what.empty()) throw NoLog(fmt::format("is {}, not a log; pass the text that the program printed", what));
}

// In Latin text in units of `width` bytes almost all other bytes are NUL, and the letters' bytes never are.
bool letters_in_units(std::string_view head, std::size_t width, std::size_t letter) {
  std::size_t nuls = 0, letters = 0;
  for (std::size_t i = 0; i < head.size(); ++i) {
    if (i % width == letter)
      letters += head[i] != '\0' ? 1 : 0;
    else
      nuls += head[i] == '\0' ? 1 : 0;
  }
  const std::size_t units = head.size() / width;
  return units >= 2 && letters >= units && nuls * 10 >= units * (width - 1) * 9;
}

// EBCDIC text has its own space (0x40), letters above 0x80, and almost no ASCII spaces and letters.
bool is_ebcdic(std::string_view head) {
  std::size_t spaces = 0, letters = 0, ascii = 0;
  for (const char c : head) {
    const auto byte = static_cast<unsigned char>(c);
    spaces += byte == 0x40 ? 1 : 0;
    letters += byte >= 0x81 && byte <= 0xE9 && (byte & 0x0FU) <= 9 ? 1 : 0;
    ascii += byte == ' ' || byte == '\n' || (byte >= 'a' && byte <= 'z' && byte != 'k') ? 1 : 0;
  }
  return head.size() >= 16 && spaces * 20 >= head.size() && letters * 2 >= head.size() && ascii * 20 <= head.size();
}

}  // namespace

void LogText::feed(std::string_view bytes) {
  if (!started_) {
    head_ += bytes;
    return head_.size() < magic_size ? void() : start_file();
  }
  unpacker_ ? unpacker_->feed(bytes, [this](std::string_view piece) { unpacked(piece); }) : unpacked(bytes);
}

void LogText::start_file() {
  started_ = true;
  unpacker_ = unpacker_of(head_);
  feed(std::exchange(head_, {}));
}

void LogText::unpacked(std::string_view bytes) {
  size_ += bytes.size();
  if (unpacker_ && size_ > limit_)
    throw NoLog(fmt::format("unpacks to more than {} MiB; unpack it and pass its last part, such as with tail -c 100M",
                            limit_ >> 20));
  if (form_ != Form::unknown) return form_ == Form::plain ? take_(bytes) : decode(bytes);
  text_head_ += bytes;
  if (text_head_.size() >= head_size) start_text();
}

void LogText::start_text() {
  const std::string whole = std::exchange(text_head_, {});
  std::string_view text = whole;
  const std::string_view head = text.substr(0, head_size);
  struct Wide {
    std::string_view mark;
    std::size_t width;
    bool big_endian;
  };
  using namespace std::string_view_literals;
  static constexpr Wide all[] = {
      {"\xff\xfe\0\0"sv, 4, false}, {"\0\0\xfe\xff"sv, 4, true}, {"\xff\xfe"sv, 2, false}, {"\xfe\xff"sv, 2, true}};
  const auto* wide = std::ranges::find_if(all, [&](const Wide& w) { return head.starts_with(w.mark); });
  if (wide != std::end(all)) {
    text.remove_prefix(wide->mark.size());
  } else {
    wide = std::ranges::find_if(
        all, [&](const Wide& w) { return letters_in_units(head, w.width, w.big_endian ? w.width - 1 : 0); });
  }
  if (wide == std::end(all)) {
    if (is_ebcdic(head)) throw NoLog("is text in EBCDIC; convert it first: iconv -f IBM-037 -t UTF-8");
    refuse_what_is_no_text(head);
    form_ = Form::plain;
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    return take_(text);
  }
  form_ = Form::wide;
  width_ = wide->width;
  big_endian_ = wide->big_endian;
  decode(text);
}

void LogText::decode(std::string_view bytes) {
  for (const char c : bytes) {
    const std::uint32_t byte = static_cast<unsigned char>(c);
    unit_ = big_endian_ ? unit_ << 8U | byte : unit_ | byte << 8 * unit_bytes_;
    if (++unit_bytes_ < width_) continue;
    put_unit(unit_);
    unit_ = 0;
    unit_bytes_ = 0;
  }
  take_(decoded_);
  decoded_.clear();
}

// An unpaired surrogate, or a value beyond Unicode, becomes U+FFFD.
void LogText::put_unit(std::uint32_t unit) {
  const auto put = [this](std::uint32_t code) {
    static constexpr std::uint32_t lead[] = {0, 0xC0, 0xE0, 0xF0};
    const std::uint32_t more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    decoded_ += static_cast<char>(lead[more] | code >> 6 * more);
    for (std::uint32_t i = more; i-- > 0;) decoded_ += static_cast<char>(0x80 | (code >> 6 * i & 0x3F));
  };
  const bool low = unit >= 0xDC00 && unit < 0xE000;
  if (high_ != 0 && low) {
    put(0x10000 + ((high_ - 0xD800) << 10U) + (unit - 0xDC00));
    high_ = 0;
    return;
  }
  if (high_ != 0) put(0xFFFD);
  high_ = unit >= 0xD800 && unit < 0xDC00 ? unit : 0;
  if (high_ == 0) put(low || unit > 0x10FFFF ? 0xFFFD : unit);
}

void LogText::finish() {
  if (!started_) start_file();
  if (unpacker_) unpacker_->finish([this](std::string_view piece) { unpacked(piece); });
  if (form_ == Form::unknown) start_text();
}

}  // namespace envdoctor
