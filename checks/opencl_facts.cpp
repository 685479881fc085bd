#include "checks/opencl_facts.h"

#include <algorithm>

#include "knowledge/lower_case.h"

namespace envdoctor::opencl {
namespace {

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

bool is_pocl(std::string_view name) {
  const std::string plain = lower_case(name);
  return holds(plain, "pocl") || holds(plain, "portable computing language");
}

Maker maker_of(std::string_view name) {
  const std::string plain = lower_case(name);
  if (holds(plain, "rusticl") || holds(plain, "mesaopencl") || holds(plain, "clover")) return Maker::mesa;
  if (is_pocl(name)) return Maker::cpu;
  if (holds(plain, "nvidia")) return Maker::nvidia;
  if (holds(plain, "amdocl") || holds(plain, "amd accelerated")) return Maker::amd;
  if (holds(plain, "igdrcl") || holds(plain, "intel(r) opencl graphics") || holds(plain, "intel(r) opencl hd graphics"))
    return Maker::intel;
  if (holds(plain, "intelocl") || holds(plain, "fpga") || plain == "intel(r) opencl") return Maker::cpu;
  return Maker::other;
}

bool is_rusticl(std::string_view name) { return holds(lower_case(name), "rusticl"); }

Flag has_gpu_of(const Snapshot& snapshot, Maker maker) {
  switch (maker) {
    case Maker::nvidia:
      return has_gpu(snapshot, Vendor::nvidia);
    case Maker::amd:
      return has_gpu(snapshot, Vendor::amd);
    case Maker::intel:
      return has_gpu(snapshot, Vendor::intel);
    case Maker::cpu:
      return false;
    case Maker::mesa: {
      const Flag amd = has_gpu(snapshot, Vendor::amd);
      return amd.is(true) ? amd : has_gpu(snapshot, Vendor::intel);
    }
    case Maker::other:
      return has_any_gpu(snapshot);
  }
  return {};
}

const std::vector<OpenclIcd>* icds(const Snapshot& snapshot) {
  const Opencl* section = snapshot.opencl.get();
  return section ? section->icds.get() : nullptr;
}

const std::vector<OpenclPlatform>* platforms(const Snapshot& snapshot) {
  const Opencl* section = snapshot.opencl.get();
  return section ? section->platforms.get() : nullptr;
}

Reading<OpenclLoader> loader(const Snapshot& snapshot) {
  if (!snapshot.opencl.get()) return snapshot.opencl.missing();
  const Reading<OpenclLoader>& told = snapshot.opencl.get()->loader;
  if (told.outcome() != Outcome::not_probed || !snapshot.libraries.get()) return told;
  for (const SharedLibrary& library : *snapshot.libraries.get()) {
    if (library.soname.is("libOpenCL.so.1") && library.found.is(false)) return absent("libOpenCL.so.1 is not found");
  }
  return told;
}

std::string loader_kind(const OpenclLoader& loader) {
  if (loader.kind.get() && *loader.kind.get() != "unknown") return *loader.kind.get();
  const std::string version = lower_case(text_of(loader.version));
  if (holds(version, "khronos")) return "khronos";
  return holds(version, "ocl-icd") ? "ocl-icd" : "unknown";
}

Flag no_platform(const Snapshot& snapshot) {
  const Opencl* section = snapshot.opencl.get();
  if (!section) return snapshot.opencl.missing();
  if (section->application_platforms.get()) return *section->application_platforms.get() == 0;
  if (section->error.get())
    return *section->error.get() == "-1001" || holds(*section->error.get(), "PLATFORM_NOT_FOUND");
  return section->platforms.then([](const auto& all) { return all.empty(); });
}

bool has_no_device(const OpenclPlatform& platform) { return platform.devices.get() && platform.devices.get()->empty(); }

Severity weigh(const Snapshot& snapshot, Severity usual) {
  if (has_any_gpu(snapshot).is(false)) return Severity::info;
  // Files of `verify` and `bench` hold the devices that compute: nobody looked for a GPU that is left without a driver.
  const bool looked = snapshot.pci.outcome() != Outcome::not_probed || told_by_a_report(snapshot);
  if (!looked && !has_any_gpu(snapshot).get()) return std::min(usual, Severity::warning);
  if (opencl_lists_gpu(snapshot)) return std::min(usual, Severity::warning);
  if (!gpu_works_without_opencl(snapshot)) return usual;
  const bool asked = icds(snapshot) && !icds(snapshot)->empty();
  return std::min(usual, asked ? Severity::warning : Severity::info);
}

std::string install(const Snapshot& snapshot, std::string_view debian, std::string_view fedora, std::string_view arch) {
  const std::string os = lower_case(text_of(of(snapshot.host, &HostFacts::os)));
  const bool root = of(snapshot.host, &HostFacts::user).then([](const User& user) { return user.uid.is(0); }).is(true);
  const std::string sudo = root ? "" : "sudo ";
  const auto command = [&](std::string_view manager, std::string_view package) {
    return package.empty() ? std::string() : sudo + std::string(manager) + " " + std::string(package);
  };
  if (os.starts_with("debian") || os.starts_with("ubuntu")) return command("apt-get install", debian);
  if (os.starts_with("fedora")) return command("dnf install", fedora);
  if (os.starts_with("arch")) return command("pacman -S", arch);
  return {};
}

}  // namespace envdoctor::opencl
