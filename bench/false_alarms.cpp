// How often the verifier reports a healthy device as wrong, which must never happen. Runs the kernels at their smallest
// sizes, with fresh seeds, on the installed third-party drivers and this host.
//   bench_false_alarms [SEEDS [FIRST [DEVICE [KERNEL [EFFORT]]]]]   seeds per option set and device; default 20
// DEVICE: only one of ours, or the path of another driver's library; KERNEL: one to leave out, or '-'; EFFORT:
// tiny, quick or full sizes.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

#include "kernels/core/verify.h"

namespace {

using namespace envdoctor;  // NOLINT

std::string driver_of(const char* icd) {
  std::string library;
  std::ifstream file(std::string("/etc/OpenCL/vendors/") + icd);
  std::getline(file, library);
  return library;
}

struct Count {
  std::size_t seeds = 0, rows = 0, alarms = 0, not_run = 0;
  std::string words{};

  void add(const Snapshot& snapshot, std::uint64_t seed) {
    ++seeds;
    for (const ComputeResult& row : *snapshot.compute.get()) {
      ++rows;
      const Agreement& agreement = *row.agreement.get();
      if (agreement.outcome.is("same-bits") || agreement.outcome.is("within-bound")) continue;
      ++alarms;
      words += fmt::format("  ALARM {} {} seed {}: {}\n", *row.kernel.get(), *row.precision.get(), seed,
                           agreement.pattern.get() ? *agreement.pattern.get() : *agreement.outcome.get());
    }
    for (const ComputeNotRun& row : *snapshot.compute_not_run.get()) {
      if (row.why.get()->starts_with("missing: ")) continue;
      ++not_run;
      words += fmt::format("  not run, seed {}: {}\n", seed, *row.why.get());
    }
  }
};

// Compiler options, and the kernels and types without guarantees under them, which are skipped.
struct OptionSet {
  const char* options = "";
  std::vector<std::string_view> without_kernels{};
  bool without_fp64 = false;
};
const OptionSet option_sets[] = {
    {""},
    {"-cl-opt-disable"},
    {"-cl-mad-enable"},
    {.options = "-cl-no-signed-zeros", .without_kernels = {"triad"}},
    {"-cl-std=CL1.2"},
    {.options = "-cl-denorms-are-zero", .without_fp64 = true},                      // doubles may be flushed as well
    {.options = "-cl-finite-math-only", .without_kernels = {"fp-probe", "triad"}},  // NaN and infinity are undefined
};

std::vector<kernels::Precision> precisions(bool without_fp64) {
  using enum kernels::Precision;
  if (without_fp64) return {fp16, fp32, int32, uint32, int64, uint64};
  return {};
}

// In a child, which opens the device once for all seeds.
Count count(const kernels::Target& target, const OptionSet& set, std::uint64_t first, std::uint64_t seeds,
            std::size_t guard_bytes, std::string_view without, kernels::Effort effort) {
  std::vector<const kernels::Kernel*> wanted;
  for (const kernels::Kernel& kernel : kernels::all_kernels()) {
    if (kernel.name != without && std::ranges::find(set.without_kernels, kernel.name) == set.without_kernels.end())
      wanted.push_back(&kernel);
  }
  constexpr Milliseconds patience{3'600'000};
  kernels::VerifyOptions options{.effort = effort,
                                 .precisions = precisions(set.without_fp64),
                                 .limits = {.time = patience},
                                 .build_options = set.options};
  const auto work = [&](const Channel& channel) {
    const auto device = kernels::open_device(target, {.guard_bytes = guard_bytes});
    Count all;
    for (options.seed = first; options.seed < first + seeds; ++options.seed) {
      Snapshot snapshot;
      kernels::verify_on(
          *device, wanted, options,
          {.partial_result = [&](const Snapshot& part) { snapshot = part; }, .step = [](const std::string&) {}});
      all.add(snapshot, options.seed);
    }
    channel.answer(fmt::format("{} {} {} {} {}", all.seeds, all.rows, all.alarms, all.not_run, all.words));
  };
  Count total;
  SubprocessGroup group;
  group.start(target.subject, {.time = patience}, work, [&](const Ended& ended) {
    std::istringstream answer(ended.answer);
    answer >> total.seeds >> total.rows >> total.alarms >> total.not_run;
    std::getline(answer, total.words, '\0');
    if (ended.how != Ended::How::answered || ended.status != 0)
      total.words += fmt::format("\n  ended {}: {} {}\n", ended.status, ended.why, ended.printed);
  });
  group.run(patience);
  return total;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t seeds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  setenv("RUSTICL_ENABLE", "llvmpipe", 1);
  const kernels::Target host = {.subject = "host", .backend = "host", .is_cpu = true};
  const kernels::Target pocl = {
      .subject = "pocl", .backend = "opencl", .library = driver_of("pocl.icd"), .is_cpu = true};
  const kernels::Target rusticl = {
      .subject = "rusticl", .backend = "opencl", .library = driver_of("rusticl.icd"), .is_cpu = true};
  const kernels::Target oclgrind = {
      .subject = "oclgrind", .backend = "opencl", .library = "/usr/lib/oclgrind/liboclgrind-rt-icd.so", .is_cpu = true};
  const std::string_view only = argc > 3 ? argv[3] : "", without = argc > 4 ? argv[4] : "";
  const std::string_view sizes = argc > 5 ? argv[5] : "tiny";
  const kernels::Effort effort = sizes == "full"    ? kernels::Effort::full
                                 : sizes == "quick" ? kernels::Effort::quick
                                                    : kernels::Effort::tiny;
  const bool other = only.find('/') != only.npos;
  const kernels::Target given = {
      .subject = std::string(only), .backend = "opencl", .library = std::string(only), .is_cpu = true};
  std::size_t alarms = 0, runs = 0, rows = 0;
  const auto one = [&](const kernels::Target& target, const OptionSet& set, std::uint64_t some,
                       std::size_t guard_bytes) {
    if (!only.empty() && only != target.subject) return;
    const auto start = std::chrono::steady_clock::now();
    const Count c = count(target, set, first, some, guard_bytes, without, effort);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    fmt::print("{:<9} {:<22} {:>4} seeds {:>6} results {:>3} alarms {:>3} not run {:>6.1f} s{}\n", target.subject,
               set.options, c.seeds, c.rows, c.alarms, c.not_run, took.count(), c.words);
    std::fflush(stdout);
    alarms += c.alarms;
    runs += c.seeds;
    rows += c.rows;
  };
  for (const OptionSet& set : option_sets) {
    if (other) one(given, set, seeds, 4096);
  }
  one(host, {}, seeds, 4096);
  for (const OptionSet& set : option_sets) one(pocl, set, seeds, 4096);
  one(rusticl, {}, seeds, 4096);
  one(oclgrind, {}, std::min<std::uint64_t>(seeds, 20), 0);
  fmt::print("{} runs, {} results, {} alarms\n", runs, rows, alarms);
  return alarms == 0 ? 0 : 1;
}
