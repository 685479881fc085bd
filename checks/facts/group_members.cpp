#include "checks/facts/group_members.h"

#include <algorithm>

#include "checks/facts/gpus.h"

namespace envdoctor {
namespace {

using Members = std::span<const GroupMember>;

constexpr GroupMember nvidia_members[] = {
    {"driver.module-not-loaded", "no nvidia module is listed, and the driver is installed", "lsmod | grep nvidia"},
    {"driver.not-installed", "neither command knows an NVIDIA driver",
     "modinfo -F version nvidia; ldconfig -p | grep libcuda"},
    {"driver.libcuda-missing", "libcuda.so.1 isn't listed, and the module is loaded", "ldconfig -p | grep libcuda"},
    {"driver.permission", "the nodes belong to a group that isn't yours", "ls -l /dev/nvidia*; id"},
    {"driver.secure-boot", "Secure Boot is on, and the kernel log speaks of a key", "mokutil --sb-state"},
    {"hardware.no-gpu", "nothing is listed", "lspci -nn -d 10de:"}};

// Members that only facts of the host itself make likely.
constexpr GroupMember rarer_members[] = {
    {"driver.device-nodes-missing", "the module is listed, and no node is there",
     "lsmod | grep nvidia; ls -l /dev/nvidia*"},
    {"driver.gpu-init-failed", "the kernel log speaks of RmInitAdapter", "sudo dmesg | grep NVRM"}};

constexpr GroupMember container_members[] = {
    {"visibility.container-hidden", "no node is listed inside the container", "ls -l /dev/nvidia*"},
    {"driver.libcuda-missing", "the nodes are there, and libcuda.so.1 isn't listed", "ldconfig -p | grep libcuda"},
    {"driver.module-not-loaded", "the file doesn't exist: the host has no driver either",
     "cat /proc/driver/nvidia/version"}};

constexpr GroupMember amd_members[] = {
    {"driver.permission", "the nodes belong to a group that isn't yours", "ls -l /dev/kfd /dev/dri/renderD*; id"},
    {"driver.module-not-loaded", "no amdgpu is listed", "lsmod | grep amdgpu"},
    {"visibility.empty", "a variable is set", "env | grep VISIBLE_DEVICES"},
    {"hardware.no-gpu", "nothing is listed", "lspci -nn -d 1002:"}};

constexpr GroupMember intel_members[] = {
    {"driver.module-not-loaded", "neither i915 nor xe is listed", "lsmod | grep -E 'i915|xe'"},
    {"driver.permission", "the nodes belong to a group that isn't yours", "ls -l /dev/dri/renderD*; id"},
    {"driver.not-installed", "no compute runtime is listed", "ldconfig -p | grep -E 'ze_intel_gpu|igdrcl'"},
    {"driver.kernel-runtime-incompatible", "the kernel is newer than the compute runtime",
     "uname -r; lspci -nnk -d 8086:"},
    {"visibility.empty", "a variable is set", "env | grep -E 'ZE_AFFINITY_MASK|ONEAPI_DEVICE_SELECTOR'"}};

constexpr GroupMember opencl_members[] = {
    {"opencl.no-icd", "the folder is empty or isn't there", "ls /etc/OpenCL/vendors"},
    {"opencl.icd-broken", "a library that a file names can't be opened", "OCL_ICD_DEBUG=7 clinfo -l"},
    {"opencl.wrong-loader", "another folder than /etc/OpenCL/vendors is opened", "strace -f -e trace=openat clinfo -l"},
    {"opencl.permission", "the node belongs to a group that isn't yours", "ls -l /dev/dri/renderD*; id"},
    {"driver.version-mismatch", "it says that driver and library differ", "nvidia-smi"}};

}  // namespace

std::span<const GroupMember> group_members(std::string_view id, const Facts& facts) {
  if (id == "opencl.no-platform") return opencl_members;
  if (id != "driver.unreachable") return {};
  const auto asked_for = [&](const char* stack) {
    return facts.with({SymptomClass::missing, "available-gpu"}, "stack", stack) != nullptr;
  };
  if (facts.saw({{SymptomClass::missing, "hip-device"}, {SymptomClass::failed, "hsa"}}) || asked_for("HIP"))
    return amd_members;
  if (facts.saw({{SymptomClass::failed, "level-zero"}}) || asked_for("XPU")) return intel_members;
  // The only GPUs that are known are another vendor's.
  const auto gpus = gpus_of(facts);
  const auto any_of = [&](Vendor vendor) {
    return std::ranges::any_of(gpus, [&](const Gpu& gpu) { return gpu.vendor == vendor && !gpu.integrated; });
  };
  if (!any_of(Vendor::nvidia) && any_of(Vendor::amd)) return amd_members;
  if (!any_of(Vendor::nvidia) && any_of(Vendor::intel)) return intel_members;
  return facts.container() ? Members(container_members) : Members(nvidia_members);
}

const GroupMember* group_member(std::string_view cause, bool in_container) {
  std::vector<Members> tables = {nvidia_members, rarer_members, container_members};
  if (in_container) std::rotate(tables.begin(), tables.begin() + 2, tables.end());
  for (const Members members : tables) {
    const auto found = std::ranges::find(members, cause, &GroupMember::cause);
    if (found != members.end()) return &*found;
  }
  return nullptr;
}

std::vector<Fix> deciding_commands(std::span<const GroupMember> members) {
  std::vector<Fix> fixes;
  for (const GroupMember& member : members)
    fixes.push_back(
        {.text = std::string("If ") + member.shows + ", it is " + member.cause + ".", .command = member.command});
  return fixes;
}

void describe_group(Finding& finding, const Facts& facts) {
  const auto members = group_members(finding.id, facts);
  if (members.empty()) return;
  finding.explanation = "The message fits several causes; the likeliest come first. Each command decides on one.";
  finding.fix = deciding_commands(members);
}

}  // namespace envdoctor
