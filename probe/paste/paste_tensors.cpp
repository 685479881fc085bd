// Arrays that a person prints to compare a device with a reference: tensors of PyTorch, arrays of JAX and NumPy.
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>

#include "knowledge/lower_case.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

constexpr std::size_t most_tensors = 64, most_numbers = 4096, most_apart = 2;

struct Printed {
  std::size_t row = 0;   // of the text, from 0
  std::string shape{};   // its brackets and commas
  std::string device{};  // empty: the CPU, or not said
  bool whole = true;     // false: the text ends within it
  bool half = false;
  bool reference = false;  // the CPU's, NumPy's, or one that a label calls so
  bool copied = false;     // "x.to(1)" stands before it
  std::vector<double> numbers{};
};

// The number at `at`, which is moved behind it: "-0.0353", "1.", "2.5e-03", "-inf", "nan".
std::optional<double> number_at(std::string_view text, std::size_t& at) {
  const std::size_t end = std::min(text.find_first_not_of("+-.0123456789einfa", at), text.size());
  std::string_view word = text.substr(at, end - at);
  at = end;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (word == "inf") return infinite;
  if (word == "-inf") return -infinite;
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (word.ends_with('.')) word.remove_suffix(1);
  return number_of<double>(word);
}

// What stands in the parentheses from `at`, which is moved behind the numbers; none if it isn't numbers, or too many.
std::optional<Printed> tensor_at(std::string_view text, std::size_t& at) {
  Printed printed;
  while (at < text.size() && printed.numbers.size() < most_numbers) {
    const char c = text[at];
    if (c == '[' || c == ']' || c == ',') {
      printed.shape += c;
      ++at;
    } else if (text.substr(at, 3) == "...") {
      printed.shape += c;
      at += 3;
    } else if (std::isspace(static_cast<unsigned char>(c)) || c == '>') {  // quoted
      ++at;
    } else if (c == '-' || c == 'n' || c == 'i' || std::isdigit(static_cast<unsigned char>(c))) {
      const auto number = number_at(text, at);
      if (!number) return std::nullopt;
      printed.numbers.push_back(*number);
    } else {
      break;
    }
  }
  const std::string_view rest = text.substr(at, std::min(text.find(')', at), text.size()) - at);
  constexpr std::string_view key = "device='";
  if (const std::size_t found = rest.find(key); found != std::string_view::npos) {
    const std::string_view name = rest.substr(found + key.size());
    printed.device = std::string(name.substr(0, name.find('\'')));
  }
  printed.half = contains(rest, "float16") && !contains(rest, "bfloat16");
  while (printed.shape.ends_with(',')) printed.shape.pop_back();  // the comma before "device="
  if (printed.device == "cpu") printed.device.clear();
  printed.whole = at < text.size();
  if (printed.numbers.empty()) return std::nullopt;
  return printed;
}

// "C_torch:", "expected", "CPU result =" before a tensor.
bool calls_it_reference(std::string_view label) {
  const std::string small = lower_case(label.substr(0, 60));
  return std::ranges::any_of(
      std::array{"torch", "cpu", "expected", "reference", "numpy", "eager", "ref:", "ref =", "gold"},
      [&](const char* word) { return contains(small, word); });
}

// ">>> x.to(1)": the tensor that follows is a copy of x.
bool copies(std::string_view line) {
  static const RE2 form(R"(\W*\w+\.(?:to|cuda)\([^()]*\)\W*)", RE2::Latin1);
  return RE2::FullMatch(re2::StringPiece(line.data(), line.size()), form);
}

// What one array is to another of the same shape.
struct Comparison {
  std::size_t equal = 0, rounded = 0, far = 0;
  std::size_t lost = 0;  // finite in the reference alone
};

// Rounding in sums of products goes with the largest numbers, not with each.
Comparison compare(const Printed& device, const Printed& reference) {
  Comparison result;
  double scale = 0;
  for (const double number : reference.numbers)
    scale = std::isfinite(number) ? std::fmax(scale, std::fabs(number)) : scale;
  for (std::size_t i = 0; i < std::min(device.numbers.size(), reference.numbers.size()); ++i) {
    const double a = device.numbers[i], b = reference.numbers[i];
    if (!std::isfinite(b)) continue;
    const double most = std::fmax(std::fabs(a), std::fabs(b)), apart = std::fabs(a - b);
    if (!std::isfinite(a)) {
      ++result.lost;
    } else if (apart <= 2e-4 * std::fmax(1, most / 10)) {  // four digits are printed
      ++result.equal;
    } else if (apart > 2e-5 * most && apart < 5e-3 * scale) {
      ++result.rounded;
    } else if (apart > 0.1 * most) {
      ++result.far;
    }
  }
  return result;
}

