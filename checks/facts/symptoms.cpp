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

  [[nodiscard]] bool worth_telling(const Symptom& symptom) const {
    if (!asked_by_us(symptom)) return true;
    if (symptom.class_.is("harmless") || symptom.is({SymptomClass::missing, "python-module"}))
      return false;  // the import's error names it
    if (symptom.is({SymptomClass::mismatch, "numpy-abi"})) return !misfits_.contains("numpy");
    if (symptom.is({SymptomClass::mismatch, "protobuf-version"})) return !misfits_.contains("protobuf");
    if (symptom.subject.get()->starts_with("keras")) return !misfits_.contains("keras");
    if (!no_gpu_) return true;
    const auto is = [&symptom](const Kind& kind) { return symptom.is(kind); };
    return std::ranges::any_of(std::initializer_list<Kind>{{SymptomClass::mismatch, "jaxlib-version"},
                                                           {SymptomClass::missing, "cpu-instructions"},
                                                           {SymptomClass::crashed, "cpu-instructions"},
                                                           {SymptomClass::failed, "dll"},
                                                           {SymptomClass::failed, "tensorflow-runtime"}},
                               is) ||
           (symptom.is({SymptomClass::missing, "library"}) && import_failed_);
  }

 private:
  bool no_gpu_ = false;
  bool import_failed_ = false;
  std::set<std::string, std::less<>> misfits_{};
};

}  // namespace

Facts::Facts(const Snapshot& snapshot) : snapshot_(snapshot) {
  const auto* log = snapshot.log.get();
  if (!log) return;
  const Asked asked(snapshot);
  for (const Symptom& symptom : *log) {
    const auto class_ = symptom.class_.get() ? symptom_class(*symptom.class_.get()) : std::nullopt;
    if (!class_ || !symptom.subject.get() || !asked.worth_telling(symptom)) continue;
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

bool Facts::saw(std::initializer_list<Kind> kinds) const {
  return std::ranges::any_of(kinds, [this](const Kind& kind) { return !all(kind).empty(); });
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
  const auto cuda = of(snapshot_.nvidia, &Nvidia::cuda_devices);
  const auto gpus = of(snapshot_.tensorflow, &Tensorflow::physical_gpus);
  return (cuda.get() && !cuda.get()->empty()) || of(snapshot_.torch, &Torch::cuda_available).is(true) ||
         (gpus.get() && *gpus.get() > 0);
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
