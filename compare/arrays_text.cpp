// A comparison of arrays as text and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "compare/arrays.h"
#include "evidence/lines.h"

namespace envdoctor::compare {
namespace {

using Json = nlohmann::json;

std::string class_name(std::size_t at) {
  if (at == 0) return "0";
  return at + 1 == histogram_classes ? "more" : fmt::format("<= {}", std::int64_t{1} << (at - 1));
}

// A bar for each class up to the last that isn't empty, by the logarithm: one element among a million is to be seen.
std::string histogram(const ArrayDifference& d) {
  std::size_t last = histogram_classes;
  while (last > 1 && d.ulp_histogram[last - 1] == 0) --last;
  const auto most = static_cast<double>(*std::ranges::max_element(d.ulp_histogram));
  std::string out = d.floating ? "    ulp\n" : "    off by\n";
  for (std::size_t i = 0; i < last; ++i) {
    const std::int64_t count = d.ulp_histogram[i];
    const auto width = count ? 1 + static_cast<int>(39 * std::log1p(static_cast<double>(count)) / std::log1p(most)) : 0;
    out +=
        fmt::format("    {:>8} {:>14} {}\n", class_name(i), count, std::string(static_cast<std::size_t>(width), '#'));
  }
  return out;
}

}  // namespace

std::string text_of(const std::vector<ArrayDifference>& differences, const std::string& a, const std::string& b) {
  std::string out = wrap("A  ", a) + wrap("B  ", b);
  for (const ArrayDifference& d : differences) {
    out += "\n";
    if (!d.name.empty()) out += wrap("", d.name);
    if (!d.error.empty()) {
      out += wrap("  ", d.error);
      continue;
    }
    out += wrap("  ", d.differing == 0 ? fmt::format("the same {} numbers ({})", d.count, d.type_a)
                                       : fmt::format("{} of {} numbers differ ({}{})", d.differing, d.count, d.type_a,
                                                     d.type_b == d.type_a ? "" : " and " + d.type_b));
    if (d.differing == 0) continue;
    out += histogram(d);
    out +=
        fmt::format("  largest     {:.3g} ulp; {:.9g} and {:.9g} at {}\n", d.max_ulp, d.worst_a, d.worst_b, d.worst_at);
    out += fmt::format("  rms         {:.3g} of {:.3g}\n", d.rms_difference, d.rms_reference);
    if (d.not_a_number) out += fmt::format("  NaN         in one of the two: {}\n", d.not_a_number);
    if (d.infinite) out += fmt::format("  infinite    in one of the two: {}\n", d.infinite);
    if (d.flushed) out += fmt::format("  flushed     subnormal in one, zero in the other: {}\n", d.flushed);
    out += wrap("  ", d.judgement.empty() ? "Not judged: give --op and --depth, which say what was computed."
                                          : d.judgement + ": " + d.explanation);
  }
  return out;
}

std::string json_of(const std::vector<ArrayDifference>& differences, const std::string& a, const std::string& b) {
  Json list = Json::array();
  for (const ArrayDifference& d : differences) {
    Json json = {{"name", d.name}};
    if (!d.error.empty()) {
      json["error"] = d.error;
    } else {
      json.update({{"type_a", d.type_a},
                   {"type_b", d.type_b},
                   {"count", d.count},
                   {"differing", d.differing},
                   {"ulp_histogram", d.ulp_histogram},
                   {"max_ulp", d.max_ulp},
                   {"max_absolute", d.max_absolute},
                   {"rms_difference", d.rms_difference},
                   {"rms_reference", d.rms_reference},
                   {"worst_at", d.worst_at},
                   {"not_a_number", d.not_a_number},
                   {"infinite", d.infinite},
                   {"flushed", d.flushed},
                   {"judgement", d.judgement.empty() ? Json() : Json(d.judgement)},
                   {"explanation", d.explanation}});
    }
    list.push_back(std::move(json));
  }
  const Json json = {{"schema", "envdoctor.compare/1"}, {"sources", {a, b}}, {"arrays", list}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace envdoctor::compare