// Where half of the numbers agree, the same was computed on both; else two things may have been printed.
const char* difference(const Printed& device, const Printed& reference) {
  const Comparison found = compare(device, reference);
  const std::size_t all = std::min(device.numbers.size(), reference.numbers.size());
  if (all < 3) return nullptr;
  if (found.lost + found.far == 0)
    return found.rounded * 2 > all && found.rounded + found.equal == all ? "rounding" : nullptr;
  if (found.equal + found.rounded < 2 || found.equal + found.rounded < found.lost + found.far) return nullptr;
  return found.lost > 0 ? "infinite" : "value";
}

bool same_shape(const Printed& a, const Printed& b) {
  if (a.whole && b.whole) return a.shape == b.shape && a.numbers.size() == b.numbers.size();
  return a.shape.starts_with(b.shape) || b.shape.starts_with(a.shape);
}

std::vector<Printed> tensors_in(std::string_view text) {
  struct Maker {
    std::string_view start;
    bool reference;
  };
  constexpr std::array makers{Maker{"tensor(", false}, Maker{"array(", true}, Maker{"Array(", false}};
  std::vector<Printed> all;
  std::string_view label;
  std::size_t row = 0, end = 0;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t begin = static_cast<std::size_t>(line.data() - text.data());
    for (const Maker& maker : makers) {
      const std::size_t found = begin >= end ? line.find(maker.start) : std::string_view::npos;
      if (found == std::string_view::npos || all.size() >= most_tensors) continue;
      std::size_t at = begin + found + maker.start.size();
      if (auto printed = tensor_at(text, at)) {
        printed->row = row;
        const bool on_cpu = maker.start == "tensor(" && printed->device.empty();
        printed->reference = on_cpu || maker.reference || calls_it_reference(found > 0 ? line.substr(0, found) : label);
        printed->copied = !printed->device.empty() && copies(label);
        all.push_back(std::move(*printed));
        end = at;
      }
      break;
    }
    if (!trimmed(line).empty()) label = line;
    ++row;
  }
  return all;
}

void note(Kind kind, const Printed& tensor, std::string_view text, Snapshot& snapshot, const char* by = nullptr) {
  Symptom& symptom = add_symptom(snapshot, kind, tensor.row, trimmed(lines_of(text)[tensor.row]));
  if (!tensor.device.empty()) symptom.details["device"] = tensor.device;
  if (by) symptom.details["by"] = by;
}

}  // namespace

bool starts_printed_tensors(std::string_view line) {
  return contains(line, "tensor([") || contains(line, "array([") || contains(line, "Array([");
}

Snapshot parse_printed_tensors(const std::string& text) {
  const std::vector<Printed> all = tensors_in(text);
  Snapshot snapshot;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const Printed &copy = all[i], &from = all[i - 1];
    if (!copy.copied || !from.device.starts_with("cuda:") || !copy.device.starts_with("cuda:") ||
        copy.device == from.device || copy.shape != from.shape || copy.numbers == from.numbers)
      continue;
    note({SymptomClass::wrong_result, "peer-copy"}, copy, text, snapshot);
    return snapshot;
  }
  const bool half = contains(text, ".half()") || contains(text, "dtype=torch.float16");
  for (const Printed& one : all) {
    const auto nan = std::ranges::count_if(one.numbers, [](double number) { return std::isnan(number); });
    if ((!one.half && !half) || nan == 0 || nan == std::ssize(one.numbers)) continue;
    note({SymptomClass::noted, "nan-in-half-tensor"}, one, text, snapshot);
    return snapshot;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i - std::min(i, most_apart); j < std::min(all.size(), i + most_apart + 1); ++j) {
      const Printed &device = all[i], &reference = all[j];
      if (device.reference || !reference.reference || !same_shape(device, reference)) continue;
      if (const char* by = difference(device, reference)) {
        note({SymptomClass::noted, "tensors-differ"}, device, text, snapshot, by);
        return snapshot;
      }
    }
  }
  return snapshot;
}

}  // namespace envdoctor
