#include <CLI/CLI.hpp>

#include "app/commands.h"
#include "app/compute.h"
#include "app/environment.h"
#include "app/framework_targets.h"
#include "app/gather.h"
#include "app/reporting.h"
#include "probe/redact.h"

namespace envdoctor {
namespace {

void declare(CLI::App& app, Options& options) {
  VerifyWishes& wishes = options.verify;
  declare_problems(app, wishes);
  app.add_option("--framework", wishes.framework,
                 "through the operations of TensorFlow, PyTorch and JAX themselves, or of one of them")
      ->expected(0, 1)
      ->check(CLI::IsMember(framework_names()))
      ->option_text("[NAME]");
  app.add_option("--repeat", wishes.repeat, "runs of each problem, compared bit by bit; 3 unless told")
      ->check(CLI::Range(1, 1000))
      ->option_text("TIMES");
}

// Interpreters are started by their real paths, so that what they tell is redacted last.
Snapshot verify_frameworks(const Options& options, kernels::VerifyOptions how, Insist insist) {
  Options plain = options;
  plain.redact = false;
  plain.quick = false;  // frameworks are asked which devices they have, whatever sizes are run
  Snapshot snapshot = gather_here(plain, {"python", "frameworks", "nvidia", "cpu", "host", "env"});
  how.limits.time = Milliseconds(60'000);
  const FrameworkTargets found = framework_targets(snapshot, *options.verify.framework);
  snapshot.compute_not_run = found.not_run;
  add_compute(snapshot, wanted_of(found.targets, options.verify.devices), how, insist);
  const auto files = open_files("/");
  if (options.redact) redact(snapshot, identity_of({.files = *files, .env = environment()}));
  return snapshot;
}

Snapshot verify_devices(const Options& options, const kernels::VerifyOptions& how, Insist insist) {
  Snapshot snapshot = gather_here(options, {"opencl", "nvidia", "cpu", "host", "env"});
  add_compute(snapshot, wanted_targets(snapshot, options.verify.devices), how, insist);
  if (options.redact) redact(snapshot, identity_of(environment()));
  return snapshot;
}

int verify(const Options& options) {
  check_kernels(options.verify.kernels, kernel_names());
  const kernels::VerifyOptions how = verify_options(options);
  const Insist insist = options.verify.devices.empty() ? Insist::unless_busy : Insist::yes;
  const Snapshot snapshot =
      options.verify.framework ? verify_frameworks(options, how, insist) : verify_devices(options, how, insist);
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
