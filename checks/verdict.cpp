#include "checks/verdict.h"

#include <algorithm>

#include "checks/facts.h"
#include "checks/ladder.h"
#include "checks/rungs.h"

namespace envdoctor {
namespace {

bool works(const Ladder& ladder) { return holds_through(ladder, Rung::runtime); }

bool any_event_begins(const Snapshot& snapshot, std::string_view prefix) {
  const auto* log = snapshot.log.get();
  return log && std::ranges::any_of(
                    *log, [&](const LogEvent& e) { return e.event.get() && e.event.get()->starts_with(prefix); });
}

const RungResult* first_unknown(const Ladder& ladder) {
  const auto found = std::ranges::find(ladder.rungs, RungState::unknown, &RungResult::state);
  return found == ladder.rungs.end() ? nullptr : &*found;
}

// OpenCL's own trouble is not the matter where something below or beside it keeps the GPU from working at all.
void soften_opencl(std::vector<Finding>& findings) {
  const auto is_opencl = [](const Finding& f) { return f.id.starts_with("opencl."); };
  const bool other =
      std::ranges::any_of(findings, [&](const Finding& f) { return f.severity == Severity::error && !is_opencl(f); });
  for (Finding& finding : findings) {
    if (other && is_opencl(finding)) finding.severity = std::min(finding.severity, Severity::warning);
  }
}

}  // namespace

void soften(std::vector<Finding>& findings, const std::vector<Ladder>& ladders, const std::vector<Gpu>& gpus,
            const Snapshot& snapshot) {
  for (Finding& finding : findings) {
    if (finding.severity != Severity::error || finding.rung >= Rung::framework) continue;
    bool touches_any = false;
    const bool all_spared = std::ranges::all_of(gpus, [&](const Gpu& gpu) {
      bool touched = false, wanted = false, other_works = false;
      for (const Ladder& ladder : ladders) {
        if (ladder.subject != gpu.subject()) continue;
        const RungResult* broken = ladder.first_broken();
        if (broken && broken->rung == finding.rung && concerns(finding, gpu, ladder.stack)) {
          touched = true;
          wanted = wanted || framework_wants(snapshot, ladder.stack);
        } else {
          other_works = other_works || works(ladder);
        }
      }
      touches_any = touches_any || touched;
      return !touched || (other_works && !wanted);
    });
    if (touches_any && all_spared) finding.severity = Severity::warning;
  }
  soften_opencl(findings);
}

void reach_verdict(Report& report) {
  const auto worst = std::ranges::max_element(report.findings, {}, &Finding::severity);
  const bool none = worst == report.findings.end();
  if (!none && worst->severity == Severity::error) {
    report.verdict = Verdict::fail;
    report.verdict_why = worst->title;
    const auto root =
        std::ranges::find_if(report.findings, [](const Finding& f) { return f.root && f.severity == Severity::error; });
    if (root != report.findings.end()) report.verdict_why = root->title;
    return;
  }
  const auto& only = report.options.only;
  const bool of_script_alone =
      !only.empty() && std::ranges::all_of(only, [](const std::string& name) { return name.starts_with("script"); });
  if (of_script_alone && any_event_begins(report.snapshot, "script-read")) {
    report.verdict = none || worst->severity == Severity::info ? Verdict::pass : Verdict::warn;
    report.verdict_why = none ? "the script does nothing that has no effect, comes too late or raises" : worst->title;
    return;
  }
  const auto working = std::ranges::find_if(report.ladders, works);
  const bool used = any_event_begins(report.snapshot, "device-used");
  const bool expected_none = expected_gpus(report.options) == 0;
  if (working == report.ladders.end() && !used && !expected_none) {
    report.verdict = Verdict::incomplete;
    report.verdict_why = "nothing here proves that a GPU will be used";
    if (!report.ladders.empty()) {
      if (const RungResult* rung = first_unknown(report.ladders.front()))
        report.verdict_why = "whether the " + std::string(text(rung->rung)) + " rung holds for " +
                             report.ladders.front().subject + " is not known";
    }
    return;
  }
  if (!none && worst->severity == Severity::warning) {
    report.verdict = Verdict::warn;
    report.verdict_why = "the GPU can be used, with a warning: " + worst->title;
    return;
  }
  report.verdict = Verdict::pass;
  if (working != report.ladders.end()) {
    report.verdict_why = working->name + " will be used (" + working->stack + ")";
  } else {
    report.verdict_why = used ? "a log shows that a GPU was used" : "this host should have no GPU, and has none";
  }
}

}  // namespace envdoctor
