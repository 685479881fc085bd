#include "checks/log_facts.h"

#include <algorithm>
#include <set>

#include "checks/facts.h"
#include "checks/imports.h"
#include "checks/presence.h"
#include "checks/version_range.h"

namespace envdoctor {

namespace {

// Whether what a framework printed when it was asked here is worth a diagnosis. Nobody has seen its harmless lines, a
// misfit that its own metadata shows is told from there, and of a missing driver it complains in vain where no GPU is.
class Asked {
 public:
  explicit Asked(const Snapshot& snapshot) : no_gpu_(has_any_gpu(snapshot).is(false)) {
    for (const Import& one : imports_of(snapshot)) import_failed_ = import_failed_ || one.error.get();
    const auto needs = of(snapshot.python, &Python::requirements);
    for (std::size_t i = 0; needs.get() && i < needs.get()->size(); ++i) {
      const PackageRequirement& need = (*needs.get())[i];
      if (need.name.get() && need.range.get() && need.installed.get() &&
          in_range(*need.installed.get(), *need.range.get()).is(false))
        misfits_.insert(*need.name.get());
    }
  }

  [[nodiscard]] bool worth_telling(const LogEvent& event) const {
    if (!event.source.get() || !event.source.get()->starts_with("standard error of ")) return true;
    const std::string& what = *event.event.get();
    if (what == "benign" || what == "module-missing") return false;  // the import's own error names the module
    if (what == "numpy-abi") return !misfits_.contains("numpy");
    if (what == "protobuf-mismatch") return !misfits_.contains("protobuf");
    if (what.starts_with("keras-")) return !misfits_.contains("keras");
    if (!no_gpu_) return true;
    static const std::set<std::string, std::less<>> of_the_installation = {
        "jaxlib-mismatch", "isa-missing", "illegal-instruction", "dll-load-failed", "native-runtime-failed"};
    return of_the_installation.contains(what) || (what == "library-missing" && import_failed_);
  }

 private:
  bool no_gpu_ = false;
  bool import_failed_ = false;
  std::set<std::string, std::less<>> misfits_{};
};

}  // namespace

LogFacts::LogFacts(const Snapshot& snapshot) : snapshot_(snapshot) {
  const auto* log = snapshot.log.get();
  if (!log) return;
  const Asked asked(snapshot);
  for (const LogEvent& event : *log) {
    if (!event.event.get() || !asked.worth_telling(event)) continue;
    by_event_[*event.event.get()].push_back(&event);
    used_ = used_ || event.event.get()->starts_with("device-used");
  }
}

const std::vector<const LogEvent*>& LogFacts::all(std::string_view event) const {
  static const std::vector<const LogEvent*> none;
  const auto found = by_event_.find(event);
  return found == by_event_.end() ? none : found->second;
}

bool LogFacts::saw(std::initializer_list<std::string_view> events) const {
  return std::ranges::any_of(events, [this](std::string_view event) { return !all(event).empty(); });
}

const LogEvent* LogFacts::with(std::string_view event, const char* field, std::string_view value) const {
  for (const LogEvent* one : all(event)) {
    if (field_of(*one, field).starts_with(value)) return one;
  }
  return nullptr;
}

bool LogFacts::container() const {
  const Flag known = envdoctor::in_container(snapshot_);
  return known.is(true) || (!known.get() && saw({"container-mark"}));
}

bool LogFacts::wsl() const { return of(snapshot_.host, &HostFacts::platform).is("wsl2") || saw({"wsl"}); }

bool LogFacts::driver_works() const {
  const auto cuda = of(snapshot_.nvidia, &Nvidia::cuda_devices);
  const auto gpus = of(snapshot_.tensorflow, &Tensorflow::physical_gpus);
  return (cuda.get() && !cuda.get()->empty()) || of(snapshot_.torch, &Torch::cuda_available).is(true) ||
         (gpus.get() && *gpus.get() > 0);
}

bool LogFacts::driver_dead() const {
  return saw({"smi-no-driver", "kernel-driver-not-running", "libcuda-not-loaded", "device-node-missing",
              "no-nvidia-driver", "nvml-driver-not-loaded", "nvml-library-missing", "container-banner",
              "driver-library-mismatch", "driver-versions-differ", "container-toolkit-missing",
              "nvidia-container-cli-library", "nvidia-container-cli-driver", "smi-not-found"});
}

std::string field_of(const LogEvent& event, const char* name) {
  const auto found = event.fields.find(name);
  return found == event.fields.end() ? std::string() : found->second;
}

Evidence seen_event(const LogEvent& event) {
  std::string words = event.event.get() ? *event.event.get() : "event";
  const char* between = ": ";
  for (const auto& [name, value] : event.fields) {
    if (name == "count") continue;
    words.append(between).append(name).append(" ").append(value);
    between = ", ";
  }
  return seen(event, words);
}

Finding& log_finding(Answers& answers, const LogEvent& event, const char* id, Confidence sure, std::string subject) {
  Finding& finding = answers.found(id, std::move(subject));
  finding.confidence = sure;
  const Diagnosis* row = diagnosis(id);
  // What usually is only worth knowing has stopped a program here, or slowed it: its own message says so.
  const std::string_view family = std::string_view(id).substr(0, std::string_view(id).find('.'));
  if (family == "compute" && finding.severity == Severity::info) finding.severity = Severity::warning;
  finding.explanation = row->claim;
  finding.evidence.push_back(seen_event(event));
  finding.fix.push_back({.text = row->remedy});
  return finding;
}

}  // namespace envdoctor
