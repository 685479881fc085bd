#include <fmt/ranges.h>

#include "app/commands.h"
#include "app/compute.h"
#include "app/reporting.h"
#include "app/topics.h"
#include "checks/report.h"
#include "probe/probes.h"
#include "reports/lines.h"
#include "reports/reports.h"

namespace envdoctor {
namespace {

int list(const Options& options) {
  check_told(options, false);
  const auto line = [](std::string_view name, std::string_view what) {
    return wrap(fmt::format("  {:<33} ", name), what);
  };
  std::string out = "Diagnoses\n";
  for (const Diagnosis& row : catalogue()) out += line(row.id, row.title);
  out += "\nProbes\n";
  for (const Probe& probe : all_probes()) out += line(probe.name, probe.reads);
  out += "\nKernels\n" + wrap("  ", fmt::format("{}", fmt::join(kernel_names(), ", ")));
  out += "\nTopics\n";
  for (const std::string& name : topic_names()) out += line(name, topic_title(name));
  out += "\nFormats\n";
  std::vector<std::string> formats;
  for (const Format& format : all_formats()) formats.emplace_back(format.name);
  out += wrap("  ", fmt::format("{}", fmt::join(formats, ", ")));
  write_told(options, out);
  return 0;
}

}  // namespace

const Command list_command = {"list", "all diagnoses, probes, kernels and topics", nullptr, list};

}  // namespace envdoctor
