// memory.fragmented: an allocation fails although the program holds more unused memory than it requests.
#include "checks/engine/rule.h"
#include "checks/memory/memory_facts.h"

namespace envdoctor::memory_fragmented {

void judge(const Facts& facts, Answers& answers) {
  answers.not_applicable("memory.fragmented", "no message says that GPU memory ran out");
  const auto full = memory::exhaustion_of(facts);
  if (full && full->holder == memory::Holder::fragments)
    add_finding(answers, *full->symptom, "memory.fragmented", Confidence::likely);
}

Diagnosis diagnosis() {
  return {
      .id = "memory.fragmented",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "GPU memory is free but in pieces",
      .claim = "The framework holds enough unused memory, but no piece of it is large enough.",
      .proof = "The memory that the framework holds unused is larger than the request that failed.",
      .disproof = "Reserved less allocated memory is smaller than the request.",
      .remedy = "Use the allocator's expandable segments, or keep tensor sizes the same from step to step.",
      .explains = {"memory.out-of-memory"},
      .symptoms = {helped_by("larger-segments")},
      .judge = judge,
  };
}

}  // namespace envdoctor::memory_fragmented
