#include "checks/driver/xid_findings.h"

#include <algorithm>
#include <cstdlib>

#include "checks/engine/rule.h"
#include "knowledge/codes/names.h"

namespace envdoctor {

std::vector<LoggedXid> xids_of(const Snapshot& snapshot, std::string_view id) {
  std::vector<LoggedXid> found;
  const auto add = [&](std::int64_t code, std::string gpu, const Evidence& proof, bool only_mentioned = false) {
    if (!gpu.empty() && gpu.find('.') == gpu.npos) gpu += ".0";  // a GPU is its card's first function
    const auto known = knowledge::xid(code);
    if (!known || known->diagnosis != id) return;
    const auto same = std::ranges::find_if(found, [&](const LoggedXid& x) { return x.code == code && x.gpu == gpu; });
    if (same == found.end())
      found.push_back({.code = code, .gpu = gpu, .evidence = {proof}, .only_mentioned = only_mentioned});
    else if (same->evidence.size() == 1 && same->evidence.front().path != proof.path)
      same->evidence.push_back(proof);
  };
  for (const auto& [i, xid] : numbered(of(snapshot.nvidia, &Nvidia::xid))) {
    if (xid.code.get())
      add(*xid.code.get(), address_of(xid.gpu), evidence(at("/nvidia/xid", i), fmt::format("Xid {}", *xid.code.get())));
  }
  for (const Symptom* line : symptoms_of(snapshot, {SymptomClass::noted, "xid"}))
    add(std::atoi(line->detail("code").c_str()), normal_address(line->detail("gpu")), evidence(*line),
        !line->detail("told").empty());
  std::erase_if(found, [&](const LoggedXid& one) {
    return one.only_mentioned &&
           std::ranges::any_of(found, [&](const LoggedXid& x) { return !x.only_mentioned && x.code == one.code; });
  });
  return found;
}

bool follows_program_fault(const LoggedXid& xid, const Snapshot& snapshot) {
  return xid.code == xid::ctxsw_timeout_error &&
         std::ranges::any_of(xids_of(snapshot, ""), [&](const LoggedXid& other) {
           const auto known = knowledge::xid(other.code);
           return other.gpu == xid.gpu && known && known->class_ == "app";
         });
}

void describe_xid(Finding& finding, const LoggedXid& xid, const Snapshot& snapshot) {
  finding.evidence = xid.evidence;
  if (xid.only_mentioned) finding.confidence = std::min(finding.confidence, Confidence::likely);
  const auto known = knowledge::xid(xid.code);
  if (!known || xid.code == xid::gpu_has_fallen_off_the_bus) return;
  finding.explanation = fmt::format(
      "{} Xid {}: {}.", xid.only_mentioned ? "The text speaks of" : "The kernel log holds", xid.code, known->meaning);
  if (finding.id != "driver.gpu-lost") return;
  finding.title = "The GPU stopped working until it is reset";
  finding.fix = {
      {.text = on_the_host(snapshot) + known->action + "."},
      on_host(snapshot, "see what came first in the kernel log.", "sudo dmesg | grep -iE 'nvrm|xid|aer|pcie'")};
}

}  // namespace envdoctor
