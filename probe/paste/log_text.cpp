#include "probe/paste/log_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace envdoctor {
namespace {

constexpr std::size_t magic_size = 6, head_size = 4096;

// Files that people pass by mistake. Those that begin with text need a row; others have too many control characters.
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

// Those that programs print on purpose (tabs, line ends, bells, backspaces, shifts, colours) aside.
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

// Text in Latin letters has a NUL in nearly every second byte then, and none in the others.
bool nuls_in_every_second(std::string_view head, std::size_t first) {
  std::size_t here = 0, elsewhere = 0;
  for (std::size_t i = 0; i < head.size(); ++i) {
    if (head[i] == '\0') ++(i % 2 == first ? here : elsewhere);
  }
  return head.size() >= 4 && elsewhere == 0 && here * 10 >= head.size() / 2 * 9;
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
  if (head.starts_with("\xff\xfe") || nuls_in_every_second(head, 1)) {
    form_ = Form::utf16_little;
  } else if (head.starts_with("\xfe\xff") || nuls_in_every_second(head, 0)) {
    form_ = Form::utf16_big;
  } else {
    refuse_what_is_no_text(head);
    form_ = Form::plain;
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    return take_(text);
  }
  if (!head.empty() && (head[0] == '\xff' || head[0] == '\xfe')) text.remove_prefix(2);
  decode(text);
}

void LogText::decode(std::string_view bytes) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (half_) {
      put_unit(form_ == Form::utf16_big ? *half_ << 8U | byte : byte << 8U | *half_);
      half_.reset();
    } else {
      half_ = byte;
    }
  }
  take_(decoded_);
  decoded_.clear();
}

// A surrogate without its other half becomes U+FFFD.
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
  if (high_ == 0) put(low ? 0xFFFD : unit);
}

void LogText::finish() {
  if (!started_) start_file();
  if (unpacker_) unpacker_->finish([this](std::string_view piece) { unpacked(piece); });
  if (form_ == Form::unknown) start_text();
}

}  // namespace envdoctor
