#include "app/commands/kernel_runs.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "app/commands/gather.h"
#include "app/options/input_files.h"
#include "app/options/suggestions.h"
#include "app/output/output_files.h"
#include "checks/engine/report.h"
#include "evidence/merge.h"
#include "kernels/bench/bench.h"
#include "knowledge/codes/names.h"
#include "knowledge/lower_case.h"
#include "probe/redaction/redact.h"

namespace envdoctor {
namespace {

bool fits(const kernels::Target& target, const std::string& name) {
  if (name == "gpu") return !target.is_cpu;
  if (name == "cpu") return target.is_cpu && target.backend != "host";
  if (name == "host") return target.backend == "host";
  return lower_case(target.subject).find(lower_case(name)) != std::string::npos ||
         (!target.gpu.empty() && "gpu:" + target.gpu == name);
}

std::uint64_t drawn_seed() {
  std::uint32_t seed = 1;
  if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed)) seed = static_cast<std::uint32_t>(getpid());
  return seed;
}

std::vector<kernels::Precision> precisions(const std::vector<std::string>& names) {
  using kernels::Precision;
  const auto all = {Precision::fp16,  Precision::bf16,   Precision::tf32,  Precision::fp32,  Precision::fp64,
                    Precision::int32, Precision::uint32, Precision::int64, Precision::uint64};
  std::vector<Precision> out;
  for (const std::string& name : names) {
    const auto* found = std::ranges::find(all, name, [](Precision p) { return kernels::text(p); });
    if (found == all.end())
      throw UsageError(fmt::format(
          "--precision {}: no such precision. Precisions: fp16, bf16, tf32, fp32, fp64, int32, uint32, int64, uint64",
          name));
    out.push_back(*found);
  }
  return out;
}

}  // namespace

std::vector<std::string> kernel_names() { return names_in(kernels::all_kernels()); }

std::vector<std::string> timed_kernel_names() {
  std::vector<std::string> names;
  for (const kernels::TimedProblem& problem : kernels::timed_problems()) {
    if (std::ranges::find(names, problem.kernel) == names.end()) names.emplace_back(problem.kernel);
  }
  return names;
}

void check_kernels(const std::vector<std::string>& names, const std::vector<std::string>& known) {
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) == known.end())
      throw UsageError(fmt::format("--kernel {}: no such kernel{}. Kernels: {}", name, did_you_mean(name, known),
                                   fmt::join(known, ", ")));
  }
}

void declare_problems(Arguments& arguments, VerifyWishes& wishes) {
  arguments.option("--kernel", wishes.kernels, "only these kernels", {.shown = "NAME[,NAME]", .with_commas = true});
  arguments.option("--device", wishes.devices, "only devices whose name contains this; or gpu, cpu, host",
                   {.shown = "DEVICE"});
  arguments.option("--precision", wishes.precisions, "only these precisions, such as fp32,int32",
                   {.shown = "P[,P]", .with_commas = true});
  arguments.option("--size", wishes.size, "this size instead of each kernel's own",
                   {.shown = "N", .between = {1, 1 << 30}});
  arguments.option("--seed", wishes.seed, "seed of the inputs, to repeat an earlier run",
                   {.shown = "SEED", .between = {0, std::int64_t{1} << 53}});
}

kernels::VerifyOptions verify_options(const Options& options) {
  const VerifyWishes& wishes = options.verify;
  kernels::VerifyOptions how{.effort = options.quick ? kernels::Effort::quick : kernels::Effort::full,
                             .kernels = wishes.kernels,
                             .precisions = precisions(wishes.precisions),
                             .size = wishes.size,
                             .repeat = static_cast<int>(wishes.repeat),
                             .seed = wishes.seed ? static_cast<std::uint64_t>(*wishes.seed) : drawn_seed(),
                             .whole = time_left(options),
                             .code_name = knowledge::code_name};
  if (isatty(STDERR_FILENO)) how.progress = show_progress;
  return how;
}

std::vector<kernels::Target> wanted_targets(const Snapshot& snapshot, const std::vector<std::string>& names) {
  // If the user installed layers between programs and drivers, the kernels must run through those layers too.
  const char* layers = std::getenv("OPENCL_LAYERS");
  const std::string loader = layers && *layers ? snapshot.opencl.or_empty().loader.or_empty().path.or_empty() : "";
  return wanted_of(kernels::targets_of(snapshot, loader), names);
}

std::vector<kernels::Target> wanted_of(const std::vector<kernels::Target>& all, const std::vector<std::string>& names) {
  if (names.empty()) return all;
  std::vector<kernels::Target> wanted;
  for (const std::string& name : names) {
    const auto fitting = [&](const kernels::Target& target) { return fits(target, name); };
    if (std::ranges::none_of(all, fitting)) {
      std::vector<std::string> subjects;
      for (const kernels::Target& target : all) subjects.push_back(target.subject);
      throw UsageError(fmt::format("--device {}: no such device. Devices: {}", name, fmt::join(subjects, "; ")));
    }
  }
  std::ranges::copy_if(all, std::back_inserter(wanted), [&](const kernels::Target& target) {
    return std::ranges::any_of(names, [&](const std::string& name) { return fits(target, name); });
  });
  return wanted;
}

void add_compute(Snapshot& snapshot, const std::vector<kernels::Target>& targets, const kernels::VerifyOptions& options,
                 Insist insist, const ComputeWork& work) {
  using Use = kernels::Occupancy::Use;
  std::vector<kernels::Target> free;
  std::vector<ComputeNotRun> busy;
  for (const kernels::Target& target : targets) {
    const kernels::Occupancy occupancy = kernels::occupancy_of(target, snapshot);
    const bool runs = insist == Insist::yes || occupancy.use == Use::free ||
                      (insist == Insist::unless_busy && occupancy.use == Use::unknown);
    if (runs)
      free.push_back(target);
    else
      busy.push_back(
          {.device = target.subject,
           .why = fmt::format("busy: {}; 'envdoctor {} --device' runs anyway", occupancy.why, work.command)});
  }
  Snapshot computed = work.run(free, options);
  std::ranges::move(busy, std::back_inserter(*computed.compute_not_run.get()));
  std::ranges::copy(snapshot.compute_not_run.or_empty(), std::back_inserter(*computed.compute_not_run.get()));
  snapshot.compute_not_run = {};
  fill_in(snapshot, computed);
  if (options.progress) print_message("\r\033[K");
}

Snapshot gather_and_compute(const Options& options) {
  Snapshot snapshot = gather_here(options);
  if (options.quick || !is_wanted(options.only, options.skip, "compute.wrong-results")) return snapshot;
  kernels::VerifyOptions how = verify_options(options);
  how.effort = kernels::Effort::quick;
  how.seed = 1;                            // two checks of one machine agree
  how.limits.time = Milliseconds(20'000);  // a child's, which compiles everything where caches are cold
  how.whole = std::min(how.whole, Milliseconds(30'000));
  add_compute(snapshot, wanted_targets(snapshot, {}), how, Insist::no);
  if (options.redact) redact(snapshot, identity_of(environment()));
  return snapshot;
}

}  // namespace envdoctor
