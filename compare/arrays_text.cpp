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

// A bar for each class up to the last that isn't empty, on a logarithmic scale, so that one element among a million is
// visible.
std::string histogram(const ArrayDifference& d) {
  std::size_t last = histogram_classes;
  while (last > 1 && d.ulp_histogram[last - 1] == 0) --last;
  const auto most = static_cast<double>(*std::ranges::max_element(d.ulp_histogram));
  std::string out = d.floating() ? "    ulp\n" : "    off by\n";
  for (std::size_t i = 0; i < last; ++i) {
    const std::int64_t count = d.ulp_histogram[i];
    const auto width = count ? 1 + static_cast<int>(39 * std::log1p(static_cast<double>(count)) / std::log1p(most)) : 0;
    out +=
        fmt::format("    {:>8} {:>14} {}\n", class_name(i), count, std::string(static_cast<std::size_t>(width), '#'));
  }
  return out;
}

// The element that a number in the file belongs to.
std::vector<std::int64_t> element(const ArrayDifference& d, std::int64_t at) {
  return d.layout.place(d.type.complex ? at / 2 : at);
}

std::string at_place(const ArrayDifference& d, std::int64_t at) {
  const std::string place = place_text(element(d, at));
  return place.empty() ? "" : " at " + place;
}

std::string types(const ArrayDifference& d) {
  return d.type_a.name + (d.type_b.name == d.type_a.name ? "" : " and " + d.type_b.name);
}

// "by 0.01", or the two numbers where one is NaN or infinite.
std::string amount(const ArrayDifference& d) {
  if (d.not_a_number + d.infinite == 0)
    return fmt::format("by {}{:.3g}", d.differing > 1 ? "at most " : "", d.max_absolute);
  const auto shown = fmt::format("{} in A and {} in B", d.worst_a, d.worst_b);
  if (d.differing == 1) return shown;
  return fmt::format("{} NaN or infinite in one of the two only ({}{})", grouped(d.not_a_number + d.infinite), shown,
                     at_place(d, d.worst_at));
}

// Numbers that are equal but have different bits.
std::string other_bits(const ArrayDifference& d) {
  std::string out;
  if (d.sign_of_zero > 0)
    out = fmt::format("{} {}", grouped(d.sign_of_zero),
                      d.sign_of_zero == 1 ? "zero has another sign" : "zeros have another sign");
  if (d.nan_payload > 0)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", grouped(d.nan_payload),
                       d.nan_payload == 1 ? "NaN has other bits" : "NaNs have other bits");
  return out;
}

std::string overall(const std::vector<ArrayDifference>& differences) {
  if (differences.size() == 1) {
    const ArrayDifference& d = differences.front();
    return d.error.empty() ? d.summary() : "Not compared: " + d.error + ".";
  }
  const auto count = [&](const auto& which) { return std::ranges::count_if(differences, which); };
  const std::string all = grouped(static_cast<std::int64_t>(differences.size()));
  const auto failed = count([](const ArrayDifference& d) { return !d.error.empty(); });
  const auto differ = count([](const ArrayDifference& d) { return d.differing > 0; });
  const auto explained = count([](const ArrayDifference& d) { return d.differing > 0 && d.alike(); });
  if (failed + differ == 0) return fmt::format("All {} arrays hold the same numbers.", all);
  std::string out = fmt::format("{} of {} arrays {}", grouped(differ), all, differ == 1 ? "differs" : "differ");
  if (explained > 0) out += fmt::format(", {} of them no more than explained", grouped(explained));
  if (failed > 0) out += fmt::format("; {} could not be compared", grouped(failed));
  return out + ".";
}

void add_figures(const ArrayDifference& d, std::string& out) {
  out += histogram(d);
  out += wrap("  largest     ", fmt::format("{:.3g} {}; {} and {}{}", d.max_ulp, d.floating() ? "ulp" : "off",
                                            d.worst_a, d.worst_b, at_place(d, d.worst_at)));
  if (d.worst_relative_at >= 0)
    out += wrap("  relative    ",
                fmt::format("{:.3g} of A's number at most,{}", d.max_relative, at_place(d, d.worst_relative_at)));
  out += fmt::format("  rms         {:.3g} of {:.3g}\n", d.rms_difference, d.rms_reference);
  if (d.not_a_number) out += fmt::format("  NaN         in one of the two: {}\n", d.not_a_number);
  if (d.infinite) out += fmt::format("  infinite    in one of the two: {}\n", d.infinite);
  if (d.flushed) out += fmt::format("  flushed     subnormal in one, zero in the other: {}\n", d.flushed);
  if (d.zero_in_a) out += fmt::format("  zero in A   and not in B: {}\n", d.zero_in_a);
  if (d.zero_in_b) out += fmt::format("  zero in B   and not in A: {}\n", d.zero_in_b);
}

