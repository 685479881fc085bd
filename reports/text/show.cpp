// `envdoctor show`: this host's facts on one page, without judgement.
#include <fmt/format.h>

#include <filesystem>

#include "checks/facts/facts.h"
#include "checks/facts/gpus.h"
#include "reports/reports.h"
#include "reports/summary.h"
#include "reports/text/show_rows.h"

namespace envdoctor {
namespace {

// "1 core", "2 cores".
std::string counted(const Number& reading, std::string_view thing) {
  return reading.get() ? fmt::format("{} {}{}", *reading.get(), thing, *reading.get() == 1 ? "" : "s") : std::string();
}

std::string show_host(const Snapshot& s) {
  const HostFacts& host = s.host.or_empty();
  const Cgroup& cgroup = host.cgroup.or_empty();
  const Cpu& cpu = s.cpu.or_empty();
  const auto size = [](const Number& mib, std::string_view what) {
    return mib.get() ? size_text(*mib.get()) + std::string(what) : "";
  };
  return row("system", joined({plain(host.os), value(host.kernel, "kernel "), plain(host.arch)})) +
         row("runs in", joined({host.platform.is("wsl2") ? "WSL2" : "", value(host.container, "container: "),
                                value(host.virtualization, "virtualization: ")})) +
         row("/dev/shm", host.shm_mib.get() ? size_text(*host.shm_mib.get()) : plain(host.shm_mib)) +
         row("cgroup", joined({value(cgroup.version, "v"), value(cgroup.cpus, "", " CPUs"),
                               value(cgroup.memory_mib, "", " MiB")})) +
         row("CPU", joined({plain(cpu.model), counted(cpu.sockets, "socket"), counted(cpu.cores, "core"),
                            counted(cpu.threads, "thread"), counted(cpu.numa_nodes, "NUMA node"),
                            value(cpu.allowed_cpus, "", " allowed")})) +
         row("ISA", fmt::format("{}", fmt::join(cpu.isa.or_empty(), " "))) +
         row("memory", joined({size(s.memory.or_empty().total_mib, " total"),
                               size(s.memory.or_empty().available_mib, " available")}));
}

std::string link_text(const Reading<PciLink>& reading) {
  const PciLink* link = reading.get();
  if (!link || !link->width.get()) return {};
  std::string out = fmt::format("PCIe {}x{}", value(link->speed_gtps, "", " GT/s "), *link->width.get());
  if (link->max_width.get())
    out += fmt::format(" of {}x{}", value(link->max_speed_gtps, "", " GT/s "), *link->max_width.get());
  return out;
}

std::string show_gpus(const Snapshot& s) {
  std::string out;
  for (const Gpu& gpu : gpus_of(s)) {
    out += row(gpu.address.empty() ? "GPU" : gpu.address,
               joined({gpu.name.empty() ? gpu.device_id : gpu.name, gpu.integrated ? "integrated" : "",
                       gpu.granted ? "" : "not granted here"}));
    const auto* pci = gpu.pci_index >= 0 ? &s.pci.get()->at(static_cast<std::size_t>(gpu.pci_index)) : nullptr;
    out += row("", joined({gpu.architecture.empty() ? "" : gpu.architecture + (gpu.chip.empty() ? "" : " " + gpu.chip),
                           gpu.compute_capability.empty() ? "" : "compute capability " + gpu.compute_capability,
                           gpu.gfx, pci ? value(pci->driver, "driver ") : "", pci ? link_text(pci->link) : "",
                           pci ? value(pci->numa_node, "NUMA node ") : ""}));
    if (gpu.nvml_index >= 0) {
      const NvidiaDevice& device = s.nvidia.get()->devices.get()->at(static_cast<std::size_t>(gpu.nvml_index));
      out += row("", joined({value(device.index, "NVML index "), plain(device.uuid),
                             value(device.memory_total_mib, "", " MiB"), value(device.memory_free_mib, "", " MiB free"),
                             value(device.temperature_c, "", " C"), value(device.power_w, "", " W"),
                             device.mig.is(true) ? "MIG" : ""}));
    }
  }
  for (const PciDevice& device : s.pci.or_empty()) {
    if (!counts_as_gpu(device))
      out += row(value(device.address), joined({value(device.vendor), value(device.name), "not a compute GPU"}));
  }
  out += row("PCI", unknown(s.pci));
  return out.empty() ? row("none", "no GPU found") : out;
}

std::string show_drivers(const Snapshot& s) {
  std::string out, modules, nodes;
  for (const Module& module : s.modules.or_empty())
    modules = joined({modules, value(module.name) + value(module.version, " ")});
  for (const DeviceNode& node : s.device_nodes.or_empty())
    nodes = joined({nodes, value(node.path) + (node.accessible.is(false) ? value(node.error, " (", ")") : "")});
  out += row("modules", s.modules.get() ? (modules.empty() ? "none for GPUs" : modules) : "");
  out += row("nodes", s.device_nodes.get() ? (nodes.empty() ? "none" : nodes) : "");
  const Nvidia& nvidia = s.nvidia.or_empty();
  const Rocm& rocm = s.rocm.or_empty();
  const LevelZero& ze = s.level_zero.or_empty();
  out += row("NVIDIA", joined({plain(nvidia.kernel_driver_version), value(nvidia.kernel_module_kind),
                               value(nvidia.userspace_driver_version, "libraries "),
                               value(nvidia.cuda_driver_version, "CUDA up to ")}));
  out += row("NVML", joined({plain(nvidia.nvml_library), value(nvidia.nvml_error, "error ")}));
  out += row("libcuda", joined({plain(nvidia.cuda_library), value(nvidia.cuinit_error, "cuInit: ")}));
  for (const CudaDevice& device : nvidia.cuda_devices.or_empty())
    out += row(value(device.ordinal, "CUDA "),
               joined({value(device.uuid), value(device.pci_address, "at "), value(device.name),
                       value(device.compute_capability, "capability ")}));
  out += row("ROCm", joined({plain(rocm.version), value(rocm.kernel_driver_version, "amdgpu "),
                             value(rocm.hip_version, "HIP "), value(rocm.hip_error, "error ")}));
  out += row("Level Zero", joined({plain(ze.library), value(ze.version), value(ze.error, "error ")}));
  return out;
}

std::string show_opencl(const Snapshot& s) {
  const Opencl& opencl = s.opencl.or_empty();
  const OpenclLoader& loader = opencl.loader.or_empty();
  std::string out = row("OpenCL", unknown(s.opencl));
  out += row("loader", joined({value(loader.path), value(loader.kind), value(loader.version),
                               value(loader.vendors_dir, "reads "), unknown(opencl.loader)}));
  for (const OpenclIcd& icd : opencl.icds.or_empty())
    out += row("driver",
               joined({value(icd.file) + value(icd.library, " -> "), icd.loads.is(true) ? "loads" : value(icd.error)}));
  for (const OpenclPlatform& platform : opencl.platforms.or_empty()) {
    out += row("platform", joined({value(platform.name), value(platform.version)}));
    if (platform.devices.get() && platform.devices.get()->empty()) out += row("", "no device");
    for (const OpenclDevice& device : platform.devices.or_empty())
      out +=
          row("", joined({value(device.type, "", ": ") + value(device.name), value(device.compute_units, "", " units"),
                          value(device.memory_total_mib, "", " MiB"), device.fp64.is(true) ? "fp64" : "",
                          device.fp16.is(true) ? "fp16" : "", value(device.kernel, "tiny kernel ")}));
  }
  return out;
}

// One row per folder; a separate row for a library with a problem.
std::string show_libraries(const Snapshot& s) {
  std::string out;
  for (const Toolkit& toolkit : s.toolkits.or_empty())
    out += row("CUDA toolkit", joined({value(toolkit.version), value(toolkit.path)}));
  std::map<std::string, std::string> folders;  // "by ldcache, in /usr/lib" -> "libcudart.so.12 12.4.127, ..."
  std::string missing, unusual;
  for (const SharedLibrary& library : s.libraries.or_empty()) {
    const std::string name = value(library.soname) + value(library.version, " ");
    if (library.stub.is(true) || library.shadowed_by.get()) {
      const std::string found = library.found.is(false) ? "not found" : value(library.path);
      unusual += row("library", joined({name, found, library.stub.is(true) ? "stub" : "", value(library.origin, "by "),
                                        value(library.shadowed_by, "shadowed by ")}));
    } else if (library.found.is(false)) {
      missing = joined({missing, name});
    } else {
      const std::filesystem::path path(value(library.path));
      std::string& folder = folders[joined({value(library.origin, "by "), "in " + path.parent_path().string()})];
      folder = joined({folder, name});
    }
  }
  for (const auto& [where, names] : folders) out += row("libraries", where + ": " + names);
  return out + unusual + row("not found", missing);
}

std::string show_env(const Snapshot& s) {
  std::string out;
  for (const auto& [name, text] : s.env.or_empty())
    out += wrap("  ", name + "=" + (text.get() ? (text.get()->empty() ? "\"\"" : *text.get()) : plain(text)));
  return out.empty() && s.env.get() ? row("none", "no relevant variable is set") : out;
}

struct Section {
  const char* name;
  const char* title;
  std::string (*show)(const Snapshot&);
};
constexpr Section sections[] = {{"host", "Host", show_host},
                                {"gpus", "GPUs", show_gpus},
                                {"drivers", "Drivers", show_drivers},
                                {"opencl", "OpenCL", show_opencl},
                                {"libraries", "Libraries", show_libraries},
                                {"env", "Environment", show_env},
                                {"python", "Python", show_python}};

}  // namespace

std::vector<std::string> show_sections() {
  std::vector<std::string> names;
  for (const Section& section : sections) names.emplace_back(section.name);
  return names;
}

std::string render_show(const Snapshot& snapshot, const std::string& only) {
  std::string out;
  for (const Section& section : sections) {
    if (!only.empty() && only != section.name) continue;
    const std::string body = section.show(snapshot);
    if (!body.empty()) out += (out.empty() ? "" : "\n") + std::string(section.title) + "\n" + body;
  }
  return out;
}

}  // namespace envdoctor
