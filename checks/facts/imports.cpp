#include "checks/facts/imports.h"

#include <re2/re2.h>

#include "checks/facts/facts.h"
#include "knowledge/lazy_regex.h"

namespace envdoctor {

std::vector<Import> imports_of(const Snapshot& snapshot) {
  std::vector<Import> all;
  const auto add = [&](const char* framework, const char* path, const auto& section) {
    if (section.get()) all.push_back({framework, path, section.get()->import_error});
  };
  add("tensorflow", "/tensorflow/import_error", snapshot.tensorflow);
  add("torch", "/torch/import_error", snapshot.torch);
  add("jax", "/jax/import_error", snapshot.jax);
  return all;
}

std::string framework_of_package(std::string_view package) {
  if (package.starts_with("tensorflow") || package.starts_with("tf-nightly")) return "tensorflow";
  if (package == "torch") return "torch";
  if (package == "jax" || package == "jaxlib" || package.starts_with("jax-") || package.starts_with("jax_"))
    return "jax";
  return package == "keras" || package == "tf-keras" || package == "tf_keras" ? "keras" : "";
}

Flag imports_well(const Snapshot& snapshot, std::string_view framework) {
  for (const Import& one : imports_of(snapshot)) {
    if (one.framework == framework && one.tried()) return one.went_well();
  }
  return {};
}

std::vector<MissedName> missed_names(const Facts& facts) {
  std::vector<MissedName> missed;
  for (const Kind& kind :
       {Kind{SymptomClass::missing, "framework-name"}, Kind{SymptomClass::missing, "python-module"}}) {
    for (const Symptom* line : facts.all(kind)) {
      // TensorFlow's own places of its public names.
      static const LazyRegex inner("\\._?api(?:\\._?v[12])?|\\.compat\\.v2", RE2::Latin1);
      std::string name = line->detail("module");
      RE2::GlobalReplace(&name, inner, "");
      if (const std::string attribute = line->detail("attribute"); !attribute.empty()) name += "." + attribute;
      missed.push_back({line, std::move(name)});
    }
  }
  return missed;
}

}  // namespace envdoctor
