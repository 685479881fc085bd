#include <algorithm>

#include "checks/engine/diagnosis.h"

namespace envdoctor {

#define ENVDOCTOR_DIAGNOSIS(family, name) \
  namespace family##_##name {             \
    Diagnosis diagnosis();                \
  }
#include "checks/engine/roster.inc"
#undef ENVDOCTOR_DIAGNOSIS

const std::vector<Diagnosis>& roster() {
  static const std::vector<Diagnosis> all = {
#define ENVDOCTOR_DIAGNOSIS(family, name) family##_##name::diagnosis(),
#include "checks/engine/roster.inc"
#undef ENVDOCTOR_DIAGNOSIS
  };
  return all;
}

const std::vector<const Diagnosis*>& catalogue() {
  static const std::vector<const Diagnosis*> sorted = [] {
    std::vector<const Diagnosis*> all;
    for (const Diagnosis& one : roster()) all.push_back(&one);
    std::ranges::sort(all, {}, [](const Diagnosis* one) { return std::string_view(one->id); });
    return all;
  }();
  return sorted;
}

const Diagnosis* find_diagnosis(std::string_view id) {
  const auto& all = catalogue();
  const auto found =
      std::ranges::lower_bound(all, id, {}, [](const Diagnosis* one) { return std::string_view(one->id); });
  return found != all.end() && (*found)->id == id ? *found : nullptr;
}

}  // namespace envdoctor
