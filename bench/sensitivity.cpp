// The smallest relative fault in one output element that each kernel detects: on the host, where every launch
// multiplies one random element of an output by 1 + 2^-b.
//   bench_sensitivity [PLACES [SEED]]     places drawn for each kernel and precision; default 8
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "kernels/core/problem_run.h"
#include "kernels/core/random.h"

namespace {

using namespace envdoctor;           // NOLINT
using namespace envdoctor::kernels;  // NOLINT

constexpr int most_bits = 56;

// Whether the fault is detected in the element that `place` selects among those that aren't zero.
bool is_seen(const Kernel& kernel, const Problem& problem, std::size_t output, std::uint64_t place, int bits) {
  const Plan plan = kernel.plan(problem, Variant::host, Capabilities{.fp64 = true});
  const int buffer = plan.outputs.at(output);
  std::size_t calls = 0;        // one for each buffer after each step
  std::size_t first_count = 0;  // of the output as it is asked for: a place stays where it is when more rows are run
  const Fault fault = [&](const Step&, int index, std::span<std::byte> bytes) {
    const std::size_t step = calls++ / plan.buffers.size() % plan.steps.size();
    if (index != buffer || step + 1 != plan.steps.size()) return;
    Array array(problem.precision, bytes.size() / size_of(problem.precision));
    std::ranges::copy(bytes, array.bytes.begin());
    if (first_count == 0) first_count = array.count();
    std::size_t at = place % first_count;
    for (std::size_t tried = 0; tried < array.count() && (array.value(at) == 0 || !std::isfinite(array.value(at)));
         ++tried)
      at = (at + 1) % array.count();
    array.set(at, array.value(at) * (1 + std::ldexp(1.0, -bits)));
    std::ranges::copy(array.bytes, bytes.begin());
  };
  const auto device = open_host({}, fault);
  device->build({&kernel}, "");
  return !run_problem(*device, kernel, problem, Variant::host, 3, [](const std::string&) {}).right();
}

// The largest b at which it is still detected, in steps of a half.
int finest(const Kernel& kernel, const Problem& problem, std::size_t output, std::uint64_t place) {
  int seen = 0, unseen = std::min(most_bits, significand_bits(problem.precision) + 1);
  while (unseen - seen > 1) {
    const int middle = (seen + unseen) / 2;
    (is_seen(kernel, problem, output, place, middle) ? seen : unseen) = middle;
  }
  return seen;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t places = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 8;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  fmt::print("kernel, precision: seen in every place, in half of them\n");
  for (const Kernel& kernel : all_kernels()) {
    for (const Precision precision : kernel.precisions) {
      if (!is_floating(precision) || precision == Precision::fp16) continue;  // integers are compared bit by bit
      const Problem problem{
          .precision = precision, .size = kernel.sizes(precision, Effort::quick).back(), .seed = seed};
      std::vector<int> bits;
      for (std::uint64_t i = 0; i < places; ++i) bits.push_back(finest(kernel, problem, 0, random_bits(seed, 99, i)));
      std::ranges::sort(bits);
      fmt::print("{:<14} {} 2^-{} 2^-{}\n", kernel.name, text(precision), bits.front(), bits[bits.size() / 2]);
      std::fflush(stdout);
    }
  }
}
