// hardware.pcie-degraded: fewer lanes than the GPU could use. The width stays when a GPU idles; the speed doesn't.
#include <fmt/format.h>

#include "checks/driver/nvidia_facts.h"
#include "checks/facts/gpus.h"

namespace envdoctor::hardware_pcie_degraded {

using enum SymptomClass;
namespace {

constexpr const char* id = "hardware.pcie-degraded";

struct Link {
  const PciLink* link = nullptr;
  std::string place{};
};

Link link_of(const Gpu& gpu, const Snapshot& snapshot) {
  if (gpu.nvml_index >= 0) {
    const auto index = static_cast<std::size_t>(gpu.nvml_index);
    const NvidiaDevice& device = (*snapshot.nvidia.get()->devices.get())[index];
    if (const PciLink* link = device.link.get(); link && link->width.get() && link->max_width.get())
      return {link, at("/nvidia/devices", index, "link")};
  }
  if (gpu.pci_index >= 0) {
    const auto index = static_cast<std::size_t>(gpu.pci_index);
    if (const PciLink* link = (*snapshot.pci.get())[index].link.get()) return {link, at("/pci", index, "link")};
  }
  return {};
}

// A link width that can be one; a sleeping device reads as 0 or all ones.
bool plausible(const Number& width) { return width.get() && *width.get() >= 1 && *width.get() <= 32; }

void narrow(const Gpu& gpu, const Link& found, Answers& answers) {
  const auto width = *found.link->width.get();
  const auto most = *found.link->max_width.get();
  Finding& finding = answers.found(id, gpu.subject());
  // Half the lanes is how many boards are wired, laptops and two-slot desktops above all.
  const bool by_design = width * 2 >= most;
  if (by_design) finding.severity = Severity::info;
  finding.explanation = fmt::format(
      "The link runs with {} lanes, the GPU has {}. Unlike the speed, the width does not go down while a GPU idles.{}",
      width, most,
      by_design ? " Half the lanes is how many slots are wired and seldom costs much."
                : " Copies to and from the GPU take several times as long.");
  finding.evidence = {evidence(found.place + "/width", fmt::format("x{}", width)),
                      evidence(found.place + "/max_width", fmt::format("x{}", most))};
  finding.fix = {{.text = "Put the card into a slot with all lanes, seat it and its riser again, and look up in the "
                          "board's manual which "
                          "slots share lanes."}};
}

// Under load a link that stays slow is worth a line; idle links are slow on purpose.
void slow(const Gpu& gpu, const Link& found, std::int64_t utilization, Answers& answers) {
  Finding& finding = answers.found(id, gpu.subject());
  finding.severity = Severity::info;
  finding.confidence = Confidence::possible;
  finding.title = "The PCIe link is slower than it can be while the GPU works";
  finding.explanation = fmt::format("The GPU is {} % busy and its link runs at {} of {} GT/s.", utilization,
                                    *found.link->speed_gtps.get(), *found.link->max_speed_gtps.get());
  finding.evidence = {evidence(found.place + "/speed_gtps", fmt::format("{}", *found.link->speed_gtps.get())),
                      evidence(found.place + "/max_speed_gtps", fmt::format("{}", *found.link->max_speed_gtps.get()))};
}

std::int64_t busy_percent(const Gpu& gpu, const Snapshot& snapshot) {
  if (gpu.nvml_index < 0) return 0;
  const Number use =
      (*snapshot.nvidia.get()->devices.get())[static_cast<std::size_t>(gpu.nvml_index)].utilization_percent;
  return use.get() ? *use.get() : 0;
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  const Text virtualization = of(snapshot.host, &HostFacts::virtualization);
  if (virtualization.get() && *virtualization.get() != "none")
    return answers.not_applicable(id, "in a virtual machine the link's figures are the hypervisor's");
  bool any = false;
  bool any_known = false;
  bool any_unknown = false;
  for (const Gpu& gpu : gpus_of(snapshot)) {
    if (!gpu.granted || gpu.integrated) continue;
    any = true;
    const Link found = link_of(gpu, snapshot);
    if (!found.link || !plausible(found.link->width) || !plausible(found.link->max_width)) {
      any_unknown = true;
      continue;
    }
    any_known = true;
    const auto& speed = found.link->speed_gtps;
    const auto& most = found.link->max_speed_gtps;
    if (*found.link->width.get() < *found.link->max_width.get()) {
      narrow(gpu, found, answers);
    } else if (const auto busy = busy_percent(gpu, snapshot);
               busy >= 50 && speed.get() && most.get() && *speed.get() < *most.get()) {
      slow(gpu, found, busy, answers);
    }
  }
  if (any_unknown) return answers.unknown(id, "the width of a GPU's link is not known");
  if (any_known) return answers.passed(id);
  if (any || !snapshot.pci.get()) return answers.unknown(id, why_unknown("/pci", snapshot.pci));
  answers.not_applicable(id, "no GPU in a slot");
}

bool links_unknown(const Facts& facts) {
  const auto* devices = facts.snapshot().pci.get();
  return !devices || std::ranges::none_of(*devices, [](const PciDevice& d) { return d.link.get() != nullptr; });
}

}  // namespace

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "hardware.pcie-degraded",
      .layer = Layer::hardware,
      .severity = Severity::warning,
      .title = "The GPU has fewer PCIe lanes than it can use",
      .claim = "The link runs with fewer lanes than both ends could, so copies to and from the GPU are slower.",
      .proof = "The link runs at fewer lanes than card and slot have.",
      .disproof = "The link's width equals the widest that the slot offers.",
      .remedy = "Seat the card again, try another slot or riser, and look up how the mainboard shares its lanes.",
      .symptoms =
          {
              {{failed, "pcie-link"}, possible},
              {{limited, "pcie-width"}, likely, links_unknown},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::hardware_pcie_degraded
