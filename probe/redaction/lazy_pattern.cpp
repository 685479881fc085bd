#include "probe/redaction/lazy_pattern.h"

#include <algorithm>
#include <cstring>

#include "knowledge/lower_case.h"

namespace envdoctor {

LowerText::LowerText(std::string_view text) : text_("\n") {
  text_ += text;
  make_lower_case(text_);
  std::size_t run = 0, token = 0;
  for (const char c : text_) {
    ++counts_[static_cast<unsigned char>(c)];
    const bool in_run = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    run = in_run ? run + 1 : 0;
    longest_run_ = std::max(longest_run_, run);
    token = in_run || c == '_' || c == '-' || c == '/' || c == '+' ? token + 1 : 0;
    longest_token_ = std::max(longest_token_, token);
    is_ascii_ = is_ascii_ && static_cast<unsigned char>(c) < 0x80;
  }
  for (std::size_t i = 0; i + 1 < text_.size(); ++i) pairs_[place(text_[i], text_[i + 1])] = true;
  pairs_[anywhere] = true;
}

bool LowerText::finds(std::string_view word) const {
  if (word.size() == 1) return count(word[0]) > 0;
  for (std::size_t i = 0; i + 1 < word.size(); ++i)
    if (!pairs_.test(place(word[i], word[i + 1]))) return false;
  return memmem(text_.data(), text_.size(), word.data(), word.size()) != nullptr;
}

const RE2* LazyPattern::for_text(const LowerText& text) const {
  if (text.size() < shortest_ || !run_.in(text)) return nullptr;
  if (!needed_.empty() && std::ranges::none_of(needed_, [&](const Needed& one) { return one.in(text); }))
    return nullptr;
  std::unique_ptr<RE2>& compiled = text.is_ascii() ? of_ascii_ : compiled_;
  if (!compiled) {
    RE2::Options options;
    if (text.is_ascii()) options.set_encoding(RE2::Options::EncodingLatin1);
    compiled = std::make_unique<RE2>(expression_, options);
  }
  return compiled.get();
}

}  // namespace envdoctor
