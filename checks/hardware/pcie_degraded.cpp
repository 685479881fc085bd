// hardware.pcie-degraded: fewer lanes than the GPU could use. The width stays when a GPU idles; the speed doesn't.
#include "checks/driver/nvidia_facts.h"

namespace envdoctor::hardware_pcie_degraded {

using enum SymptomClass;

struct Link {
  const PciLink* link = nullptr;
  std::string place{};
};

Link link_of(const Gpu& gpu, const Snapshot& snapshot) {
  const NvidiaDevice* listed = nvml_device(snapshot, gpu);
  if (listed && listed->link.or_empty().width.get() && listed->link.or_empty().max_width.get())
    return {listed->link.get(), at("/nvidia/devices", static_cast<std::size_t>(gpu.nvml_index), "link")};
  const PciDevice* device = pci_device(snapshot, gpu);
  return device && device->link.get() ? Link{device->link.get(), gpu.in_pci("link")} : Link{};
}

// A valid link width; a sleeping device reads as 0 or all ones.
bool plausible(const Number& width) { return width.get() && *width.get() >= 1 && *width.get() <= 32; }

// GPUs of laptops are soldered to half of their lanes.
bool wired_narrow(const Gpu& gpu, const PciLink& link) {
  const bool laptop = gpu.name.find("Laptop GPU") != gpu.name.npos || gpu.name.find("Max-Q") != gpu.name.npos;
  return laptop && *link.width.get() * 2 >= *link.max_width.get();
}

void narrow(const Gpu& gpu, const Link& found, Answers& answers) {
  const auto width = *found.link->width.get();
  const auto most = *found.link->max_width.get();
  Finding& finding = answers.found_on(gpu.subject());
  // Many boards wire only half of the lanes, especially laptops and desktops with two slots.
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
                          "board's manual which slots share lanes."}};
}

// A link that stays slow under load is reported; idle links are slow on purpose.
void slow_link(const Gpu& gpu, const Link& found, std::int64_t utilization, Answers& answers) {
  Finding& finding = answers.found_on(gpu.subject());
  finding.severity = Severity::info;
  finding.confidence = Confidence::possible;
  finding.title = "The PCIe link is slower than it can be while the GPU works";
  finding.explanation = fmt::format("The GPU is {} % busy and its link runs at {} of {} GT/s.", utilization,
                                    *found.link->speed_gtps.get(), *found.link->max_speed_gtps.get());
  finding.evidence = {evidence(found.place + "/speed_gtps", fmt::format("{}", *found.link->speed_gtps.get())),
                      evidence(found.place + "/max_speed_gtps", fmt::format("{}", *found.link->max_speed_gtps.get()))};
}

std::int64_t busy_percent(const Gpu& gpu, const Snapshot& snapshot) {
  const NvidiaDevice* device = nvml_device(snapshot, gpu);
  return device ? device->utilization_percent.or_empty() : 0;
}

void judge(const Snapshot& snapshot, Answers& answers) {
  if (of(snapshot.host, &HostFacts::virtualization).value_or("none") != "none")
    return answers.not_applicable("in a virtual machine the link's figures are the hypervisor's");
  bool any = false;
  for (const Gpu& gpu : gpus_of(snapshot)) {
    if (!gpu.granted || gpu.integrated) continue;
    any = true;
    const Link found = link_of(gpu, snapshot);
    if (!found.link || !plausible(found.link->width) || !plausible(found.link->max_width)) {
      answers.unknown("the width of a GPU's link is not known");
      continue;
    }
    answers.passed();
    const auto& speed = found.link->speed_gtps;
    const auto& most = found.link->max_speed_gtps;
    const auto busy = busy_percent(gpu, snapshot);
    if (*found.link->width.get() < *found.link->max_width.get() && !wired_narrow(gpu, *found.link))
      narrow(gpu, found, answers);
    else if (busy >= 50 && speed.get() && most.get() && *speed.get() < *most.get())
      slow_link(gpu, found, busy, answers);
  }
  if (any) return;
  snapshot.pci.get() ? answers.not_applicable("no GPU in a slot") : answers.unknown(why_unknown("/pci", snapshot.pci));
}

bool links_unknown(const Facts& facts) {
  return std::ranges::none_of(facts.snapshot().pci.or_empty(),
                              [](const PciDevice& d) { return d.link.get() != nullptr; });
}

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
              {{limited, "pcie-width"}, likely, links_unknown},
              {{slow, "host-copy"}, possible, links_unknown},
          },
      .judge_host = judge,
  };
}

}  // namespace envdoctor::hardware_pcie_degraded
