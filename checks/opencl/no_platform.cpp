// opencl.no-platform: the group. An application gets no platform, and no fact shows which of several causes
// it is. It is judged last, and yields to an OpenCL diagnosis that was found before.
#include "checks/facts/group_members.h"
#include "checks/opencl/opencl_facts.h"

namespace envdoctor::opencl_no_platform {

using enum SymptomClass;

bool cause_found(const Answers& answers) {
  return std::ranges::any_of(answers.findings, [&](const Finding& finding) {
    const auto& follow = find_diagnosis(finding.id)->explains;
    return finding.id.starts_with("opencl.") && std::ranges::find(follow, std::string_view(answers.id)) != follow.end();
  });
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  const Flag none = opencl::no_platform(snapshot);
  if (has_any_gpu(snapshot).is(false)) return answers.not_applicable("no GPU that a platform could list");
  if (opencl::loader(snapshot).outcome() == Outcome::absent)
    return answers.not_applicable("there is no OpenCL loader to ask");
  if (!none.get()) return answers.unknown(why_unknown("/opencl/error", none));
  if (none.is(false)) return answers.passed();
  for (const auto& [i, icd] : numbered(of(snapshot.opencl, &Opencl::icds))) {
    if (icd.loads.outcome() == Outcome::failed)
      return answers.unknown(why_unknown(at("/opencl/icds", i, "loads"), icd.loads));
  }
  if (cause_found(answers)) return answers.not_applicable("the cause is known more exactly");

  Finding& finding = answers.found();
  finding.severity = opencl::weigh(snapshot);
  finding.confidence = Confidence::likely;
  const Opencl& section = *snapshot.opencl.get();
  if (section.error.get()) finding.evidence.push_back(evidence("/opencl/error", *section.error.get()));
  if (section.application_platforms.get()) finding.evidence.push_back(evidence("/opencl/application_platforms", "0"));
  if (finding.evidence.empty()) finding.evidence.push_back(evidence("/opencl/platforms", "none"));
  finding.explanation =
      "The loader answers that there is no platform. Possible causes: no driver is registered, a driver does not load, "
      "the loader reads another folder, or the GPU can't be opened.";
  finding.fix = deciding_commands(group_members(answers.id, facts));
}

bool no_loader_trouble(const Facts& facts) {
  return !facts.saw({{missing, "opencl-loader"}}) && !facts.with({missing, "library"}, "library", "libOpenCL");
}

bool nothing_else_said(const Facts& facts) {
  return no_loader_trouble(facts) && !opencl_lists_gpu(facts) && !facts.used() &&
         !facts.saw({{missing, "opencl-device"},
                     {missing, "opencl-in-opencv"},
                     {failed, "opencl-driver"},
                     {present, "opencl-runtime"}});
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "opencl.no-platform",
      .layer = Layer::runtime,
      .severity = Severity::error,
      .title = "OpenCL finds no platform",
      .claim = "The loader reports that there is no platform; several causes are possible.",
      .proof = "The loader returns -1001, and no evidence shows the cause.",
      .disproof = "clinfo lists a platform.",
      .remedy = "Run the commands that the finding lists; their output shows the cause.",
      .symptoms =
          {
              {{missing, "opencl-platform"}, possible, no_loader_trouble},
              {{missing, "sycl-device"}, possible},
              {{missing, "any-opencl"}, possible, nothing_else_said},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::opencl_no_platform
