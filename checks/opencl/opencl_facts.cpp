#include "checks/opencl/opencl_facts.h"

#include <cctype>

#include "checks/runtime/library_facts.h"
#include "knowledge/lower_case.h"

namespace envdoctor::opencl {

using enum SymptomClass;
namespace {

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// A vendor's driver loads, but no listed platform belongs to this vendor.
bool lacks_its_platform(const Snapshot& snapshot, const OpenclIcd& icd) {
  const auto* all = platforms(snapshot);
  const Maker maker = maker_of(text_of(icd.library));
  if (!all || maker == Maker::other || maker == Maker::mesa) return false;
  return std::ranges::none_of(*all, [&](const OpenclPlatform& p) { return maker_of(text_of(p.name)) == maker; });
}

// RUSTICL_ENABLE names drivers; numbers and words such as "1" or "true" name none.
bool names_a_driver(const std::string& value) {
  return std::ranges::any_of(value, [](unsigned char c) { return std::isalpha(c) != 0; }) && value != "true" &&
         value != "yes" && value != "on";
}

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
  if (maker == Maker::cpu) return false;
  if (maker == Maker::other) return has_any_gpu(snapshot);
  if (maker == Maker::nvidia) return has_gpu(snapshot, Vendor::nvidia);
  const Flag amd = has_gpu(snapshot, Vendor::amd);
  return maker == Maker::amd || (maker == Maker::mesa && amd.is(true)) ? amd : has_gpu(snapshot, Vendor::intel);
}

const std::vector<OpenclIcd>* icds(const Snapshot& snapshot) { return snapshot.opencl.or_empty().icds.get(); }

const std::vector<OpenclPlatform>* platforms(const Snapshot& snapshot) {
  return snapshot.opencl.or_empty().platforms.get();
}

Reading<OpenclLoader> loader(const Snapshot& snapshot) {
  const Reading<OpenclLoader> probed = of(snapshot.opencl, &Opencl::loader);
  if (!snapshot.opencl.get() || probed.outcome() != Outcome::not_probed) return probed;
  const bool missing = std::ranges::any_of(snapshot.libraries.or_empty(), [](const SharedLibrary& library) {
    return library.soname.is("libOpenCL.so.1") && library.found.is(false);
  });
  return missing ? Reading<OpenclLoader>(absent("libOpenCL.so.1 is not found")) : probed;
}

std::string loader_kind(const OpenclLoader& loader) {
  if (loader.kind.value_or("unknown") != "unknown") return *loader.kind.get();
  const std::string version = lower_case(text_of(loader.version));
  if (holds(version, "khronos")) return "khronos";
  return holds(version, "ocl-icd") ? "ocl-icd" : "unknown";
}

Flag no_platform(const Snapshot& snapshot) {
  const Opencl* section = snapshot.opencl.get();
  if (!section) return snapshot.opencl.missing();
  if (section->application_platforms.get()) return section->application_platforms.is(0);
  if (section->error.get()) return section->error.is("-1001") || holds(*section->error.get(), "PLATFORM_NOT_FOUND");
  return section->platforms.then([](const auto& all) { return all.empty(); });
}

bool has_no_device(const OpenclPlatform& platform) { return platform.devices.get() && platform.devices.get()->empty(); }

std::vector<Empty> empties(const Snapshot& snapshot) {
  std::vector<Empty> all;
  const Opencl& section = snapshot.opencl.or_empty();
  if (!section.platforms.get()) return all;
  const auto& rows = *section.platforms.get();
  for (const auto& [i, platform] : numbered(section.platforms)) {
    // A report that lists rusticl without a device, alone or beside platforms with theirs: its state unless a driver is
    // named.
    const bool all_others_full =
        std::ranges::count_if(rows, [](const OpenclPlatform& row) { return !row.devices.or_empty().empty(); }) + 1 ==
        std::ssize(rows);
    const bool quiet_rusticl = is_rusticl(text_of(platform.name)) && all_others_full &&
                               platform.devices.outcome() == Outcome::not_probed && from_report(snapshot);
    if (!has_no_device(platform) && !quiet_rusticl) continue;
    const std::string name = text_of(platform.name);
    all.push_back({name, platform.icd.get() ? "icd:" + *platform.icd.get() : "opencl:" + name,
                   evidence(at("/opencl/platforms", i, "devices"), "none")});
  }
  for (const auto& [i, icd] : numbered(section.icds)) {
    if (!icd.loads.is(true) || (icd.error.get() && !icd.error_kind.is("no-platform"))) continue;
    if (!icd.platforms.is(0) && (icd.platforms.get() || !lacks_its_platform(snapshot, icd))) continue;
    const Evidence proof = icd.platforms.get() ? evidence(at("/opencl/icds", i, "platforms"), "0")
                                               : evidence("/opencl/platforms", "none of " + text_of(icd.library));
    all.push_back({text_of(icd.library), "icd:" + text_of(icd.file), proof});
  }
  return all;
}

bool rusticl_not_enabled(const Snapshot& snapshot, const Empty& empty) {
  const Text variable = env_of(snapshot, "RUSTICL_ENABLE");
  if (variable.get() ? names_a_driver(*variable.get()) : variable.outcome() == Outcome::failed) return false;
  return is_rusticl(empty.name);
}

void answer_without_finding(const Snapshot& snapshot, bool present, const char* why_not_applicable, Answers& answers) {
  const auto* all = platforms(snapshot);
  if (!all) return answers.unknown(why_unknown("/opencl/platforms", of(snapshot.opencl, &Opencl::platforms)));
  const bool said_empty = !empties(snapshot).empty();
  if (!said_empty && std::ranges::any_of(*all, [](const OpenclPlatform& p) { return !p.devices.get(); }))
    return answers.unknown("/opencl/platforms: not every platform's devices are known");
  present ? answers.passed() : answers.not_applicable(why_not_applicable);
}

std::optional<std::size_t> nvidia_library(const Snapshot& snapshot) {
  for (const LibraryRow& row : rows_of(snapshot, "libnvidia-opencl.so.1")) {
    if (row.library->found.is(true)) return row.index;
  }
  return std::nullopt;
}

namespace {

// The image's loader is that of a CUDA toolkit.
bool loads_from_toolkit(const Facts& facts) {
  const Symptom* loader = facts.first({{mismatch, "opencl-loader"}});
  return loader && loader->detail("path").find("/cuda") != std::string::npos;
}

}  // namespace

bool nvidia_in_container(const Facts& facts) {
  return facts.container() && facts.saw({{missing, "opencl-platform"}, {missing, "opencl-device"}}) &&
         !facts.driver_dead() &&
         (!of(facts.snapshot().nvidia, &Nvidia::devices).or_empty().empty() || facts.driver_works() ||
          facts.saw({{present, "nvidia-opencl-library"}}) || loads_from_toolkit(facts));
}

Severity weigh(const Snapshot& snapshot, Severity usual) {
  if (has_any_gpu(snapshot).is(false)) return Severity::info;
  // Files of `verify` and `bench` list only the devices that compute: a GPU without a driver was not looked for.
  const bool looked = snapshot.pci.outcome() != Outcome::not_probed || from_report(snapshot);
  if (!looked && !has_any_gpu(snapshot).get()) return std::min(usual, Severity::warning);
  if (opencl_lists_gpu(snapshot)) return std::min(usual, Severity::warning);
  if (!gpu_works_without_opencl(snapshot)) return usual;
  const bool asked = !snapshot.opencl.or_empty().icds.or_empty().empty();
  return std::min(usual, asked ? Severity::warning : Severity::info);
}

std::string install(const Snapshot& snapshot, std::string_view debian, std::string_view fedora, std::string_view arch) {
  const std::string os = lower_case(text_of(of(snapshot.host, &HostFacts::os)));
  const bool root = of(snapshot.host, &HostFacts::user).or_empty().uid.is(0);
  const auto command = [&](const char* manager, std::string_view package) {
    return package.empty() ? "" : fmt::format("{}{} {}", root ? "" : "sudo ", manager, package);
  };
  if (os.starts_with("debian") || os.starts_with("ubuntu")) return command("apt-get install", debian);
  if (os.starts_with("fedora")) return command("dnf install", fedora);
  if (os.starts_with("arch")) return command("pacman -S", arch);
  return {};
}

}  // namespace envdoctor::opencl
