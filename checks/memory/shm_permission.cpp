// memory.shm-permission: shared memory exists, but this user may not create anything in it.
#include "checks/engine/rule.h"

namespace envdoctor::memory_shm_permission {

using enum SymptomClass;

void judge(const Facts& facts, Answers& answers) {
  const Symptom* line = facts.first({{refused, "shared-memory"}});
  const Symptom* semaphore = facts.first({{noted, "semaphore-call"}});
  // Python's semaphores are in /dev/shm; the error that follows names no file.
  if (!line && semaphore) line = facts.first({{refused, "unnamed-file"}});
  if (line) {
    Finding& finding = answers.found_in(*line, Confidence::likely);
    if (semaphore && line->detail("library").empty()) finding.evidence.push_back(evidence(*semaphore));
    finding.fix.push_back(
        on_host(facts, "see its mode, which is drwxrwxrwt (1777) where all is well.", "ls -ld /dev/shm"));
    return;
  }
  const Symptom* closed = facts.first({{noted, "closed-shared-memory"}});
  const auto uid = of(facts.snapshot().host, &HostFacts::user).or_empty().uid;
  if (closed && !uid.is(0) && (uid.get() || facts.saw({{refused, "unnamed-file"}}))) {
    Finding& finding = answers.found_in(*closed, Confidence::likely);
    finding.explanation = "Only root may create files in /dev/shm, and this user isn't root.";
    finding.fix.push_back(on_host(facts, "let everybody use it.", "sudo chmod 1777 /dev/shm"));
    return;
  }
  answers.not_applicable("nobody was refused shared memory");
}

Diagnosis diagnosis() {
  return {
      .id = "memory.shm-permission",
      .layer = Layer::use,
      .severity = Severity::error,
      .title = "This user may not use shared memory",
      .claim =
          "/dev/shm is missing, mounted for reading only, or closed to this user; data loaders, semaphores and NCCL "
          "put their shared memory there.",
      .proof = "Opening or making a file under /dev/shm was refused.",
      .disproof = "touch /dev/shm/x works for this user.",
      .remedy =
          "Mount /dev/shm with mode 1777 (sudo chmod 1777 /dev/shm), give the container a tmpfs there, and remove what "
          "another user left under the same name; sandboxes need a rule for it.",
      .explains = {"runtime.nccl", "memory.shm-too-small"},
      .judge = judge,
  };
}

}  // namespace envdoctor::memory_shm_permission
