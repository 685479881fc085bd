#include "checks/explains.h"

#include <algorithm>
#include <string_view>

namespace envdoctor {
namespace {

// What follows wherever the driver below can't be used at all.
const std::vector<const char*> dead_driver = {
    "driver.unreachable",    "opencl.icd-no-device", "opencl.no-platform",         "opencl.cpu-only",
    "usage.detected-unused", "usage.wrong-gpu",      "visibility.framework-hidden"};

std::vector<const char*> with(std::vector<const char*> more) {
  more.insert(more.end(), dead_driver.begin(), dead_driver.end());
  return more;
}

}  // namespace

const std::vector<Explains>& explains_table() {
  static const std::vector<Explains> table = {
      {"hardware.no-gpu",
       {"driver.unreachable", "driver.libcuda-missing", "opencl.icd-no-device", "opencl.cpu-only", "opencl.no-platform",
        "opencl.no-icd", "opencl.loader-missing", "opencl.rusticl-not-enabled", "usage.detected-unused",
        "expect.gpus"}},
      {"driver.not-installed",
       with({"driver.libcuda-missing", "driver.module-not-loaded", "driver.device-nodes-missing",
             "driver.gpu-init-failed", "opencl.no-icd", "opencl.loader-missing"})},
      {"driver.secure-boot",
       with({"driver.module-not-loaded", "driver.not-installed", "driver.device-nodes-missing", "driver.init-failed"})},
      {"driver.nouveau-bound", with({"driver.module-not-loaded", "driver.not-installed", "driver.device-nodes-missing",
                                     "driver.gpu-init-failed", "driver.init-failed"})},
      {"driver.gpu-unsupported",
       with({"driver.module-not-loaded", "driver.gpu-init-failed", "driver.device-nodes-missing", "driver.init-failed",
             "driver.not-installed", "driver.gpu-lost"})},
      {"driver.module-not-loaded", with({"driver.device-nodes-missing", "driver.init-failed"})},
      {"driver.version-mismatch", with({"driver.init-failed", "driver.gpu-init-failed", "driver.compat-package",
                                        "driver.too-old", "opencl.icd-broken"})},
      {"driver.wsl", with({"driver.not-installed", "driver.libcuda-missing", "driver.init-failed",
                           "driver.module-not-loaded", "driver.device-nodes-missing", "hardware.no-gpu"})},
      {"driver.gpu-lost", with({"driver.init-failed", "driver.gpu-init-failed"})},
      {"driver.gpu-init-failed", with({"driver.init-failed"})},
      {"driver.fabric-manager", with({"driver.init-failed", "hardware.mig-unconfigured"})},
      {"driver.compat-package", with({"driver.init-failed", "driver.too-old"})},
      {"driver.device-nodes-missing", with({"driver.init-failed", "opencl.icd-broken"})},
      {"driver.permission", with({"driver.init-failed", "opencl.permission"})},
      {"driver.container-cgroup-lost", with({"driver.init-failed", "driver.permission"})},
      {"driver.libcuda-missing", with({"opencl.icd-broken"})},
      {"driver.libcuda-stub", with({"driver.init-failed"})},
      {"driver.init-failed", dead_driver},
      {"hardware.p2p", {"runtime.nccl"}},
      {"driver.compute-mode", {"driver.init-failed", "usage.detected-unused"}},
      {"driver.kernel-runtime-incompatible", {"opencl.icd-no-device", "opencl.no-platform", "opencl.cpu-only"}},
      {"driver.too-old", {"usage.detected-unused", "runtime.arch-unsupported"}},
      {"visibility.container-toolkit-missing", {"visibility.container-hidden", "driver.unreachable"}},
      {"visibility.container-hidden",
       with({"driver.not-installed", "driver.libcuda-missing", "driver.module-not-loaded",
             "driver.device-nodes-missing", "hardware.no-gpu"})},
      {"visibility.empty",
       {"opencl.icd-no-device", "opencl.cpu-only", "driver.init-failed", "driver.unreachable", "usage.detected-unused",
        "visibility.framework-hidden"}},
      {"visibility.invalid-ordinal",
       {"opencl.icd-no-device", "opencl.cpu-only", "driver.init-failed", "driver.unreachable", "usage.detected-unused",
        "usage.wrong-gpu"}},
      {"visibility.invalid-uuid",
       {"opencl.icd-no-device", "opencl.cpu-only", "driver.init-failed", "driver.unreachable",
        "usage.detected-unused"}},
      {"visibility.mig-single-instance", {"driver.unreachable", "visibility.invalid-ordinal"}},
      {"visibility.double-filter", {"usage.detected-unused", "usage.wrong-gpu", "visibility.invalid-ordinal"}},
      {"visibility.order-mismatch", {"usage.wrong-gpu"}},
      {"visibility.set-too-late", {"usage.detected-unused", "usage.wrong-gpu"}},
      {"visibility.framework-hidden", {"usage.detected-unused"}},
      {"hardware.mig-unconfigured", {"usage.detected-unused", "driver.init-failed", "driver.unreachable"}},
      {"hardware.ecc", {"compute.wrong-results", "compute.unstable", "compute.nondeterministic"}},
      {"compute.wrong-results", {"compute.nondeterministic"}},
      {"compute.fast-math", {"compute.denormals", "compute.wrong-results"}},
      {"runtime.cpu-only-build", {"usage.detected-unused"}},
      {"runtime.cuda-mismatch", {"runtime.cuda-library-missing"}},
      {"runtime.cuda-library-missing", {"usage.detected-unused", "runtime.cudnn-missing"}},
      {"runtime.cudnn-missing", {"usage.detected-unused"}},
      {"runtime.cudnn-mismatch", {"usage.detected-unused"}},
      {"runtime.library-shadowed", {"runtime.cudnn-mismatch", "runtime.cuda-library-missing", "usage.detected-unused"}},
      {"runtime.arch-unsupported", {"usage.detected-unused", "runtime.jit-slow"}},
      {"python.wrong-environment", {"usage.detected-unused", "runtime.cpu-only-build"}},
      {"python.duplicate-packages",
       {"usage.detected-unused", "runtime.cpu-only-build", "python.broken-install", "keras.version-mismatch"}},
      {"python.numpy-abi", {"python.broken-install", "usage.detected-unused"}},
      {"python.protobuf-mismatch", {"python.broken-install"}},
      {"python.version-unsupported", {"python.broken-install", "keras.backend-mismatch"}},
      {"python.broken-install", {"usage.detected-unused", "runtime.cpu-only-build"}},
      {"keras.version-mismatch", {"python.broken-install", "keras.mixed-keras"}},
      {"keras.legacy-missing", {"python.broken-install", "keras.backend-mismatch", "python.wrong-environment"}},
      {"keras.backend-mismatch", {"python.broken-install", "python.wrong-environment"}},
      {"cpu.isa-missing", {"python.broken-install"}},
      {"opencl.loader-missing", {"opencl.no-platform"}},
      {"opencl.no-icd", {"opencl.no-platform", "opencl.cpu-only"}},
      {"opencl.icd-missing-in-container", {"opencl.no-icd", "opencl.no-platform", "opencl.cpu-only"}},
      {"opencl.icd-broken", {"opencl.no-platform", "opencl.cpu-only"}},
      {"opencl.wrong-loader", {"opencl.no-icd", "opencl.no-platform", "opencl.cpu-only"}},
      {"opencl.permission", {"opencl.icd-no-device", "opencl.no-platform", "opencl.cpu-only"}},
      {"opencl.rusticl-not-enabled", {"opencl.icd-no-device", "opencl.cpu-only", "opencl.no-platform"}},
      {"memory.preallocated", {"memory.out-of-memory", "memory.occupied"}},
      {"memory.occupied", {"memory.out-of-memory"}},
      {"cpu.cgroup-limited", {"cpu.oversubscribed"}},
      {"cpu.affinity-limited", {"cpu.oversubscribed"}},
  };
  return table;
}

namespace {

bool names_one_device(std::string_view subject) {
  return subject.starts_with("gpu:") || subject.starts_with("cuda:") || subject.starts_with("opencl:");
}

bool same_matter(const Finding& cause, const Finding& consequence) {
  return cause.subject == consequence.subject || !names_one_device(cause.subject) ||
         !names_one_device(consequence.subject);
}

// What keeps a GPU from being used keeps an expectation of its use from being met.
bool expects_use(std::string_view id) {
  return id == "expect.stack" || id == "expect.framework" || id == "expect.compute" || id == "expect.speed";
}

bool explains(const Finding& cause, const Finding& consequence) {
  const bool use = expects_use(consequence.id);
  return std::ranges::any_of(explains_table(), [&](const Explains& row) {
    return row.cause == cause.id && std::ranges::any_of(row.consequences, [&](std::string_view id) {
             return id == consequence.id || (use && id == "usage.detected-unused");
           });
  });
}

}  // namespace

void find_roots(std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    finding.caused_by.clear();
    for (const Finding& cause : findings) {
      // What is told as information, or a guess, doesn't explain away something surer.
      if (cause.severity == Severity::info ||
          (cause.confidence == Confidence::possible && finding.confidence > cause.confidence))
        continue;
      if (!explains(cause, finding) || !same_matter(cause, finding)) continue;
      if (std::ranges::find(finding.caused_by, cause.id) == finding.caused_by.end())
        finding.caused_by.push_back(cause.id);
    }
    std::ranges::sort(finding.caused_by);
    finding.root = finding.caused_by.empty();
  }
}

}  // namespace envdoctor
