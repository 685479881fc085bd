// /proc/cpuinfo, and the same facts from lscpu.
#include "probe/cpu_info.h"
#include "probe/log_parsers.h"
#include "probe/log_text.h"

namespace envdoctor {

bool starts_cpuinfo(std::string_view line) {
  return (line.starts_with("flags") || line.starts_with("Flags:")) && line.find(" sse2") != std::string_view::npos;
}

Snapshot parse_cpuinfo_report(const std::string& text) {
  std::string cpuinfo;
  log_text::each_line(text, [&cpuinfo](std::string_view line) {
    if (const auto flags = log_text::after(line, "Flags:"))
      cpuinfo.append("flags\t\t: ").append(*flags).push_back('\n');
    else if (const auto model = log_text::after(line, "Model name:"))
      cpuinfo.append("model name\t: ").append(*model).push_back('\n');
    else if (line.starts_with("flags") || line.starts_with("model name"))
      cpuinfo.append(line).push_back('\n');
  });
  Snapshot snapshot;
  const Cpu cpu = parse_cpuinfo(cpuinfo);
  Cpu& told = snapshot.cpu.fill();
  told.model = cpu.model;
  told.isa = cpu.isa;
  return snapshot;
}

}  // namespace envdoctor
