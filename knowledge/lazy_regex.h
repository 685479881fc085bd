#pragma once
#include <re2/re2.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace envdoctor {

// A regular expression that is compiled when it is first matched; otherwise as RE2, in whose place it may stand. A
// function that rejects most texts by its first expression doesn't pay for the others: compiling one takes as long as
// reading a short text.
class LazyRegex {
 public:
  explicit LazyRegex(std::string expression, const RE2::Options& options = RE2::Options())
      : expression_(std::move(expression)), options_(options) {}

  operator const RE2&() const { return *operator->(); }  // NOLINT: stands where an RE2 does
  const RE2* operator->() const {
    std::call_once(compiled_once_, [this] { compiled_ = std::make_unique<RE2>(expression_, options_); });
    return compiled_.get();
  }

 private:
  std::string expression_;
  RE2::Options options_;
  mutable std::once_flag compiled_once_{};
  mutable std::unique_ptr<RE2> compiled_{};
};

}  // namespace envdoctor
