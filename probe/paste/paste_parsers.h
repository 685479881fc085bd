#pragma once
// One pair a kind of report: what gives it away, and who reads it. Each parser takes any text, throws nothing, and
// answers an empty snapshot where the text is no such report.
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
bool starts_nvidia_smi_list(std::string_view line);
Snapshot parse_nvidia_smi_list(const std::string& text);
bool starts_pip_freeze(std::string_view line);
Snapshot parse_pip_freeze(const std::string& text);
bool starts_pip_list(std::string_view line);
Snapshot parse_pip_list(const std::string& text);
bool starts_conda_list(std::string_view line);
Snapshot parse_conda_list(const std::string& text);
bool starts_clinfo(std::string_view line);
Snapshot parse_clinfo(const std::string& text);
bool starts_rocminfo(std::string_view line);
Snapshot parse_rocminfo(const std::string& text);
bool starts_tf_build(std::string_view line);
Snapshot parse_tf_build(const std::string& text);
bool starts_jax_info(std::string_view line);
Snapshot parse_jax_info(const std::string& text);
bool starts_cpuinfo(std::string_view line);
Snapshot parse_cpuinfo_report(const std::string& text);
bool starts_lspci(std::string_view line);
Snapshot parse_lspci_report(const std::string& text);
bool starts_env(std::string_view line);
Snapshot parse_env(const std::string& text);

}  // namespace envdoctor
