#include "checks/engine/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "checks/engine/stacks.h"
#include "checks/facts/facts.h"
#include "checks/script/script_facts.h"
#include "evidence/plausible.h"
#include "knowledge/frameworks/device_calls.h"

namespace envdoctor {
namespace {

bool works(const GpuStack& gpu_stack) { return ok_through(gpu_stack, Layer::runtime); }

bool device_used(const Snapshot& snapshot) {
  return std::ranges::any_of(snapshot.log.or_empty(), [](const Symptom& symptom) { return symptom.class_.is("used"); });
}

// Another line of the same text says that the framework has no GPU.
bool use_is_contradicted(const Snapshot& snapshot) {
  return std::ranges::any_of(snapshot.contradictions.or_empty(), [](const Contradiction& one) {
    return (one.path.is("/torch/cuda_available") && one.value.is("false")) ||
           ((one.path.is("/torch/device_count") || one.path.is("/tensorflow/physical_gpus")) && one.value.is("0"));
  });
}

std::string could_not_determine(Layer layer, const std::string& gpu) {
  static constexpr std::array questions = {"{} is on the PCI bus",
                                           "the kernel driver works for {}",
                                           "the device nodes of {} are accessible",
                                           "the user-space driver works for {}",
                                           "{} is visible to programs",
                                           "the runtime libraries work for {}",
                                           "a framework lists {}",
                                           "{} computes correctly",
                                           "programs run on {}"};
  return "could not determine whether " + fmt::format(fmt::runtime(questions.at(static_cast<std::size_t>(layer))), gpu);
}

// An error of OpenCL alone is a warning beside an error that keeps the GPU from working at all.
void downgrade_opencl(std::vector<Finding>& findings) {
  const auto is_opencl = [](const Finding& f) { return f.id.starts_with("opencl."); };
  const bool other =
      std::ranges::any_of(findings, [&](const Finding& f) { return f.severity == Severity::error && !is_opencl(f); });
  for (Finding& finding : findings) {
    if (other && is_opencl(finding)) finding.severity = std::min(finding.severity, Severity::warning);
  }
}

std::string no_mistakes(const Snapshot& snapshot) {
  const std::string against = checked_against(snapshot);
  const bool alone = std::ranges::any_of(snapshot.log.or_empty(), [](const Symptom& symptom) {
    return symptom.subject.is("script") && symptom.detail("modules") == "left out";
  });
  return fmt::format("none of {} known mistakes found, nor any of {} names that are gone{}{}",
                     knowledge::known_script_mistakes(), knowledge::names_that_are_gone(),
                     against.empty() ? "" : ", checked against " + against,
                     alone ? "; the modules beside the script were left out: reading them took too long" : "");
}

}  // namespace

void downgrade_severity(std::vector<Finding>& findings, const std::vector<GpuStack>& stacks,
                        const std::vector<Gpu>& gpus, const Snapshot& snapshot) {
  std::map<std::string, std::vector<const GpuStack*>> stacks_of;
  for (const GpuStack& gpu_stack : stacks) stacks_of[gpu_stack.subject].push_back(&gpu_stack);
  for (Finding& finding : findings) {
    if (finding.severity != Severity::error || finding.layer >= Layer::framework) continue;
    bool touches_any = false;
    const bool all_spared = std::ranges::all_of(gpus, [&](const Gpu& gpu) {
      bool touched = false, wanted = false, other_works = false;
      for (const GpuStack* gpu_stack : stacks_of[gpu.subject()]) {
        const LayerResult* broken = gpu_stack->first_broken();
        if (broken && broken->layer == finding.layer && concerns(finding, gpu, gpu_stack->stack)) {
          touched = true;
          wanted = wanted || framework_wants(snapshot, gpu_stack->stack);
        } else {
          other_works = other_works || works(*gpu_stack);
        }
      }
      touches_any = touches_any || touched;
      return !touched || (other_works && !wanted);
    });
    if (touches_any && all_spared) finding.severity = Severity::warning;
  }
  downgrade_opencl(findings);
}

void reach_verdict(Report& report) {
  const auto conclude = [&](Verdict verdict, const std::string& why) {
    report.verdict = verdict;
    report.verdict_why = why;
  };
  // An error that is a root, if there is one, is the one to name.
  const auto worst = std::ranges::max_element(report.findings, {}, [](const Finding& f) {
    return std::pair(f.severity, f.severity == Severity::error && f.root);
  });
  const bool none = worst == report.findings.end();
  const bool warned = !none && worst->severity == Severity::warning;
  if (!none && worst->severity == Severity::error) return conclude(Verdict::fail, worst->title);
  const auto& only = report.options.only;
  const bool of_script_alone =
      !only.empty() && std::ranges::all_of(only, [](const std::string& name) { return name.starts_with("script"); });
  if (of_script_alone && first_symptom(report.snapshot, {{SymptomClass::present, "script"}}))
    return conclude(warned ? Verdict::warn : Verdict::pass, none ? no_mistakes(report.snapshot) : worst->title);
  if (const std::string impossible = impossible_value(report.snapshot); !impossible.empty())
    return conclude(Verdict::incomplete, "the evidence can't be right: " + impossible);
  const auto working = std::ranges::find_if(report.stacks, works);
  const bool used = device_used(report.snapshot);
  if (working == report.stacks.end() && !used && expected_gpus(report.options) != 0) {
    const LayerResult* layer = report.stacks.empty() ? nullptr : report.stacks.front().first(LayerState::unknown);
    return conclude(Verdict::incomplete, layer ? could_not_determine(layer->layer, report.stacks.front().subject)
                                               : "nothing here proves that a GPU will be used");
  }
  if (working == report.stacks.end() && used && use_is_contradicted(report.snapshot))
    return conclude(Verdict::incomplete, "one line says that the GPU is used, and another that there is none");
  if (warned) return conclude(Verdict::warn, "the GPU can be used, with a warning: " + worst->title);
  conclude(Verdict::pass, working != report.stacks.end() ? working->name + " will be used (" + working->stack + ")"
                                                         : (used ? "a log shows that a GPU was used"
                                                                 : "this host should have no GPU, and has none"));
}

}  // namespace envdoctor
