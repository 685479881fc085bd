// The roster of what is timed.
#include "kernels/bench.h"

namespace envdoctor::kernels {

extern const Kernel launch, fma_peak;

const std::vector<Kernel>& timed_kernels() {
  static const std::vector<Kernel> kernels = [] {
    std::vector<Kernel> list = {launch, {.name = "copy"}, fma_peak};
    for (const Kernel& kernel : all_kernels()) list.push_back(kernel);
    return list;
  }();
  return kernels;
}

const std::vector<TimedProblem>& timed_problems() {
  using enum Precision;
  static constexpr std::int64_t small = 1 << 22, large = 1 << 24;
  static const std::vector<TimedProblem> problems = [] {
    std::vector<TimedProblem> list = {
        {"launch", uint32, {{"items", 1}}, true},
        {"copy", uint32, {{"bytes", 32 << 20}}, true},
        {"triad", fp32, {{"n", 3 << 20}}, true},
        {"triad", fp32, {{"n", large}}},
        {"triad", fp64, {{"n", small}}},
        {"reduce", fp32, {{"n", small}}, true},
        {"reduce", fp32, {{"n", large}}},
        // 20 ms on two cores: in shorter runs, waking the threads counts.
        {"fma-peak", fp32, {{"n", 1 << 20}, {"rounds", 1280}}, true},
        {"fma-peak", fp64, {{"n", 1 << 20}, {"rounds", 128}}},
        {"fma-peak", fp16, {{"n", 1 << 20}, {"rounds", 256}}},
        {"gemm", fp32, {{"k", 512}, {"m", 512}, {"n", 512}}, true, true},
        {"gemm", fp64, {{"k", 512}, {"m", 512}, {"n", 512}}},
        {"gemm", fp16, {{"k", 512}, {"m", 512}, {"n", 512}}},
        {"gemv", fp32, {{"k", 4096}, {"m", 4096}}},
        {"lstm", fp32, {{"hidden", 256}, {"inputs", 256}, {"steps", 1}}, true, true},
        {"dot", fp32, {{"k", 65536}, {"rows", 64}}},
        {"map", fp32, {{"n", 1 << 16}}},
        {"conv2d",
         fp32,
         {{"batch", 1},
          {"channels", 64},
          {"filters", 64},
          {"groups", 1},
          {"height", 56},
          {"pad", 1},
          {"stride", 1},
          {"width", 56}}},
        {"scan", int32, {{"n", 1 << 20}}},
        {"softmax", fp32, {{"n", 1000}, {"rows", 1024}}},
        {"layernorm", fp32, {{"n", 768}, {"rows", 1024}}},
        {"fft-butterfly", fp32, {{"n", 1024}, {"transforms", 1024}}},
        {"stencil", fp32, {{"height", 1024}, {"steps", 8}, {"width", 1024}}},
        {"sort", uint32, {{"n", 65536}}},
        {"histogram", uint32, {{"n", 1 << 21}}},
        {"hash-chain", uint32, {{"items", 1 << 14}, {"rounds", 4096}}},
    };
    for (std::int64_t n = 16; n <= 1024; n *= 2) {
      if (n != 256) list.push_back({"lstm", fp32, {{"hidden", n}, {"inputs", n}, {"steps", 1}}, false, true});
      if (n != 512) list.push_back({"gemm", fp32, {{"k", n}, {"m", n}, {"n", n}}, false, true});
    }
    for (std::int64_t batch = 1; batch <= 256; batch *= 4)
      list.push_back({"gemm", fp32, {{"k", 1024}, {"m", batch}, {"n", 1024}}, false, true});
    return list;
  }();
  return problems;
}

std::vector<int> sent_anew(std::string_view kernel, const Sizes& size) {
  if (kernel == "lstm") return {2};
  if (kernel == "gemm" && size.at("m") == size.at("k")) return {0, 1};
  return {0};
}

std::optional<Rate> rate_of(std::string_view kernel, Precision precision) {
  if (kernel == "launch") return std::nullopt;
  if (kernel == "map") return Rate::gigaops;  // functions evaluated
  for (const char* arithmetic : {"fma-peak", "gemm", "conv2d", "fft-butterfly", "hash-chain"}) {
    if (kernel == arithmetic) return is_floating(precision) ? Rate::gigaflops : Rate::gigaops;
  }
  return Rate::gigabytes;
}

}  // namespace envdoctor::kernels
