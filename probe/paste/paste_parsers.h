#pragma once
// One pair per kind of report: a detector and a parser. Each parser takes any text, throws nothing, and
// returns an empty snapshot if the text is no such report.
#include <string>
#include <string_view>

#include "evidence/snapshot.h"

namespace envdoctor {

bool starts_collect_env(std::string_view line);
Snapshot parse_collect_env(const std::string& text);
bool starts_nvidia_smi(std::string_view line);
Snapshot parse_nvidia_smi(const std::string& text);
bool starts_nvidia_smi_query(std::string_view line);
Snapshot parse_nvidia_smi_query(const std::string& text);
bool starts_nvidia_smi_xml(std::string_view line);
Snapshot parse_nvidia_smi_xml(const std::string& text);
bool starts_nvidia_smi_csv(std::string_view line);
Snapshot parse_nvidia_smi_csv(const std::string& text);
bool starts_nvidia_smi_list(std::string_view line);
Snapshot parse_nvidia_smi_list(const std::string& text);
bool starts_pip_freeze(std::string_view line);
Snapshot parse_pip_freeze(const std::string& text);
bool starts_pip_list(std::string_view line);
Snapshot parse_pip_list(const std::string& text);
bool starts_conda_list(std::string_view line);
bool starts_conda_plan(std::string_view line);
Snapshot parse_conda_plan(const std::string& text);
Snapshot parse_conda_list(const std::string& text);
bool starts_pip_show(std::string_view line);
Snapshot parse_pip_show(const std::string& text);
bool starts_conda_info(std::string_view line);
Snapshot parse_conda_info(const std::string& text);
bool starts_driver_packages(std::string_view line);
Snapshot parse_driver_packages(const std::string& text);
bool starts_p2p_matrix(std::string_view line);
Snapshot parse_p2p_matrix(const std::string& text);
bool starts_clinfo(std::string_view line);
Snapshot parse_clinfo(const std::string& text);
bool starts_rocminfo(std::string_view line);
Snapshot parse_rocminfo(const std::string& text);
bool starts_rocm_smi(std::string_view line);
Snapshot parse_rocm_smi(const std::string& text);
bool starts_rocm_smi_json(std::string_view line);
Snapshot parse_rocm_smi_json(const std::string& text);
bool starts_amd_smi(std::string_view line);
Snapshot parse_amd_smi(const std::string& text);
bool starts_amd_smi_json(std::string_view line);
Snapshot parse_amd_smi_json(const std::string& text);
bool starts_tf_build(std::string_view line);
Snapshot parse_tf_build(const std::string& text);
bool starts_jax_info(std::string_view line);
Snapshot parse_jax_info(const std::string& text);
bool starts_cpuinfo(std::string_view line);
Snapshot parse_cpuinfo_report(const std::string& text);
bool starts_lspci(std::string_view line);
Snapshot parse_lspci_report(const std::string& text);
bool starts_shown_file(std::string_view line);
Snapshot parse_shown_files(const std::string& text);
bool starts_device_nodes(std::string_view line);
Snapshot parse_device_nodes(const std::string& text);
bool starts_lsmod(std::string_view line);
Snapshot parse_lsmod(const std::string& text);
bool starts_limits(std::string_view line);
Snapshot parse_limits(const std::string& text);
bool starts_library_list(std::string_view line);
Snapshot parse_library_list(const std::string& text);
bool starts_toolkit(std::string_view line);
Snapshot parse_toolkit(const std::string& text);
bool starts_level_zero(std::string_view line);
Snapshot parse_level_zero(const std::string& text);
bool starts_pmon(std::string_view line);
Snapshot parse_pmon(const std::string& text);
bool starts_env(std::string_view line);
Snapshot parse_env(const std::string& text);
// In probe/tools:
bool starts_commands(std::string_view line);
Snapshot parse_commands(const std::string& text);
bool starts_system_errors(std::string_view line);
Snapshot parse_system_errors(const std::string& text);
bool starts_traceback(std::string_view line);
Snapshot parse_traceback(const std::string& text);
bool starts_topology(std::string_view line);
Snapshot parse_topology(const std::string& text);
bool starts_nvlink(std::string_view line);
Snapshot parse_nvlink(const std::string& text);
bool starts_mig_instances(std::string_view line);
Snapshot parse_mig_instances(const std::string& text);
bool starts_bandwidth(std::string_view line);
Snapshot parse_bandwidth(const std::string& text);
bool starts_docker(std::string_view line);
Snapshot parse_docker(const std::string& text);
bool starts_kubernetes(std::string_view line);
Snapshot parse_kubernetes(const std::string& text);
bool starts_slurm_node(std::string_view line);
Snapshot parse_slurm_node(const std::string& text);
bool starts_slurm_job(std::string_view line);
Snapshot parse_slurm_job(const std::string& text);
bool starts_vulkan(std::string_view line);
Snapshot parse_vulkan(const std::string& text);
bool starts_lshw(std::string_view line);
Snapshot parse_lshw(const std::string& text);
bool starts_loader_trace(std::string_view line);
Snapshot parse_loader_trace(const std::string& text);
bool starts_getfacl(std::string_view line);
Snapshot parse_getfacl(const std::string& text);
bool starts_dev_listing(std::string_view line);
Snapshot parse_dev_listing(const std::string& text);
bool starts_hashcat_devices(std::string_view line);
Snapshot parse_hashcat_devices(const std::string& text);
bool starts_gpustat(std::string_view line);
Snapshot parse_gpustat(const std::string& text);
bool starts_nvitop(std::string_view line);
Snapshot parse_nvitop(const std::string& text);
bool starts_process_list(std::string_view line);
Snapshot parse_process_list(const std::string& text);
bool starts_issue_form(std::string_view line);
Snapshot parse_issue_form(const std::string& text);
bool starts_stated_facts(std::string_view line);
Snapshot parse_stated_facts(const std::string& text);
bool starts_nccl_tests(std::string_view line);
Snapshot parse_nccl_tests(const std::string& text);
bool starts_compared_values(std::string_view line);
Snapshot parse_compared_values(const std::string& text);
bool starts_repeated_runs(std::string_view line);
bool starts_list_of_runs(std::string_view line);
Snapshot parse_repeated_runs(const std::string& text);
bool starts_printed_errors(std::string_view line);
Snapshot parse_printed_errors(const std::string& text);
bool starts_device_rows(std::string_view line);
Snapshot parse_device_rows(const std::string& text);
bool starts_peer_copies(std::string_view line);
Snapshot parse_peer_copies(const std::string& text);
bool starts_installs(std::string_view line);
Snapshot parse_installs(const std::string& text);

}  // namespace envdoctor
