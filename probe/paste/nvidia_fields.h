#pragma once
// The named values of a GPU in nvidia-smi's formats: the table, -q as text and as XML, and CSV.
#include <string_view>

#include "evidence/gpu_stacks.h"

namespace envdoctor {

// Fills in the value at a path of -q, such as "/FB Memory Usage/Total", or of its XML below <gpu>, such as
// "/fb_memory_usage/total". Unknown paths and empty values ("N/A") are skipped.
void take_query_field(NvidiaDevice& device, std::string_view place, std::string_view value);
// The same inside a "MIG Device" or <mig_device>, and inside a process.
void take_mig_field(MigDevice& slice, std::string_view place, std::string_view value);
void take_process_field(NvidiaProcess& process, std::string_view place, std::string_view value);
// A column of --query-gpu by its name in the header, "memory.total [MiB]", with the unit at the value or in the header.
void take_csv_field(NvidiaDevice& device, std::string_view column, std::string_view value);

// "Default", "Exclusive_Process", "E. Process", "Prohibited"; other words are ignored.
void take_compute_mode(NvidiaDevice& device, std::string_view word);

}  // namespace envdoctor
