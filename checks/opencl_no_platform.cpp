// opencl.no-platform: the group. An application gets no platform, and nothing seen here tells which of several causes
// it is.
#include "checks/group_members.h"
#include "checks/opencl_facts.h"

namespace envdoctor {

Check opencl_icd_broken();
Check opencl_icd_no_device();
Check opencl_loader_missing();
Check opencl_no_icd();
Check opencl_permission();
Check opencl_wrong_loader();

namespace {

constexpr const char* id = "opencl.no-platform";

bool told_more_exactly(const Snapshot& snapshot) {
  Answers others;
  for (const Check& check : {opencl_icd_broken(), opencl_icd_no_device(), opencl_loader_missing(), opencl_no_icd(),
                             opencl_permission(), opencl_wrong_loader()})
    check.run(snapshot, others);
  return !others.findings.empty();
}

void run(const Snapshot& snapshot, Answers& answers) {
  const Flag none = opencl::no_platform(snapshot);
  if (has_any_gpu(snapshot).is(false)) return answers.not_applicable(id, "no GPU that a platform could list");
  if (opencl::loader(snapshot).outcome() == Outcome::absent)
    return answers.not_applicable(id, "there is no OpenCL loader to ask");
  if (!none.get()) return answers.unknown(id, why_unknown("/opencl/error", none));
  if (none.is(false)) return answers.sound(id);
  if (told_more_exactly(snapshot)) return answers.not_applicable(id, "the cause is known more exactly");

  Finding& finding = answers.found(id);
  finding.severity = opencl::weigh(snapshot);
  finding.confidence = Confidence::likely;
  const Opencl& section = *snapshot.opencl.get();
  if (section.error.get()) finding.evidence.push_back(seen("/opencl/error", *section.error.get()));
  if (section.application_platforms.get()) finding.evidence.push_back(seen("/opencl/application_platforms", "0"));
  if (finding.evidence.empty()) finding.evidence.push_back(seen("/opencl/platforms", "none"));
  finding.explanation =
      "The loader answers that there is no platform. No driver registered, a driver that doesn't load, a loader that "
      "reads "
      "another folder, and a GPU that can't be opened all look like this.";
  finding.fix = deciding_commands(group_members(id, LogFacts(snapshot)));
}

}  // namespace

Check opencl_no_platform() { return {{id}, run}; }

}  // namespace envdoctor
