#include "probe/paste/number_arrays.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>

#include "host/text.h"
#include "knowledge/lower_case.h"

namespace envdoctor {
namespace {

constexpr std::size_t most_numbers = 4096;

// The number at `at`, which is moved behind it: "-0.0353", "1.", "2.5e-03", "-inf", "nan".
std::optional<double> number_at(std::string_view text, std::size_t& at) {
  const std::size_t end = std::min(text.find_first_not_of("+-.0123456789einfa", at), text.size());
  std::string_view word = text.substr(at, end - at);
  at = end;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (word == "inf") return infinite;
  if (word == "-inf") return -infinite;
  if (word == "nan" || word == "-nan") return std::numeric_limits<double>::quiet_NaN();
  if (const std::size_t f = word.find('f'); f != word.npos && f > 0 && f + 1 < word.size()) {
    std::string number(word);  // Julia's "1.5f-3"
    number[f] = 'e';
    return number_of<double>(std::string_view(number));
  }
  if (word.ends_with('f') && word.size() > 1) word.remove_suffix(1);  // of C
  if (word.ends_with('.')) word.remove_suffix(1);
  return number_of<double>(word);
}

// "True", "False" of an array of truth values.
std::size_t length_of_truth(std::string_view text) {
  return text.starts_with("True") ? 4 : text.starts_with("False") ? 5 : 0;
}

// What one array is to another of the same shape.
struct Comparison {
  std::size_t equal = 0, rounded = 0, far = 0;
  std::size_t lost = 0;  // finite in the reference alone
};

double largest(const NumberArray& array) {
  double most = 0;
  for (const double number : array.numbers) most = std::isfinite(number) ? std::fmax(most, std::fabs(number)) : most;
  return most;
}

// Rounding in sums of products goes with the largest numbers, not with each.
Comparison compare(const NumberArray& device, const NumberArray& reference) {
  Comparison result;
  const double scale = largest(reference);
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

// NumPy prints blanks where PyTorch prints commas.
std::string without_commas(std::string shape) {
  std::erase(shape, ',');
  return shape;
}

bool without_fractions(const NumberArray& device, const NumberArray& reference) {
  std::size_t fractions = 0;
  for (std::size_t i = 0; i < std::min(device.numbers.size(), reference.numbers.size()); ++i) {
    const double a = device.numbers[i], b = reference.numbers[i];
    if (!std::isfinite(a) || !std::isfinite(b) || a != std::trunc(a) || std::fabs(a - b) >= 1) return false;
    fractions += b != std::trunc(b) ? 1 : 0;
  }
  return fractions >= 3;
}

}  // namespace

std::optional<NumberArray> number_array_at(std::string_view text, std::size_t& at) {
  NumberArray array;
  int open = 0;
  while (at < text.size() && array.numbers.size() < most_numbers) {
    const char c = text[at];
    if (c == '[' || c == ']' || c == ',') {
      array.shape += c;
      ++at;
      open += c == '[' ? 1 : c == ']' ? -1 : 0;
      if (c == ']' && open == 0 && !text.substr(at).starts_with(',')) break;
    } else if (text.substr(at, 3) == "...") {
      array.shape += c;
      at += 3;
    } else if (std::isspace(static_cast<unsigned char>(c)) || c == '>') {  // quoted
      ++at;
    } else if (text.substr(at, 2) == "\\n") {  // of a debugger
      at += 2;
    } else if (const std::size_t truth = c == 'T' || c == 'F' ? length_of_truth(text.substr(at)) : 0;
               truth > 0 && !array.shape.empty()) {
      array.numbers.push_back(c == 'T' ? 1 : 0);
      at += truth;
    } else if (c == '-' || c == 'n' || c == 'i' || std::isdigit(static_cast<unsigned char>(c))) {
      const auto number = number_at(text, at);
      if (number) {
        array.numbers.push_back(*number);
        continue;
      }
      // None: the text ends within it, or its line does.
      if (!trimmed(text.substr(at, std::min<std::size_t>(80, text.find('\n', at) - at))).empty()) return std::nullopt;
      array.whole = false;
      return array.numbers.empty() ? std::nullopt : std::optional(array);
    } else {
      break;
    }
  }
  while (array.shape.ends_with(',')) array.shape.pop_back();  // the comma before "device="
  array.whole = at < text.size();
  if (array.numbers.empty()) return std::nullopt;
  return array;
}

bool same_shape(const NumberArray& a, const NumberArray& b) {
  const std::string one = without_commas(a.shape), other = without_commas(b.shape);
  if (a.whole && b.whole) return one == other && a.numbers.size() == b.numbers.size();
  return one.starts_with(other) || other.starts_with(one);
}

// Where half of the numbers agree, the same was computed on both.
const char* difference(const NumberArray& device, const NumberArray& reference) {
  const Comparison found = compare(device, reference);
  const std::size_t all = std::min(device.numbers.size(), reference.numbers.size());
  if (all < 3) return nullptr;
  if (found.lost + found.far == 0)
    return found.rounded * 2 > all && found.rounded + found.equal == all ? "rounding" : nullptr;
  if (found.far > 0 && without_fractions(device, reference)) return "whole";
  if (found.equal + found.rounded < 2 || found.equal + found.rounded < found.lost + found.far) return nullptr;
  return found.lost > 0 ? "infinite" : "value";
}

double relative_difference(const NumberArray& device, const NumberArray& reference) {
  double most = 0;
  for (std::size_t i = 0; i < std::min(device.numbers.size(), reference.numbers.size()); ++i) {
    const double a = device.numbers[i], b = reference.numbers[i];
    if (!std::isfinite(b)) continue;
    if (!std::isfinite(a)) return std::numeric_limits<double>::infinity();
    most = std::fmax(most, std::fabs(a - b));
  }
  const double scale = largest(reference);
  return scale > 0 ? most / scale : most;
}

bool lost_to_nan(const NumberArray& device, const NumberArray& reference) {
  for (std::size_t i = 0; i < std::min(device.numbers.size(), reference.numbers.size()); ++i) {
    if (std::isnan(device.numbers[i]) && std::isfinite(reference.numbers[i])) return true;
  }
  return false;
}

bool speaks_of_a_gpu(const std::string& text) {
  constexpr std::array words{
      "gpu",    "gpus",   "cuda",          "mps",      "xpu",    "rocm",     "hip",       "opencl",  "vulkan",  "metal",
      "tpu",    "jax",    "jaxlib",        "jnp",      "webgl",  "directml", "rtx",       "gtx",     "cudnn",   "cupy",
      "triton", "nvidia", "privateuseone", "tensorrt", "radeon", "geforce",  "cudaplace", "cuarray", "rocarray"};
  const std::string low = lower_case(text);
  const auto in_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  for (auto begin = low.begin(); begin != low.end();) {
    begin = std::find_if(begin, low.end(), in_word);
    const auto end = std::find_if_not(begin, low.end(), in_word);
    const std::string_view word(begin, end);
    const bool architecture = word.starts_with("gfx") && (word.size() == 6 || word.size() == 7) &&
                              word.find_first_not_of("0123456789", 3) == word.npos;
    if (architecture || word.starts_with("directgpu") || std::ranges::find(words, word) != words.end()) return true;
    begin = end;
  }
  return false;
}

}  // namespace envdoctor
