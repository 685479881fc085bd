#include "checks/facts/symptoms.h"

#include <algorithm>
#include <set>

#include "checks/facts/facts.h"
#include "checks/facts/imports.h"
#include "checks/facts/presence.h"
#include "checks/facts/version_range.h"

namespace envdoctor {

bool asked_by_us(const Symptom& symptom) {
  return symptom.source.get() && symptom.source.get()->starts_with("standard error of ");
}

namespace {

// Whether a line that a framework printed when we queried it is worth a diagnosis. The user hasn't seen harmless ones,
// a mismatch in its metadata is reported from there, and a missing driver doesn't matter on a host without a GPU.
class Asked {
 public:
  explicit Asked(const Snapshot& snapshot) : no_gpu_(has_any_gpu(snapshot).is(false)) {
    for (const Import& one : imports_of(snapshot)) import_failed_ = import_failed_ || one.error.get();
    for (const PackageRequirement& need : of(snapshot.python, &Python::requirements).or_empty()) {
      if (need.name.get() && need.range.get() && need.installed.get() &&
          in_range(*need.installed.get(), *need.range.get()).is(false))
        misfits_.insert(*need.name.get());
    }
  }

  [[nodiscard]] bool worth_reporting(const Symptom& symptom) const {
    using enum SymptomClass;
    if (!asked_by_us(symptom)) return true;
    if (symptom.class_.is("harmless") || symptom.is({missing, "python-module"}))
      return false;  // the import's error names it
    if (symptom.is({mismatch, "numpy-abi"})) return !misfits_.contains("numpy");
    if (symptom.is({mismatch, "protobuf-version"})) return !misfits_.contains("protobuf");
    if (symptom.subject.get()->starts_with("keras")) return !misfits_.contains("keras");
    return !no_gpu_ || symptom.is({mismatch, "jaxlib-version"}) || symptom.is({missing, "cpu-instructions"}) ||
           symptom.is({crashed, "cpu-instructions"}) || symptom.is({SymptomClass::failed, "dll"}) ||
           symptom.is({SymptomClass::failed, "tensorflow-runtime"}) ||
           (symptom.is({missing, "library"}) && import_failed_);
  }

 private:
  bool no_gpu_ = false;
  bool import_failed_ = false;
  std::set<std::string, std::less<>> misfits_{};
};

}  // namespace

Facts::Facts(const Snapshot& snapshot) : snapshot_(snapshot) {
  const Asked asked(snapshot);
  // A line that looks like a fault but is harmless shows no fault with its other words either.
  std::set<std::pair<std::string, std::int64_t>> harmless_lines;
  for (const Symptom& symptom : snapshot.log.or_empty()) {
    if (symptom.class_.is("harmless") && symptom.line.get())
      harmless_lines.emplace(symptom.source.or_empty(), *symptom.line.get());
  }
  for (const Symptom& symptom : snapshot.log.or_empty()) {
    const auto class_ = symptom_class(symptom.class_.or_empty());
    if (!class_ || !symptom.subject.get() || !asked.worth_reporting(symptom)) continue;
    const bool fault = class_ == SymptomClass::exhausted || class_ == SymptomClass::refused ||
                       symptom.is({SymptomClass::missing, "library"});
    if (fault && symptom.line.get() && harmless_lines.contains({symptom.source.or_empty(), *symptom.line.get()}))
      continue;
    by_kind_[{*class_, *symptom.subject.get()}].push_back(&symptom);
    if (class_ == SymptomClass::harmless) harmless_.push_back(&symptom);
    used_ = used_ || class_ == SymptomClass::used;
  }
}

const std::vector<const Symptom*>& Facts::all(const Kind& kind) const {
  static const std::vector<const Symptom*> none;
  const auto found = by_kind_.find(kind);
  return found == by_kind_.end() ? none : found->second;
}

const Symptom* Facts::first(std::initializer_list<Kind> kinds) const {
  for (const Kind& kind : kinds) {
    if (const auto& lines = all(kind); !lines.empty()) return lines.front();
  }
  return nullptr;
}

const Symptom* Facts::with(const Kind& kind, const char* detail, std::string_view value) const {
  for (const Symptom* one : all(kind)) {
    if (one->detail(detail).starts_with(value)) return one;
  }
  return nullptr;
}

bool Facts::container() const {
  const Flag known = envdoctor::in_container(snapshot_);
  return known.is(true) || (!known.get() && saw({{SymptomClass::present, "container"}}));
}

bool Facts::wsl() const {
  return of(snapshot_.host, &HostFacts::platform).is("wsl2") || saw({{SymptomClass::present, "wsl"}});
}

bool Facts::driver_works() const {
  return !of(snapshot_.nvidia, &Nvidia::cuda_devices).or_empty().empty() ||
         of(snapshot_.torch, &Torch::cuda_available).is(true) ||
         of(snapshot_.tensorflow, &Tensorflow::physical_gpus).or_empty() > 0;
}

bool Facts::driver_dead() const {
  return saw({{SymptomClass::missing, "loaded-driver"},
              {SymptomClass::missing, "kernel-driver"},
              {SymptomClass::missing, "libcuda"},
              {SymptomClass::missing, "device-node"},
              {SymptomClass::missing, "driver"},
              {SymptomClass::missing, "libnvidia-ml"},
              {SymptomClass::missing, "driver-in-container"},
              {SymptomClass::mismatch, "driver-library-version"},
              {SymptomClass::mismatch, "driver-version"},
              {SymptomClass::missing, "container-toolkit"},
              {SymptomClass::missing, "library-for-container-toolkit"},
              {SymptomClass::missing, "driver-for-container-toolkit"},
              {SymptomClass::missing, "nvidia-smi"}});
}

}  // namespace envdoctor
