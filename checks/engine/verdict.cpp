#include "checks/engine/verdict.h"

#include <algorithm>

#include "checks/engine/layers.h"
#include "checks/engine/stacks.h"
#include "checks/facts/facts.h"

namespace envdoctor {
namespace {

bool works(const GpuStack& gpu_stack) { return ok_through(gpu_stack, Layer::runtime); }

bool device_used(const Snapshot& snapshot) {
  const auto* log = snapshot.log.get();
  return log && std::ranges::any_of(*log, [](const Symptom& symptom) { return symptom.class_.is("used"); });
}

const LayerResult* first_unknown(const GpuStack& gpu_stack) {
  const auto found = std::ranges::find(gpu_stack.layers, LayerState::unknown, &LayerResult::state);
  return found == gpu_stack.layers.end() ? nullptr : &*found;
}

std::string could_not_determine(Layer layer, const std::string& gpu) {
  const auto question = [&]() -> std::string {
    switch (layer) {
      case Layer::hardware:
        return gpu + " is on the PCI bus";
      case Layer::kernel_driver:
        return "the kernel driver works for " + gpu;
      case Layer::device_node:
        return "the device nodes of " + gpu + " are accessible";
      case Layer::user_driver:
        return "the user-space driver works for " + gpu;
      case Layer::visibility:
        return gpu + " is visible to programs";
      case Layer::runtime:
        return "the runtime libraries work for " + gpu;
      case Layer::framework:
        return "a framework lists " + gpu;
      case Layer::compute:
        return gpu + " computes correctly";
      case Layer::use:
        return "programs run on " + gpu;
    }
    return gpu + " works";
  };
  return "could not determine whether " + question();
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

}  // namespace

void downgrade_severity(std::vector<Finding>& findings, const std::vector<GpuStack>& stacks,
                        const std::vector<Gpu>& gpus, const Snapshot& snapshot) {
  for (Finding& finding : findings) {
    if (finding.severity != Severity::error || finding.layer >= Layer::framework) continue;
    bool touches_any = false;
    const bool all_spared = std::ranges::all_of(gpus, [&](const Gpu& gpu) {
      bool touched = false, wanted = false, other_works = false;
      for (const GpuStack& gpu_stack : stacks) {
        if (gpu_stack.subject != gpu.subject()) continue;
        const LayerResult* broken = gpu_stack.first_broken();
        if (broken && broken->layer == finding.layer && concerns(finding, gpu, gpu_stack.stack)) {
          touched = true;
          wanted = wanted || framework_wants(snapshot, gpu_stack.stack);
        } else {
          other_works = other_works || works(gpu_stack);
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
  if (of_script_alone && !symptoms_of(report.snapshot, {SymptomClass::present, "script"}).empty()) {
    report.verdict = none || worst->severity == Severity::info ? Verdict::pass : Verdict::warn;
    report.verdict_why = none ? "the script does nothing that has no effect, comes too late or raises" : worst->title;
    return;
  }
  const auto working = std::ranges::find_if(report.stacks, works);
  const bool used = device_used(report.snapshot);
  const bool expected_none = expected_gpus(report.options) == 0;
  if (working == report.stacks.end() && !used && !expected_none) {
    report.verdict = Verdict::incomplete;
    report.verdict_why = "nothing here proves that a GPU will be used";
    if (!report.stacks.empty()) {
      if (const LayerResult* layer = first_unknown(report.stacks.front()))
        report.verdict_why = could_not_determine(layer->layer, report.stacks.front().subject);
    }
    return;
  }
  if (!none && worst->severity == Severity::warning) {
    report.verdict = Verdict::warn;
    report.verdict_why = "the GPU can be used, with a warning: " + worst->title;
    return;
  }
  report.verdict = Verdict::pass;
  if (working != report.stacks.end()) {
    report.verdict_why = working->name + " will be used (" + working->stack + ")";
  } else {
    report.verdict_why = used ? "a log shows that a GPU was used" : "this host should have no GPU, and has none";
  }
}

}  // namespace envdoctor
