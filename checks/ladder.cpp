#include "checks/ladder.h"

#include <algorithm>
#include <array>

#include "checks/rungs.h"

namespace envdoctor {
namespace {

constexpr std::array all_rungs = {Rung::hardware,    Rung::kernel_driver, Rung::device_node,
                                  Rung::user_driver, Rung::visibility,    Rung::runtime,
                                  Rung::framework,   Rung::compute,       Rung::use};

std::vector<std::string_view> stacks_of(const Gpu& gpu) {
  switch (gpu.vendor) {
    case Vendor::nvidia:
      return {"cuda", "opencl"};
    case Vendor::amd:
      return {"rocm", "opencl"};
    case Vendor::intel:
      return {"level-zero", "opencl"};
    case Vendor::other:
      return {};
  }
  return {};
}

std::string_view family(const Finding& finding) { return std::string_view(finding.id).substr(0, finding.id.find('.')); }

const Finding* breaker(const std::vector<Finding>& findings, Rung rung, const Gpu& gpu, std::string_view stack) {
  const auto found = std::ranges::find_if(findings, [&](const Finding& f) {
    return f.rung == rung && f.severity != Severity::info && concerns(f, gpu, stack) && breaks(f.id);
  });
  return found == findings.end() ? nullptr : &*found;
}

Ladder build(const Snapshot& snapshot, const Gpu& gpu, std::string_view stack, const std::vector<Finding>& findings) {
  Ladder ladder{.subject = gpu.subject(), .name = gpu.name, .stack = std::string(stack)};
  for (const Rung rung : all_rungs) ladder.rungs.push_back(prove(snapshot, gpu, stack, rung));
  auto& rungs = ladder.rungs;

  // The highest rung whose proof needs all below it. A CUDA library that was found proves nothing of the driver.
  const auto carries = [&](const RungResult& rung) {
    return rung.state == RungState::holds && (rung.rung != Rung::runtime || stack == "opencl");
  };
  std::size_t proved = rungs.size();
  while (proved > 0 && !carries(rungs[proved - 1])) --proved;
  for (std::size_t i = 0; i < proved; ++i) {
    if (rungs[i].state == RungState::unknown) rungs[i] = {rungs[i].rung, RungState::holds, "proved by the rungs above"};
  }
  bool broken = false;
  for (RungResult& rung : rungs) {
    if (!gpu.granted && rung.rung >= Rung::device_node && rung.state != RungState::holds) {
      rung = {rung.rung, RungState::not_applicable, "not granted here"};
    } else if (!gpu.granted && rung.rung >= Rung::visibility) {
      rung = {rung.rung, RungState::not_applicable, "not granted here"};
    } else if (broken && rung.state == RungState::unknown) {
      rung.why = "not reached";
    } else if (const Finding* finding = breaker(findings, rung.rung, gpu, stack);
               finding && rung.state != RungState::holds && rung.state != RungState::not_applicable) {
      rung = {rung.rung, RungState::broken, finding->id};
    }
    broken = broken || rung.state == RungState::broken;
  }
  return ladder;
}

}  // namespace

bool concerns(const Finding& finding, const Gpu& gpu, std::string_view stack) {
  if (family(finding) == "opencl" && stack != "opencl") return false;
  if (family(finding) == "runtime" && stack == "opencl") return false;
  if (finding.subject.starts_with("gpu:") || finding.subject.starts_with("cuda:"))
    return finding.subject == gpu.subject();
  // A device whose place on the bus is not known goes by its name.
  if (finding.subject.starts_with("opencl:"))
    return stack == "opencl" && !gpu.name.empty() && finding.subject.ends_with("/" + gpu.name);
  // What a finding rests on tells which vendor's GPUs it speaks of.
  const auto rests_on = [&](std::string_view section) {
    return std::ranges::any_of(finding.evidence, [&](const Evidence& e) { return e.path.starts_with(section); });
  };
  if (finding.subject == "host" && rests_on("/compute")) return false;  // the CPU itself
  const bool nvidia = rests_on("/nvidia"), amd = rests_on("/rocm"), intel = rests_on("/level_zero");
  if (!nvidia && !amd && !intel) return true;
  return (nvidia && gpu.vendor == Vendor::nvidia) || (amd && gpu.vendor == Vendor::amd) ||
         (intel && gpu.vendor == Vendor::intel);
}

bool holds_through(const Ladder& ladder, Rung last) {
  bool proved = false;
  for (const RungResult& rung : ladder.rungs) {
    if (rung.rung > last) break;
    if (rung.state == RungState::broken || rung.state == RungState::unknown) return false;
    if (rung.rung >= Rung::visibility && rung.state == RungState::holds) proved = true;
  }
  return proved;
}

std::vector<Ladder> build_ladders(const Snapshot& snapshot, const std::vector<Gpu>& gpus,
                                  const std::vector<Finding>& findings) {
  std::vector<Ladder> ladders;
  for (const Gpu& gpu : gpus) {
    for (const std::string_view stack : stacks_of(gpu)) ladders.push_back(build(snapshot, gpu, stack, findings));
  }
  return ladders;
}

}  // namespace envdoctor
