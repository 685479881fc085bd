#include "probe/tools/compared_values.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <unordered_map>

#include "host/text.h"
#include "knowledge/lower_case.h"

namespace envdoctor::compared {
namespace {

constexpr std::size_t longest_label = 400;

// What a word of a label says.
enum Saying : unsigned {
  a_device = 1,
  maybe_a_device = 2,  // "device" and "got" may be said of anything
  a_reference = 4,
  nothing = 8,  // of what the value is
  a_result = 16,
  products = 32,
  other_value = 64,  // the value is no result of a calculation: two sides may differ in it
  plain_value = 128
};

unsigned said_by(std::string_view word) {
  static const auto& all = *new std::unordered_map<std::string_view, unsigned>([] {
    std::unordered_map<std::string_view, unsigned> sayings;
    const auto add = [&](Saying saying, std::initializer_list<std::string_view> words) {
      for (const std::string_view one : words) sayings[one] |= saying;
    };
    add(a_device, {"gpu",    "cuda",  "mps",    "xpu",  "npu",      "hip", "rocm", "opencl",   "vulkan", "metal",
                   "triton", "cudnn", "cublas", "cupy", "tensorrt", "trt", "sycl", "directml", "dml",    "webgpu"});
    add(maybe_a_device, {"device", "kernel", "got", "actual", "computed", "compiled", "inductor"});
    add(a_reference, {"cpu", "host", "numpy", "np", "ref", "reference", "expected", "correct", "golden", "gold",
                      "truth", "desired", "scipy", "exact", "eager", "fp64", "float64"});
    add(nothing,
        {"on",   "the",    "of",      "in",     "with",    "using", "from",   "print",  "for",   "by", "is",  "are",
         "at",   "result", "results", "output", "outputs", "value", "values", "tensor", "array", "to", "and", "detach",
         "item", "tolist", "float",   "astype", "asnumpy", "get",   "torch",  "tf",     "jnp",   "cp"});
    add(a_result, {"result", "results", "output", "outputs", "sum", "answer", "checksum"});
    add(products, {"matmul", "mm", "bmm", "dot", "einsum", "linear", "gemm", "model", "net", "lstm", "gru"});
    add(plain_value, {"sum", "mean", "var", "std", "exp", "log", "sqrt", "cumsum", "prod", "round", "floor", "sort",
                      "argmax", "softmax"});
    add(other_value,
        {"time",       "times",       "timing",    "ms",          "us",        "sec",        "secs",       "second",
         "seconds",    "elapsed",     "took",      "duration",    "memory",    "mem",        "ram",        "usage",
         "util",       "load",        "speed",     "speedup",     "rate",      "fps",        "throughput", "bandwidth",
         "clock",      "temp",        "power",     "core",        "cores",     "thread",     "threads",    "count",
         "num",        "number",      "index",     "idx",         "size",      "shape",      "version",    "id",
         "rank",       "driver",      "used",      "free",        "limit",     "bytes",      "mb",         "gb",
         "mib",        "gib",         "peak",      "step",        "steps",     "epoch",      "epochs",     "batch",
         "gflops",     "tflops",      "flops",     "layers",      "devices",   "gpus",       "cpus",       "model",
         "latency",    "ratio",       "frequency", "performance", "score",     "benchmark",  "loss",       "acc",
         "accuracy",   "argument",    "arguments", "channels",    "dimension", "dimensions", "dim",        "dims",
         "args",       "utilization", "available", "visible",     "iteration", "iterations", "allocated",  "reserved",
         "name",       "type",        "error",     "err",         "diff",      "difference", "tolerance",  "seed",
         "width",      "height",      "total",     "length",      "percent",   "bits",       "pid",        "port",
         "capability", "weight",      "bus"});
    return sayings;
  }());
  const auto found = all.find(word);
  return found == all.end() ? 0 : found->second;
}

}  // namespace

Label label_of(std::string_view text) {
  Label label;
  const std::string small = lower_case(text.substr(0, longest_label));
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = 0; at < small.size();) {
    if (!is_letter(small[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < small.size() && is_letter(small[at])) ++at;
    const std::string_view word = std::string_view(small).substr(begin, at - begin);
    ++label.words;
    const unsigned said = said_by(word);
    const bool sure = (said & a_device) != 0, device = sure || (said & maybe_a_device) != 0;
    if (device || (said & a_reference) != 0) {
      const Side side = device ? Side::device : Side::reference;
      if (at < small.size() && small[at] == ':')  // "cuda:0": its number is no part of what is computed
        at = std::min(small.find_first_not_of("0123456789", at + 1), small.size());
      // "(a.cuda() @ b.cuda()).cpu()" is the device's.
      const bool fetched = word == "cpu" && small.substr(at).starts_with("()");
      if (fetched && label.side == Side::device) continue;
      label.side = label.side == Side::none || label.side == side ? side : Side::both;
      label.surely = label.surely || sure || word == "cpu" || word == "numpy";
      if (sure && label.device.empty()) label.device = std::string(word);
      continue;
    }
    label.result = label.result || (said & a_result) != 0;
    label.products = label.products || (said & products) != 0 || word.starts_with("conv");
    label.plain = label.plain || (said & plain_value) != 0;
    label.other = label.other || (said & other_value) != 0;
    if ((said & nothing) == 0) label.subject += std::string(word) + " ";
  }
  return label;
}

namespace {

// "12.5 ms", "3.4x", "85%": a measurement, or a count of something.
bool has_unit(std::string_view rest) {
  rest = rest.substr(0, 16);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (rest.starts_with('%')) return true;
  if (rest.empty() || !std::isalpha(static_cast<unsigned char>(rest[0]))) return false;
  const std::size_t end =
      std::min(rest.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"), rest.size());
  // A word that is a label itself follows: "cpu 0.5 gpu 0.6".
  const std::string_view word = rest.substr(0, end);
  return label_of(word).side == Side::none && word != "and" && word != "vs" && word != "but";
}

}  // namespace

std::optional<Entry> value_at(std::string_view text, std::size_t& at) {
  static const RE2 maker(R"((?:tensor|array|Array|tf\.Tensor|torch\.tensor|cupy\.array|np\.float32|np\.float64)\()");
  re2::StringPiece rest(text.data() + at, text.size() - at);
  if (rest.starts_with("(tensor(") || rest.starts_with("(array(")) rest.remove_prefix(1);  // of a tuple
  const bool made = RE2::Consume(&rest, maker);
  std::size_t begin = text.size() - rest.size();
  while (begin < text.size() && (text[begin] == ' ' || text[begin] == '\t')) ++begin;
  if (begin >= text.size()) return std::nullopt;
  const bool brackets = text[begin] == '[' || text[begin] == '{';
  if (text[begin] == '{') ++begin;
  const std::size_t line_end = std::min(text.find('\n', begin), text.size());
  std::size_t end = begin;
  auto array = number_array_at(brackets || made ? text : text.substr(0, line_end), end);
  if (!array || (!brackets && !made && !array->shape.empty() && array->shape.find('[') != std::string::npos))
    return std::nullopt;
  Entry entry{.array = std::move(*array)};
  const std::string_view first = text.substr(begin, end - begin);
  entry.fractions = contains(first, ".") || contains(first, "e-");
  for (const char c : first.substr(0, first.find_first_of(", \n]")))
    entry.digits += std::isdigit(static_cast<unsigned char>(c)) ? 1 : 0;
  at = end;
  if (made) {
    static const RE2 device(R"(^[^)]*device='((?:cuda|mps|xpu|hip)(?::[0-9]+)?)')");
    RE2::PartialMatch(re2::StringPiece(text.data() + at, text.size() - at), device, &entry.device);
  }
  const std::size_t behind = text.find_last_not_of(" \t", end - 1) + 1;
  if (!brackets && !made && text[behind - 1] != ',' && has_unit(text.substr(end, line_end - std::min(end, line_end))))
    return std::nullopt;
  return entry;
}

void name_side(Entry& entry, std::string_view statement) {
  entry.label = label_of(statement);
  if (!entry.device.empty()) {
    entry.label.side = Side::device;
    entry.label.surely = true;
    entry.label.device = entry.device.substr(0, entry.device.find(':'));
  } else if (entry.label.side == Side::none) {
    entry.label.side = Side::reference;
    entry.assumed = true;
  }
}

bool starts_array(std::string_view line) {
  static const RE2 form(
      R"(^[\s>|#]{0,12}(?:\(?tensor\(|\(?array\(|Array\(|tf\.Tensor\(|<tf\.Tensor[^\[]*\[|\[|\{)?[\[{ ]{0,6}(?:-?[0-9]|-?inf\b|-?nan\b|\[(?:True|False)))");
  return RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), form);
}

}  // namespace envdoctor::compared
