#include "probe/compared/compared_values.h"

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
  plain_value = 128,
  a_framework = 256,  // a device beside NumPy, a reference beside a GPU or a compiler
  narrow = 512,       // half precision is named
  wide = 1024         // single precision is named
};

unsigned said_by(std::string_view word) {
  static const auto& all = *new std::unordered_map<std::string_view, unsigned>([] {
    std::unordered_map<std::string_view, unsigned> sayings;
    const auto add = [&](Saying saying, std::initializer_list<std::string_view> words) {
      for (const std::string_view one : words) sayings[one] |= saying;
    };
    add(a_device,
        {"gpu",      "cuda",   "mps",       "xpu",    "npu",           "hip",      "rocm",        "opencl", "vulkan",
         "metal",    "triton", "cudnn",     "cublas", "cupy",          "tensorrt", "trt",         "sycl",   "directml",
         "dml",      "webgpu", "tpu",       "webgl",  "privateuseone", "xla",      "onnxruntime", "ort",    "rocblas",
         "cublaslt", "miopen", "hipblaslt", "coreml", "ane",           "wgpu"});
    add(maybe_a_device, {"device", "kernel", "got", "actual", "compiled", "inductor", "jit", "jitted", "onnx", "my",
                         "mine", "fused", "flash"});
    add(a_framework, {"computed", "torch", "pytorch", "tf", "tensorflow", "keras", "jax", "jnp", "paddle", "mxnet",
                      "mx", "mlx", "cp"});
    add(narrow, {"fp16", "float16", "half", "bf16", "bfloat16", "amp", "autocast", "int8", "tf32"});
    add(wide, {"fp32", "float32", "f32", "single", "highest", "fp64", "float64", "double"});
    add(a_reference, {"cpu", "host", "numpy", "np", "ref", "reference", "expected", "correct", "golden", "gold",
                      "truth", "desired", "scipy", "exact", "eager"});
    add(nothing,
        {"on",    "the",   "of",         "in",     "with",    "using",  "from",     "print",  "for",     "by",
         "is",    "are",   "at",         "result", "results", "output", "outputs",  "value",  "values",  "tensor",
         "array", "to",    "and",        "detach", "item",    "tolist", "float",    "astype", "asnumpy", "get",
         "out",   "print", "calculated", "stream", "its",     "infer",  "inference"});
    add(a_result, {"result", "results", "output", "outputs", "sum", "answer", "checksum"});
    add(products, {"matmul", "mm", "bmm", "dot", "einsum", "linear", "gemm", "model", "net", "lstm", "gru"});
    add(plain_value, {"sum", "mean", "var", "std", "exp", "log", "sqrt", "cumsum", "prod", "round", "floor", "sort",
                      "argmax", "softmax"});
    add(other_value,
        {"time",      "times",    "timing",      "ms",          "us",        "sec",         "secs",       "second",
         "seconds",   "elapsed",  "took",        "duration",    "memory",    "mem",         "ram",        "usage",
         "util",      "load",     "speed",       "speedup",     "rate",      "fps",         "throughput", "bandwidth",
         "clock",     "boost",    "turbo",       "temp",        "power",     "core",        "cores",      "thread",
         "threads",   "count",    "num",         "number",      "index",     "idx",         "size",       "shape",
         "version",   "id",       "rank",        "driver",      "used",      "free",        "limit",      "bytes",
         "mb",        "gb",       "mib",         "gib",         "peak",      "step",        "steps",      "epoch",
         "epochs",    "batch",    "gflops",      "tflops",      "flops",     "layers",      "devices",    "gpus",
         "cpus",      "model",    "latency",     "ratio",       "frequency", "performance", "score",      "benchmark",
         "loss",      "acc",      "accuracy",    "argument",    "arguments", "channels",    "dimension",  "dimensions",
         "dim",       "dims",     "args",        "utilization", "available", "visible",     "iteration",  "iterations",
         "allocated", "reserved", "name",        "type",        "error",     "err",         "diff",       "difference",
         "dif",       "diffs",    "differences", "errors",      "rmse",      "tolerance",   "seed",       "width",
         "height",    "total",    "length",      "percent",     "bits",      "pid",         "port",       "capability",
         "weight",    "bus",      "major",       "minor",       "ghz",       "mhz"});
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
  Side framework = Side::none, precision = Side::none;
  bool versus = false;  // the value is a difference of the two that are named
  const auto widen = [](Side& into, Side side) { into = into == Side::none || into == side ? side : Side::both; };
  for (std::size_t at = 0; at < small.size();) {
    if (!is_letter(small[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < small.size() && is_letter(small[at])) ++at;
    const std::string_view word = std::string_view(small).substr(begin, at - begin);
    ++label.words;
    versus = versus || word == "vs" || word == "versus";
    const unsigned said = said_by(word);
    const bool sure = (said & a_device) != 0, device = sure || (said & maybe_a_device) != 0;
    if (word == "device" && small.substr(at).starts_with('=')) continue;  // an argument
    if (device || (said & a_reference) != 0) {
      const Side side = device ? Side::device : Side::reference;
      if (at < small.size() && small[at] == ':')  // "cuda:0": its number is no part of what is computed
        at = std::min(small.find_first_not_of("0123456789", at + 1), small.size());
      // "(a.cuda() @ b.cuda()).cpu()" is the device's.
      const bool fetched = word == "cpu" && small.substr(at).starts_with("()");
      if (fetched && label.side == Side::device) continue;
      widen(label.side, side);
      label.surely = label.surely || sure || word == "cpu" || word == "numpy";
      if (sure && label.device.empty()) label.device = std::string(word);
      continue;
    }
    if ((said & a_framework) != 0) {
      widen(framework, Side::framework);
      continue;
    }
    if ((said & (narrow | wide)) != 0) {
      widen(precision, (said & narrow) != 0 ? Side::device : Side::reference);
      label.precision = true;
      continue;
    }
    label.result = label.result || (said & a_result) != 0;
    label.products = label.products || (said & products) != 0 || word.starts_with("conv");
    label.plain = label.plain || (said & plain_value) != 0;
    label.other = label.other || (said & other_value) != 0 || word.ends_with("clockrate");
    if ((said & nothing) == 0) label.subject += std::string(word) + " ";
  }
  if (versus) label.side = Side::both;
  if (label.side == Side::none) label.side = precision;
  if (label.side == Side::none) label.side = framework;
  return label;
}

}  // namespace envdoctor::compared
