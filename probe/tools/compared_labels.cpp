#include "probe/tools/compared_values.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>

#include "host/text.h"
#include "knowledge/lower_case.h"

namespace envdoctor::compared {
namespace {

constexpr std::size_t longest_label = 400;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

bool names_device(std::string_view word) {
  return is_one_of(word,
                   {"gpu",    "cuda",  "mps",    "xpu",  "npu",      "hip", "rocm", "opencl",   "vulkan", "metal",
                    "triton", "cudnn", "cublas", "cupy", "tensorrt", "trt", "sycl", "directml", "dml",    "webgpu"});
}

// "device" and "got" may be said of anything.
bool may_be_device(std::string_view word) {
  return is_one_of(word, {"device", "kernel", "got", "actual", "computed", "compiled", "inductor"});
}

bool names_reference(std::string_view word) {
  return is_one_of(word, {"cpu", "host", "numpy", "np", "ref", "reference", "expected", "correct", "golden", "gold",
                          "truth", "desired", "scipy", "exact", "eager", "fp64", "float64"});
}

// Words of a label that don't say what the value is.
bool says_nothing(std::string_view word) {
  return is_one_of(word, {"on",     "the",     "of",    "in",    "with",   "using",   "from",   "print",   "for",
                          "by",     "is",      "are",   "at",    "result", "results", "output", "outputs", "value",
                          "values", "tensor",  "array", "to",    "and",    "detach",  "item",   "tolist",  "float",
                          "astype", "asnumpy", "get",   "torch", "tf",     "jnp",     "cp"});
}

bool says_result(std::string_view word) {
  return is_one_of(word, {"result", "results", "output", "outputs", "sum", "answer", "checksum"});
}

bool says_products(std::string_view word) {
  return is_one_of(word, {"matmul", "mm", "bmm", "dot", "einsum", "linear", "gemm", "model", "net", "lstm", "gru"}) ||
         word.starts_with("conv");
}

// Of a label with such a word the value is no result of a calculation: two sides may differ in it.
bool says_other(std::string_view word) {
  return is_one_of(
      word,
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
    const bool sure = names_device(word), device = sure || may_be_device(word);
    if (device || names_reference(word)) {
      const Side side = device ? Side::device : Side::reference;
      // "(a.cuda() @ b.cuda()).cpu()" is the device's.
      const bool fetched = word == "cpu" && small.substr(at).starts_with("()");
      if (fetched && label.side == Side::device) continue;
      label.side = label.side == Side::none || label.side == side ? side : Side::both;
      label.surely = label.surely || sure || word == "cpu" || word == "numpy";
      if (sure && label.device.empty()) label.device = std::string(word);
      continue;
    }
    label.result = label.result || says_result(word);
    label.products = label.products || says_products(word);
    label.plain = label.plain || is_one_of(word, {"sum", "mean", "var", "std", "exp", "log", "sqrt", "cumsum", "prod",
                                                  "round", "floor", "sort", "argmax", "softmax"});
    label.other = label.other || says_other(word);
    if (!says_nothing(word)) label.subject += std::string(word) + " ";
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
  return label_of(rest.substr(0, end)).side == Side::none && !is_one_of(rest.substr(0, end), {"and", "vs", "but"});
}

}  // namespace

std::optional<Entry> value_at(std::string_view text, std::size_t& at) {
  static const RE2 maker(R"((?:tensor|array|Array|tf\.Tensor|torch\.tensor|cupy\.array|np\.float32|np\.float64)\()");
  re2::StringPiece rest(text.data() + at, text.size() - at);
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
    static const RE2 device(R"(^[^)]{0,40}device='((?:cuda|mps|xpu|hip)(?::[0-9]+)?)')");
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
      R"(^[\s>|#]{0,12}(?:tensor\(|array\(|Array\(|tf\.Tensor\(|<tf\.Tensor[^\[]{0,80}\[|\[|\{)?[\[{ ]{0,6}(?:-?[0-9]|-?inf\b|-?nan\b))");
  return RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), form);
}

}  // namespace envdoctor::compared
