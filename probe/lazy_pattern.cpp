#include "probe/lazy_pattern.h"

#include <algorithm>

#include "knowledge/lower_case.h"

namespace envdoctor {

LowerText::LowerText(std::string_view text) : text_("\n") {
  text_ += text;
  make_lower_case(text_);
  std::size_t run = 0;
  for (const char c : text_) {
    ++counts_[static_cast<unsigned char>(c)];
    const bool in_run = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    run = in_run ? run + 1 : 0;
    longest_run_ = std::max(longest_run_, run);
  }
}

bool LowerText::has(std::string_view word) const {
  return std::ranges::all_of(word, [this](char c) { return count(c) > 0; }) && text_.find(word) != text_.npos;
}

const RE2* LazyPattern::for_text(const LowerText& text) const {
  if (text.size() < shortest_ || text.longest_run() < run_) return nullptr;
  if (!needed_.empty() && std::ranges::none_of(needed_, [&](const Needed& one) { return one.in(text); }))
    return nullptr;
  if (!compiled_) compiled_ = std::make_unique<RE2>(expression_);
  return compiled_.get();
}

}  // namespace envdoctor
