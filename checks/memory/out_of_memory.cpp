// memory.out-of-memory: the program itself fills the GPU, or the machine.
#include "checks/engine/rule.h"
#include "checks/memory/memory_facts.h"

namespace envdoctor::memory_out_of_memory {

// The OOM killer and the C library are about the machine's memory, not the GPU's.
void judge_host_memory(const Facts& facts, Answers& answers) {
  const auto& killed = facts.all({SymptomClass::exhausted, "host-memory"});
  if (killed.empty() || memory::ended_at_limit(facts)) return;
  Finding& finding = answers.found_in(*killed.front(), Confidence::likely);
  finding.title = "The job needs more memory than the machine gives it";
  finding.explanation = "The machine's own memory, or the share of it that the job may use, was full; not the GPU's.";
  finding.fix = {{.text = memory::more_host_memory}};
}

void judge(const Facts& facts, Answers& answers) {
  answers.not_applicable("no message says that memory ran out");
  if (const auto full = memory::exhaustion_of(facts)) {
    if (full->holder == memory::Holder::program) answers.found_in(*full->symptom, Confidence::likely);
    return;
  }
  judge_host_memory(facts, answers);
  // cuBLAS alone, without TensorFlow: the memory was not preallocated, it is used up.
  const Symptom* handle = memory::handle_without_memory(facts);
  if (handle && handle->is({SymptomClass::failed, "cublas"})) answers.found_in(*handle, Confidence::possible);
}

Diagnosis diagnosis() {
  return {
      .id = "memory.out-of-memory",
      .layer = Layer::use,
      .severity = Severity::error,
      .title = "The job needs more memory than the GPU has",
      .claim = "The program itself filled the GPU and asked for more.",
      .proof = "The allocation failed while the program itself held nearly all of the memory.",
      .disproof = "Another process holds the memory, or memory was preallocated without use.",
      .remedy = "Use a smaller batch or model, lower precision, or a larger GPU.",
      .symptoms = {{{SymptomClass::exhausted, "any-gpu-memory"}, Confidence::possible}},
      .judge = judge,
  };
}

}  // namespace envdoctor::memory_out_of_memory
