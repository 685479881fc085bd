#include "checks/xid.h"

#include <fmt/format.h>

#include "checks/distro.h"
#include "knowledge/names.h"

namespace envdoctor {

std::string xid_diagnosis(std::int64_t code) {
  const auto known = knowledge::xid(code);
  return known ? known->diagnosis : std::string();
}

void tell_xid(Finding& finding, std::int64_t code, const Snapshot& snapshot) {
  const auto known = knowledge::xid(code);
  if (!known || code == xid_off_the_bus) return;
  finding.explanation = fmt::format("The kernel log holds Xid {}: {}.", code, known->meaning);
  if (finding.id != "driver.gpu-lost") return;
  finding.title = "The GPU stopped working until it is reset";
  finding.fix = {{.text = on_the_host(snapshot) + known->action + "."},
                 {.text = on_the_host(snapshot) + "see what came first in the kernel log.",
                  .command = host_command(snapshot, "sudo dmesg | grep -iE 'nvrm|xid|aer|pcie'")}};
}

}  // namespace envdoctor
