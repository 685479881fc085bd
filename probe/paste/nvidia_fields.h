#pragma once
// What nvidia-smi tells of a GPU by name, in each of its forms: the table, -q as text and as XML, and CSV.
#include <string_view>

#include "evidence/gpu_stacks.h"

namespace envdoctor {

// Fills in what stands at a place of -q, such as "/FB Memory Usage/Total", or of its XML below <gpu>, such as
// "/fb_memory_usage/total". Places that no field is for and values that say nothing ("N/A") are passed over.
void take_query_field(NvidiaDevice& device, std::string_view place, std::string_view value);
// The same within a "MIG Device" or <mig_device>, and within a process.
void take_mig_field(MigDevice& slice, std::string_view place, std::string_view value);
void take_process_field(NvidiaProcess& process, std::string_view place, std::string_view value);
// A column of --query-gpu by its name in the header, "memory.total [MiB]", the unit at the value or in the header.
void take_csv_field(NvidiaDevice& device, std::string_view column, std::string_view value);

// "Default", "Exclusive_Process", "E. Process", "Prohibited"; other words tell nothing.
void take_compute_mode(NvidiaDevice& device, std::string_view word);

}  // namespace envdoctor
