// Arrays that a person prints to compare a device with a reference: tensors of PyTorch, arrays of JAX and NumPy.
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>

#include "knowledge/lower_case.h"
#include "probe/paste/number_arrays.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

constexpr std::size_t most_tensors = 64, most_apart = 2;

struct Printed {
  std::size_t row = 0;   // of the text, from 0
  std::string device{};  // empty: the CPU, or not said
  bool half = false;
  bool reference = false;  // the CPU's, NumPy's, or one that a label calls so
  bool copied = false;     // "x.to(1)" stands before it
  NumberArray array{};
};

// What stands in the parentheses from `at`, which is moved behind the numbers; none if it isn't numbers, or too many.
std::optional<Printed> tensor_at(std::string_view text, std::size_t& at) {
  auto array = number_array_at(text, at);
  if (!array) return std::nullopt;
  Printed printed{.array = std::move(*array)};
  const std::string_view rest = text.substr(at, std::min(text.find(')', at), text.size()) - at);
  constexpr std::string_view key = "device='";
  if (const std::size_t found = rest.find(key); found != std::string_view::npos) {
    const std::string_view name = rest.substr(found + key.size());
    printed.device = std::string(name.substr(0, name.find('\'')));
  }
  printed.half = contains(rest, "float16") && !contains(rest, "bfloat16");
  if (printed.device == "cpu") printed.device.clear();
  return printed;
}

// Five digits are printed, of which half precision gives three: where every number is one of half precision, and chance
// hardly makes them so, they were computed in it. Numbers of eight bits may be bfloat16's.
bool fits_half(const NumberArray& array) {
  constexpr double unlikely = 1e-4;
  double chance = 1;
  bool eight_bits = true;
  std::vector<double> seen;
  for (double number : array.numbers) {
    number = std::fabs(number);
    if (!std::isfinite(number) || number == 0) continue;
    if (number < 6.2e-5 || number > 65504) return false;
    const double printed = std::pow(10, std::floor(std::log10(number)) - 4);
    const auto off = [number](int bits) {
      const double step = std::exp2(std::floor(std::log2(number)) - bits);
      return std::fabs(number - step * std::round(number / step));
    };
    if (off(10) > 0.51 * printed) return false;
    eight_bits = eight_bits && off(7) <= 0.51 * printed;
    const double three = printed * 100;
    if (std::fabs(number - three * std::round(number / three)) < 0.01 * printed) continue;  // a round number
    if (std::ranges::find(seen, number) != seen.end() || seen.size() > 64) continue;
    seen.push_back(number);
    chance *= std::fmin(1, printed / std::exp2(std::floor(std::log2(number)) - 10));
  }
  return chance < unlikely && !eight_bits;
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
        copy.device == from.device || copy.array.shape != from.array.shape || copy.array.numbers == from.array.numbers)
      continue;
    note({SymptomClass::wrong_result, "peer-copy"}, copy, text, snapshot);
    return snapshot;
  }
  const Printed* alone = nullptr;
  for (const Printed& one : all) {
    const auto nan = std::ranges::count_if(one.array.numbers, [](double number) { return std::isnan(number); });
    if (nan == 0) continue;
    if (nan == std::ssize(one.array.numbers)) {  // made so, unless something speaks of half precision
      if (!alone) alone = &one;
      continue;
    }
    const bool half = one.half || contains(text, "dtype=torch.float16") || fits_half(one.array);
    note({SymptomClass::noted, half ? "nan-in-half-tensor" : "nan-in-tensor"}, one, text, snapshot);
    return snapshot;
  }
  if (alone) note({SymptomClass::noted, "nan-in-tensor"}, *alone, text, snapshot);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i - std::min(i, most_apart); j < std::min(all.size(), i + most_apart + 1); ++j) {
      const Printed &device = all[i], &reference = all[j];
      if (device.reference || !reference.reference || !same_shape(device.array, reference.array)) continue;
      if (const char* by = difference(device.array, reference.array)) {
        note({SymptomClass::noted, "tensors-differ"}, device, text, snapshot, by);
        return snapshot;
      }
    }
  }
  return snapshot;
}

}  // namespace envdoctor