Json place_json(const ArrayDifference& d, std::int64_t at) { return at < 0 ? Json() : Json(element(d, at)); }

Json json_of(const ArrayDifference& d) {
  Json json = {{"name", d.name}, {"summary", d.summary()}};
  if (!d.error.empty()) {
    json["error"] = d.error;
    return json;
  }
  json.update({{"type_a", d.type_a.name},
               {"type_b", d.type_b.name},
               {"shape", d.layout.shape},
               {"count", d.count},
               {"differing", d.differing},
               {"sign_of_zero", d.sign_of_zero},
               {"nan_payload", d.nan_payload},
               {"where", d.where.kind(d.layout)},
               {"first_place", place_json(d, d.where.count() > 0 ? d.where.first() * (d.type.complex ? 2 : 1) : -1)},
               {"ulp_histogram", d.ulp_histogram},
               {"max_ulp", d.max_ulp},
               {"max_absolute", d.max_absolute},
               {"max_relative", d.max_relative},
               {"rms_difference", d.rms_difference},
               {"rms_reference", d.rms_reference},
               {"worst_at", d.worst_at},
               {"worst_place", place_json(d, d.worst_at)},
               {"worst_a", d.worst_a},
               {"worst_b", d.worst_b},
               {"not_a_number", d.not_a_number},
               {"both_nan", d.both_nan},
               {"infinite", d.infinite},
               {"flushed", d.flushed},
               {"zero_in_a", d.zero_in_a},
               {"zero_in_b", d.zero_in_b},
               {"beyond", d.beyond.count()},
               {"beyond_where", d.beyond.kind(d.layout)},
               {"hint", d.hint},
               {"judgement", d.judgement.empty() ? Json() : Json(d.judgement)},
               {"explanation", d.explanation}});
  if (d.rtol) json.update({{"rtol", *d.rtol}, {"atol", *d.atol}});
  if (d.top_one) json["top_1"] = {{"rows", d.top_one->rows}, {"agree", d.top_one->agree}};
  return json;
}

}  // namespace

std::string ArrayDifference::summary() const {
  if (!error.empty()) return error;
  if (count == 0) return "Nothing was compared: both are empty.";
  const std::string other = other_bits(*this), all = grouped(count);
  if (differing == 0 && count == 1)
    return other.empty() ? "The number is the same." : "The number is the same, but " + other + ".";
  if (differing == 0 && type_a.name != type_b.name) return fmt::format("All {} numbers are the same.", all);
  if (differing == 0)
    return other.empty() ? fmt::format("All {} numbers have the same bits.", all)
                         : fmt::format("All {} numbers are the same, but not all bits: {}.", all, other);
  const std::string at = where.text(layout), place = at.empty() ? "" : ", " + at;
  const std::string rest = differing == count           ? ""
                           : !other.empty()             ? "; all others are the same numbers, but " + other
                           : type_a.name != type_b.name ? "; all others are the same numbers"
                                                        : "; all others have the same bits";
  if (differing == count && count > 1) return fmt::format("All {} numbers differ, {}.", all, amount(*this));
  return fmt::format("{} of {} numbers {}{}, {}{}.", grouped(differing), all, differing == 1 ? "differs" : "differ",
                     place, amount(*this), rest);
}

std::string text_of(const std::vector<ArrayDifference>& differences, const std::string& a, const std::string& b) {
  std::string out = wrap("", overall(differences)) + "\n" + wrap("A  ", a) + wrap("B  ", b);
  for (const ArrayDifference& d : differences) {
    out += "\n";
    if (!d.name.empty()) out += wrap("", d.name);
    if (!d.error.empty()) {
      out += wrap("  ", d.error);
      continue;
    }
    if (differences.size() > 1) out += wrap("  ", d.summary());
    out += wrap("  type        ", types(d));
    if (d.both_nan > 0) out += fmt::format("  NaN         in both: {}\n", d.both_nan);
    if (d.differing > 0) add_figures(d, out);
    if (d.top_one)
      out +=
          fmt::format("  top-1       the same in {} of {} rows\n", grouped(d.top_one->agree), grouped(d.top_one->rows));
    if (!d.hint.empty()) out += wrap("  hint        ", d.hint);
    if (d.differing == 0 && d.judgement == "same-bits") continue;
    if (d.judgement.empty() && d.count > 0)
      out += wrap("  ", "Not judged: give --op (and --depth for sums), which say what was computed.");
    else if (!d.judgement.empty())
      out += wrap("  ", d.judgement + ": " + d.explanation);
  }
  return out;
}

std::string json_of(const std::vector<ArrayDifference>& differences, const std::string& a, const std::string& b) {
  Json list = Json::array();
  for (const ArrayDifference& d : differences) list.push_back(json_of(d));
  const Json json = {{"schema", "envdoctor.compare/1"}, {"sources", {a, b}}, {"arrays", list}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace envdoctor::compare
