// How often the verifier calls a sound device wrong: must be never. Runs the kernels at their smallest sizes, with
// fresh seeds, on the installed third-party drivers and this host.
//   bench_false_alarms [SEEDS [FIRST]]     seeds per option set and device; 20 unless told
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "kernels/verify.h"

namespace {

using namespace envdoctor;  // NOLINT

std::string driver_of(const char* icd) {
  std::string library;
  std::ifstream file(std::string("/etc/OpenCL/vendors/") + icd);
  std::getline(file, library);
  return library;
}

struct Count {
  std::size_t rows = 0, alarms = 0, not_run = 0;
};

Count count(const kernels::Target& target, const char* options, std::uint64_t first, std::uint64_t seeds,
            std::size_t guard_bytes) {
  Count all;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const Snapshot snapshot = kernels::verify({target}, {.effort = kernels::Effort::tiny,
                                                         .seed = seed,
                                                         .limits = {.time = Milliseconds(120'000)},
                                                         .whole = Milliseconds(3'600'000),
                                                         .build_options = options,
                                                         .guard_bytes = guard_bytes});
    for (const ComputeResult& row : *snapshot.compute.get()) {
      ++all.rows;
      const Agreement& agreement = *row.agreement.get();
      if (agreement.outcome.is("same-bits") || agreement.outcome.is("within-bound")) continue;
      ++all.alarms;
      fmt::print("  ALARM {} {} seed {}: {}\n", *row.kernel.get(), *row.precision.get(), seed,
                 agreement.pattern.get() ? *agreement.pattern.get() : "");
    }
    for (const ComputeNotRun& row : *snapshot.compute_not_run.get()) {
      if (row.why.get()->starts_with("missing: ")) continue;
      ++all.not_run;
      fmt::print("  not run, seed {}: {}\n", seed, *row.why.get());
    }
  }
  return all;
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
  std::size_t alarms = 0, runs = 0;
  const auto one = [&](const kernels::Target& target, const char* options, std::uint64_t some,
                       std::size_t guard_bytes) {
    const Count c = count(target, options, first, some, guard_bytes);
    fmt::print("{:<9} {:<24} {:>4} seeds {:>6} results {:>3} alarms {:>3} not run\n", target.subject, options, some,
               c.rows, c.alarms, c.not_run);
    std::fflush(stdout);
    alarms += c.alarms;
    runs += some;
  };
  one(host, "", seeds, 4096);
  for (const char* options : {"", "-cl-opt-disable", "-cl-mad-enable", "-cl-no-signed-zeros", "-cl-denorms-are-zero",
                              "-cl-finite-math-only", "-cl-std=CL1.2"})
    one(pocl, options, seeds, 4096);
  one(rusticl, "", seeds, 4096);
  one(oclgrind, "", std::min<std::uint64_t>(seeds, 20), 0);
  fmt::print("{} runs, {} alarms\n", runs, alarms);
  return alarms == 0 ? 0 : 1;
}
