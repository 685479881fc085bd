#include <fmt/format.h>
#include <sys/random.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/commands.h"
#include "app/compute.h"
#include "app/gather.h"
#include "app/names.h"
#include "app/reporting.h"

namespace envdoctor {
namespace {

void declare(CLI::App& app, Options& options) {
  VerifyWishes& wishes = options.verify;
  app.add_option("--kernel", wishes.kernels, "only these kernels")->delimiter(',')->option_text("NAME[,NAME]");
  app.add_option("--device", wishes.devices,
                 "only devices whose name holds this, as the report names them; gpu; cpu; host")
      ->option_text("DEVICE");
  app.add_option("--precision", wishes.precisions, "only fp16, fp32, fp64, int32, ...")
      ->delimiter(',')
      ->option_text("P[,P]");
  app.add_option("--size", wishes.size, "this size instead of each kernel's own")
      ->check(CLI::Range(1, 1 << 30))
      ->option_text("N");
  app.add_option("--repeat", wishes.repeat, "runs of each problem, compared bit by bit; 3 unless told")
      ->check(CLI::Range(1, 1000))
      ->option_text("TIMES");
  app.add_option("--seed", wishes.seed, "inputs of an earlier run; a new one is drawn unless told")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 53))
      ->option_text("SEED");
}

void check_kernels(const std::vector<std::string>& names) {
  const std::vector<std::string> known = kernel_names();
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) == known.end())
      throw UsageError(fmt::format("--kernel {}: no such kernel{}. There are: {}", name, did_you_mean(name, known),
                                   fmt::join(known, ", ")));
  }
}

int verify(const Options& options) {
  check_kernels(options.verify.kernels);
  kernels::VerifyOptions how = verify_options(options);
  Snapshot snapshot = gather_here(options, {"opencl", "nvidia", "cpu", "host", "env"});
  const std::vector<kernels::Target> targets = wanted_targets(snapshot, options.verify.devices);
  add_compute(snapshot, targets, how, options.verify.devices.empty() ? Insist::unless_busy : Insist::yes);
  JudgeOptions judged = judge_options(options, false);
  judged.of_devices = true;
  judged.host_asked = !options.verify.devices.empty();
  const Report report = judge(snapshot, judged);
  write_reports(report, options);
  return exit_status(report, options.fail_on);
}

}  // namespace

const Command verify_command = {"verify", "whether devices compute what the CPU computes", declare, verify};

}  // namespace envdoctor
