#include <fmt/ranges.h>

#include "app/commands/commands.h"
#include "app/commands/kernel_runs.h"
#include "app/options/suggestions.h"
#include "app/output/reporting.h"
#include "app/output/topic_pages.h"
#include "evidence/lines.h"
#include "knowledge/topic_texts.h"
#include "probe/probes.h"
#include "reports/reports.h"

namespace envdoctor::list_command {
namespace {

int list(const Options& options) {
  check_result_format(options, false);
  const auto line = [](std::string_view name, std::string_view what) {
    return wrap(fmt::format("  {:<33} ", name), what);
  };
  std::string out = "Diagnoses\n";
  for (const Diagnosis* row : catalogue()) out += line(row->id, row->title);
  out += "\nProbes\n";
  for (const Probe& probe : all_probes()) out += line(probe.name, probe.reads);
  out += "\nKernels\n" + wrap("  ", fmt::format("{}", fmt::join(kernel_names(), ", ")));
  out += "\nTopics\n";
  for (const std::string_view name : knowledge::topics()) out += line(name, topic_title(name));
  out += "\nFormats\n";
  out += wrap("  ", fmt::format("{}", fmt::join(names_in(all_formats()), ", ")));
  return write_result(options, out);
}

}  // namespace

const Command command = {"list", "list all diagnoses, probes, kernels and topics", nullptr, list};

}  // namespace envdoctor::list_command
