#include "evidence/compute_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

namespace envdoctor {
namespace {

constexpr std::array kinds = {"out-of-bounds",
                              "not-written",
                              "nondeterministic",
                              "order",
                              "bit-flip",
                              "tile",
                              "tf32-inputs",
                              "bf16-inputs",
                              "fp16-inputs",
                              "fp32-inputs",
                              "narrow-inputs",
                              "fp16-accumulator",
                              "narrow-accumulator",
                              "truncating-accumulator",
                              "flush-to-zero",
                              "fast-math",
                              "size-limit",
                              "miscompiled",
                              "unstable",
                              "cudnn",
                              "onednn",
                              "lost-terms",
                              "barrier",
                              "tail",
                              "columns",
                              "other-index",
                              "not-a-number",
                              "zeros",
                              "scaled",
                              "stale",
                              "transfer",
                              "inputs-overwritten",
                              "last-element",
                              "moved-count",
                              "lost-additions",
                              "zero-sign",
                              "function",
                              "rounding-mode",
                              "other-calculation",
                              "unnamed"};
static_assert(kinds.size() == static_cast<std::size_t>(WrongResult::unnamed) + 1);

std::string number_text(std::int64_t value) {
  constexpr std::int64_t mi = 1 << 20;
  return value >= mi && value % mi == 0 ? fmt::format("{}Mi", value / mi) : std::to_string(value);
}

}  // namespace

std::string_view text(WrongResult value) { return kinds.at(static_cast<std::size_t>(value)); }

std::optional<WrongResult> wrong_result_of(std::string_view text) {
  const auto found = std::ranges::find(kinds, text);
  if (found == kinds.end()) return std::nullopt;
  return static_cast<WrongResult>(found - kinds.begin());
}

std::optional<WrongResult> Agreement::kind() const {
  return cause.get() ? wrong_result_of(*cause.get()) : std::nullopt;
}

std::string full_size(const std::map<std::string, std::int64_t>& size) {
  std::string all;
  for (const auto& [name, value] : size)
    all.append(all.empty() ? "" : " ").append(name).append("=").append(std::to_string(value));
  return all;
}

std::string full_problem_name(std::string_view kernel, std::string_view precision,
                              const std::map<std::string, std::int64_t>& size) {
  std::string name(kernel);
  for (const std::string& part : {std::string(precision), full_size(size)}) {
    if (!part.empty()) name.append(" ").append(part);
  }
  return name;
}

std::string full_problem_name(const ComputeResult& result) {
  return full_problem_name(result.kernel.or_empty(), result.precision.or_empty(), result.size.or_empty());
}

std::string size_text(const ComputeResult& result) {
  // One is the ordinary case and is left out.
  static const std::set<std::string> usually_one = {"batch", "groups", "items", "pad", "steps", "stride"};
  std::map<std::int64_t, std::string, std::greater<>> names;
  for (const auto& [name, value] : result.size.or_empty()) {
    if (value == 1 && usually_one.contains(name)) continue;
    std::string& list = names[value];
    list += (list.empty() ? "" : "=") + name;
  }
  std::string out;
  for (const auto& [value, list] : names)
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", list, number_text(value));
  return out;
}

std::string problem_name(const ComputeResult& result) {
  const std::string &variant = result.variant.or_empty(), &kernel = result.kernel.or_empty();
  const std::string& of = kernel.starts_with("copy") ? variant : result.precision.or_empty();
  const std::string copies = variant.ends_with("with copies") ? "with copies" : "";
  std::string name = kernel;
  for (const std::string& part : {of, size_text(result), copies}) name += (part.empty() ? "" : " ") + part;
  return name;
}

const double* median_ms(const ComputeResult& result) {
  return result.time.get() ? result.time.get()->median_ms.get() : nullptr;
}

}  // namespace envdoctor
