#include <fmt/format.h>

#include "app/commands.h"
#include "app/reporting.h"
#include "app/topics.h"
#include "checks/report.h"
#include "probe/probes.h"
#include "reports/reports.h"

namespace envdoctor {
namespace {

int list(const Options& options) {
  check_told(options, false);
  std::string out = "Diagnoses\n";
  for (const Diagnosis& row : catalogue()) out += fmt::format("  {:<36} {}\n", row.id, row.title);
  out += "\nProbes\n";
  for (const Probe& probe : all_probes()) out += fmt::format("  {:<36} {}\n", probe.name, probe.reads);
  out += "\nTopics\n";
  for (const std::string& name : topic_names()) out += fmt::format("  {:<36} {}\n", name, topic_title(name));
  out += "\nFormats\n";
  for (const Format& format : all_formats()) out += fmt::format("  {}\n", format.name);
  write_told(options, out);
  return 0;
}

}  // namespace

const Command list_command = {"list", "all diagnoses, probes and topics", nullptr, list};

}  // namespace envdoctor
