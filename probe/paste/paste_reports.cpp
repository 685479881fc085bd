#include "probe/paste/paste_reports.h"

#include <algorithm>
#include <iterator>

#include "evidence/merge.h"
#include "probe/paste/paste_parsers.h"

namespace envdoctor {
namespace {

constexpr std::size_t short_report = std::size_t{1} << 18;    // of reports that any line may start and no line ends
constexpr std::size_t few_statements = std::size_t{1} << 15;  // of statements that people write between outputs
constexpr std::size_t shortest_start = 4;                     // "a==1"
constexpr std::size_t longest_start = 200;                    // a truncated line could hide a secret from the detectors

}  // namespace

const std::vector<LogReportKind>& log_report_kinds() {
  static const std::vector<LogReportKind> kinds = {
      {"collect_env", starts_collect_env, parse_collect_env},
      {"nvidia-smi", starts_nvidia_smi, parse_nvidia_smi},
      {"nvidia-smi -q", starts_nvidia_smi_query, parse_nvidia_smi_query},
      {"nvidia-smi -q -x", starts_nvidia_smi_xml, parse_nvidia_smi_xml},
      {"nvidia-smi --query", starts_nvidia_smi_csv, parse_nvidia_smi_csv},
      {"nvidia-smi -L", starts_nvidia_smi_list, parse_nvidia_smi_list},
      {"pip freeze", starts_pip_freeze, parse_pip_freeze},
      {"pip list", starts_pip_list, parse_pip_list},
      {"conda list", starts_conda_list, parse_conda_list},
      {"conda install", starts_conda_plan, parse_conda_plan},
      {"pip show", starts_pip_show, parse_pip_show},
      {"conda info", starts_conda_info, parse_conda_info},
      {"driver packages", starts_driver_packages, parse_driver_packages},
      {"p2p matrix", starts_p2p_matrix, parse_p2p_matrix},
      {"rocm access", starts_rocm_access, parse_rocm_access, few_statements},
      {"clinfo", starts_clinfo, parse_clinfo},
      {"rocminfo", starts_rocminfo, parse_rocminfo},
      {"rocm-smi", starts_rocm_smi, parse_rocm_smi},
      {"rocm-smi --json", starts_rocm_smi_json, parse_rocm_smi_json},
      {"amd-smi", starts_amd_smi, parse_amd_smi},
      {"amd-smi --json", starts_amd_smi_json, parse_amd_smi_json},
      {"tf build info", starts_tf_build, parse_tf_build},
      {"jax info", starts_jax_info, parse_jax_info},
      {"cpuinfo", starts_cpuinfo, parse_cpuinfo_report},
      {"lspci", starts_lspci, parse_lspci_report},
      {"cat", starts_shown_file, parse_shown_files},
      {"ls", starts_device_nodes, parse_device_nodes},
      {"lsmod", starts_lsmod, parse_lsmod},
      {"limits", starts_limits, parse_limits},
      {"ldconfig", starts_library_list, parse_library_list},
      {"toolkits", starts_toolkit, parse_toolkit},
      {"level-zero", starts_level_zero, parse_level_zero},
      {"nvidia-smi pmon", starts_pmon, parse_pmon},
      {"env", starts_env, parse_env},
      {"commands", starts_commands, parse_commands, short_report},
      {"system errors", starts_system_errors, parse_system_errors, short_report},
      {"traceback", starts_traceback, parse_traceback, short_report},
      {"asked", starts_asked, parse_asked, short_report, 16},
      {"framework tables", starts_framework_tables, parse_framework_tables, short_report, 0},
      {"nvidia-smi topo", starts_topology, parse_topology},
      {"nvidia-smi nvlink", starts_nvlink, parse_nvlink},
      {"dcgmi nvlink", starts_nvlink_letters, parse_nvlink_letters},
      {"nvidia-smi mig", starts_mig_instances, parse_mig_instances},
      {"bandwidthTest", starts_bandwidth, parse_bandwidth},
      {"docker", starts_docker, parse_docker, short_report},
      {"kubectl describe", starts_kubernetes, parse_kubernetes, short_report},
      {"scontrol", starts_slurm_node, parse_slurm_node},
      {"scontrol show job", starts_slurm_job, parse_slurm_job},
      {"job script", starts_job_script, parse_job_script, few_statements},
      {"vulkaninfo", starts_vulkan, parse_vulkan},
      {"lshw", starts_lshw, parse_lshw},
      {"loader trace", starts_loader_trace, parse_loader_trace, short_report},
      {"getfacl", starts_getfacl, parse_getfacl, short_report, 16},
      {"ls of /dev", starts_dev_listing, parse_dev_listing, short_report, 16},
      {"gpustat", starts_gpustat, parse_gpustat, short_report},
      {"nvidia-smi dmon", starts_dmon, parse_dmon},
      {"opencl loaders", starts_opencl_loaders, parse_opencl_loaders, short_report},
      {"layer differences", starts_layer_differences, parse_layer_differences, short_report},
      {"switched errors", starts_switched_errors, parse_switched_errors, short_report, 16},
      {"hashcat -I", starts_hashcat_devices, parse_hashcat_devices, short_report},
      {"nvitop", starts_nvitop, parse_nvitop, short_report},
      {"process list", starts_process_list, parse_process_list, short_report},
      {"issue form", starts_issue_form, parse_issue_form, few_statements},
      {"stated facts", starts_stated_facts, parse_stated_facts, few_statements},
      {"nccl-tests", starts_nccl_tests, parse_nccl_tests, short_report},
      {"compared values", starts_compared_values, parse_compared_values, short_report, 16},
      {"repeated runs", starts_repeated_runs, parse_repeated_runs, short_report},
      {"list of runs", starts_list_of_runs, parse_repeated_runs, short_report},
      {"printed errors", starts_printed_errors, parse_printed_errors, short_report, 16},
      {"growing sizes", starts_growing_sizes, parse_growing_sizes, short_report, 16},
      {"paired commands", starts_paired_commands, parse_paired_commands, short_report, 16},
      {"step parts", starts_step_parts, parse_step_parts, short_report},
      {"device rows", starts_device_rows, parse_device_rows, short_report},
      {"log gaps", starts_log_gaps, parse_log_gaps, short_report},
      {"peer copies", starts_peer_copies, parse_peer_copies, short_report},
      {"short answers", starts_short_answers, parse_short_answers, short_report},
      {"engine answers", starts_engine_answers, parse_engine_answers, short_report},
      {"access", starts_access, parse_access, short_report},
      {"adapter list", starts_adapter_list, parse_adapter_list, short_report},
      {"inxi", starts_inxi, parse_inxi, short_report},
      {"darktable", starts_darktable, parse_darktable, short_report},
      {"install commands", starts_installs, parse_installs, short_report},
      {"video", starts_video, parse_video, short_report},
      {"equal rows", starts_equal_rows, parse_equal_rows, short_report},
      {"firmware tries", starts_firmware_tries, parse_firmware_tries, short_report},
  };
  return kinds;
}

LogReports::LogReports() {
  const auto& words = knowledge::report_words();
  for (const LogReportKind& kind : log_report_kinds()) {
    Waiting waiting{.kind = &kind};
    if (const auto row = words.find(kind.name); row != words.end())
      waiting.words.set(static_cast<std::size_t>(std::distance(words.begin(), row)));
    awaited_ |= waiting.words;
    (waiting.words.any() ? by_words_ : by_form_).push_back(waiting);
  }
}

void LogReports::offer(std::string_view line, std::int64_t number, const knowledge::ReportSet& seen,
                       std::vector<Waiting>& waiting) {
  std::erase_if(waiting, [&](const Waiting& one) {
    if ((one.words & seen) != one.words || !one.kind->starts(line)) return false;
    awaited_ &= ~one.words;
    Block& block = blocks_.emplace_back(
        Block{.kind = one.kind, .line = number, .start = std::string(line.size() < longest_start ? line : "")});
    for (std::size_t i = most_lines_before - one.kind->lines_before; i < most_lines_before; ++i) {
      const auto& [earlier, its_line] = before_[(next_before_ + i) % std::size(before_)];
      if (!earlier.empty()) append(block, earlier, its_line);
    }
    return true;
  });
}

void LogReports::append(Block& block, std::string_view line, std::int64_t number) {
  if (number != block.next_line) block.jumps.emplace_back(block.rows, number);
  block.text.append(line).push_back('\n');
  ++block.rows;
  block.next_line = number + 1;
}

// More than a few empty lines, and text beyond the limit, are left out.
std::int64_t LogReports::line_of(const Block& block, std::int64_t row) {
  const auto later = std::ranges::upper_bound(block.jumps, row, {}, &std::pair<std::int64_t, std::int64_t>::first);
  if (later == block.jumps.begin()) return block.line;
  const auto& [begin, line] = *std::prev(later);
  return line + (row - begin);
}

void LogReports::line(std::string_view line, std::int64_t number, const knowledge::LogMatcher& matcher) {
  if (line.size() >= shortest_start) {
    if ((matcher.reports() & awaited_).any()) offer(line, number, matcher.reports(), by_words_);
    offer(line, number, {}, by_form_);
  }
  for (Block& block : blocks_) {
    if (block.text.size() + line.size() < block.kind->most) append(block, line, number);
  }
  before_[next_before_].first.assign(line);
  before_[next_before_].second = number;
  next_before_ = (next_before_ + 1) % std::size(before_);
}

Snapshot LogReports::finish(const std::string& source) {
  Snapshot all;
  for (const Block& block : blocks_) {
    Snapshot part = block.kind->parse(block.text);
    set_sources(part, source, block.line);
    if (auto* symptoms = part.log.get()) {
      for (Symptom& symptom : *symptoms) {
        symptom.source = source;
        // Its own line, counted within the text; otherwise the line that started the report.
        symptom.line = symptom.line.get() ? line_of(block, *symptom.line.get()) : block.line;
        if (!symptom.text.get()) symptom.text = block.start;
      }
      // Two readers of one text may tell of the same line.
      std::erase_if(*symptoms, [&](const Symptom& one) {
        const auto same = [&one](const Symptom& known) {
          return known.line.get() == one.line.get() && known.class_.get() == one.class_.get() &&
                 known.subject.get() == one.subject.get() && known.details == one.details;
        };
        return all.log.get() && std::ranges::any_of(*all.log.get(), same);
      });
    }
    fill_in(all, part);
  }
  return all;
}

}  // namespace envdoctor
