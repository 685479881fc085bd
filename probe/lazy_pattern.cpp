#include "probe/lazy_pattern.h"

#include <algorithm>

#include "knowledge/lower_case.h"

namespace envdoctor {

LowerText::LowerText(std::string_view text) : text_(lower_case(text)) {
  for (const char c : text_) characters_.set(static_cast<unsigned char>(c));
}

bool LowerText::has(std::string_view word) const {
  return std::ranges::all_of(word, [this](unsigned char c) { return characters_.test(c); }) &&
         text_.find(word) != text_.npos;
}

const RE2* LazyPattern::for_text(const LowerText& text) const {
  if (text.size() < shortest_) return nullptr;
  if (!words_.empty() && std::ranges::none_of(words_, [&](std::string_view word) { return text.has(word); }))
    return nullptr;
  if (!compiled_) compiled_ = std::make_unique<RE2>(expression_);
  return compiled_.get();
}

}  // namespace envdoctor
