// memory.out-of-memory: the program itself fills the GPU, or the machine.
#include "checks/memory/memory_facts.h"

namespace envdoctor::memory_out_of_memory {
namespace {

constexpr const char* id = "memory.out-of-memory";

// What the kernel's killer, the job's control group and the C library count is the machine's memory, not the GPU's.
void judge_host_memory(const Facts& facts, Answers& answers) {
  const auto& killed = facts.all({SymptomClass::exhausted, "host-memory"});
  if (killed.empty()) return;
  Finding& finding = add_finding(answers, *killed.front(), id, Confidence::likely);
  finding.title = "The job needs more memory than the machine gives it";
  finding.explanation = "The machine's own memory, or the share of it that the job may use, was full; not the GPU's.";
  finding.fix = {{.text = "Ask for more memory (sbatch --mem, docker run --memory, the pod's limit), or load less at "
                          "a time: fewer workers, smaller pieces of the data."}};
}

void judge(const Facts& facts, Answers& answers) {
  answers.not_applicable(id, "no message says that memory ran out");
  if (const auto full = memory::exhaustion_of(facts)) {
    if (full->holder == memory::Holder::program) add_finding(answers, *full->symptom, id, Confidence::likely);
    return;
  }
  judge_host_memory(facts, answers);
  // cuBLAS alone, outside TensorFlow: nobody took the memory in advance; there is none left.
  const Symptom* handle = memory::handle_without_memory(facts);
  if (handle && handle->is({SymptomClass::failed, "cublas"})) add_finding(answers, *handle, id, Confidence::possible);
}

}  // namespace

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
      .judge = judge,
  };
}

}  // namespace envdoctor::memory_out_of_memory
