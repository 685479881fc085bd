#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::memory_preallocated_test {

namespace {

const std::string id = "memory.preallocated";

// An A100 of 40 GiB, so much of it free, and a JAX that runs on it.
Snapshot with_jax(std::int64_t free_mib) {
  Snapshot snapshot = healthy_nvidia_host();
  snapshot.nvidia.get()->devices.get()->front().memory_free_mib = free_mib;
  Jax& jax = snapshot.jax.fill();
  jax.version = "0.6.0";
  jax.backend = "gpu";
  return snapshot;
}

Snapshot with(Snapshot snapshot, const char* variable, const char* value) {
  snapshot.env.fill()[variable] = std::string(value);
  return snapshot;
}

std::string state(const Snapshot& snapshot) { return state_of("memory.preallocated", snapshot); }

TEST(MemoryPreallocated, IsSoundWhereTheShareIsFree) {
  EXPECT_EQ(state(with_jax(40400)), "passed");
  EXPECT_EQ(state(with_jax(31000)), "passed");
}

TEST(MemoryPreallocated, IsFoundWhereOthersHoldPartOfTheShare) {
  Snapshot snapshot = with_jax(20000);
  const Answers alone = answers_of("memory.preallocated", snapshot);
  ASSERT_NE(finding_of(alone, id), nullptr);
  EXPECT_EQ(finding_of(alone, id)->severity, Severity::info) << "it may be the desktop";
  EXPECT_NE(finding_of(alone, id)->explanation.find("30720 MiB"), std::string::npos);
  snapshot.nvidia.get()->processes =
      std::vector<NvidiaProcess>{{.pid = 4242, .name = "python", .gpu = 0, .memory_mib = 20000}};
  const Answers shared = answers_of("memory.preallocated", snapshot);
  EXPECT_EQ(finding_of(shared, id)->severity, Severity::warning);
  EXPECT_NE(finding_of(shared, id)->explanation.find("process 4242 (python)"), std::string::npos);
  EXPECT_EQ(state_of("memory.occupied", snapshot), "passed");
}

TEST(MemoryPreallocated, GoesByTheVariablesThatJaxReads) {
  const Snapshot tight = with_jax(20000);
  EXPECT_EQ(state(with(tight, "XLA_PYTHON_CLIENT_PREALLOCATE", "true")), "failed");
  EXPECT_EQ(state(with(tight, "XLA_PYTHON_CLIENT_PREALLOCATE", "false")), "passed");
  EXPECT_EQ(state(with(tight, "XLA_PYTHON_CLIENT_ALLOCATOR", "platform")), "passed");
  EXPECT_EQ(state(with(tight, "XLA_PYTHON_CLIENT_MEM_FRACTION", ".40")), "passed");
  EXPECT_EQ(state(with(with_jax(33000), "XLA_CLIENT_MEM_FRACTION", "0.95")), "failed");
}

TEST(MemoryPreallocated, LeavesAFullGpuToTheOtherDiagnosis) {
  EXPECT_EQ(state(with_jax(120)), "not-applicable");
  EXPECT_EQ(state_of("memory.occupied", with_jax(120)), "failed");
}

TEST(MemoryPreallocated, ConcernsNobodyWhoseJaxUsesNoGpu) {
  EXPECT_EQ(state(plain_host()), "not-applicable");
  Snapshot cpu = with_jax(20000);
  cpu.jax.get()->backend = "cpu";
  EXPECT_EQ(state(cpu), "not-applicable");
  Snapshot unasked = with_jax(20000);
  unasked.jax.get()->backend = {};
  EXPECT_EQ(state(unasked), "failed") << "its plug-ins are not known";
  unasked.jax.get()->plugins = std::map<std::string, std::string>{};
  EXPECT_EQ(state(unasked), "not-applicable");
  Snapshot without = healthy_nvidia_host();
  without.python.fill().packages = std::map<std::string, std::string>{{"torch", "2.5.1"}};
  EXPECT_EQ(state(without), "not-applicable");
}

TEST(MemoryPreallocated, IsUnknownWhereSomethingOfItIs) {
  EXPECT_EQ(state(healthy_nvidia_host()), "unknown") << "whether JAX is installed";
  EXPECT_EQ(state(Snapshot{}), "unknown");
  Snapshot snapshot = with_jax(20000);
  snapshot.env = {};
  EXPECT_EQ(state(snapshot), "unknown");
  snapshot = with_jax(20000);
  snapshot.nvidia.get()->devices.get()->front().memory_free_mib = failed("NVML_ERROR_NOT_SUPPORTED");
  EXPECT_EQ(state(snapshot), "unknown");
  snapshot.nvidia.get()->devices = failed("NVML: timeout");
  EXPECT_EQ(state(snapshot), "unknown");
}

// What envdoctor itself asked of the framework needs next to nothing.
TEST(MemoryOccupied, IsToldByAFrameworkThatFindsNoneForAFewNumbers) {
  const auto found = [](const char* source) {
    Snapshot snapshot = healthy_nvidia_host();
    Symptom event = symptom_of({SymptomClass::exhausted, "gpu-memory"}, {{"wanted", "2.00 MiB"}}, source);
    event.program = "torch";
    snapshot.log.fill().push_back(event);
    const Answers answers = answers_of_all({}, snapshot);
    return answers.findings.empty() ? "" : answers.findings.front().id;
  };
  EXPECT_EQ(found("standard error of torch"), "memory.occupied");
  EXPECT_EQ(found("train.log"), "memory.out-of-memory");
}

}  // namespace
}  // namespace envdoctor::memory_preallocated_test
