#include "probe/paste/nvidia_fields.h"

#include <array>
#include <utility>

#include "probe/paste/paste_text.h"

namespace envdoctor {
namespace {

using Device = NvidiaDevice;
using Value = std::string_view;

void set(Number& into, Value value) {
  if (const auto read = leading_number(value)) into = *read;
}

void add(Number& into, Value value) {
  if (const auto read = leading_number(value)) into = into.or_empty() + *read;
}

void set_real(Real& into, Value value) {
  if (const auto read = number_of<double>(leading_version(value))) into = *read;
}

// "Enabled", "Yes", "Active", and their opposites; other words are ignored.
void set_flag(Flag& into, Value value) {
  if (value == "Enabled" || value == "Yes" || value == "Active") into = true;
  if (value == "Disabled" || value == "No" || value == "Not Active") into = false;
}

void set_text(Text& into, Value value) { into = std::string(value.substr(0, 200)); }

void set_speed(Real& into, Value generation) {
  constexpr std::array gtps = {2.5, 5.0, 8.0, 16.0, 32.0, 64.0};
  if (const auto read = leading_number(generation); read && *read >= 1 && *read <= 6)
    into = gtps.at(static_cast<std::size_t>(*read - 1));
}

template <const char* const& name>
void set_throttle(Device& device, Value value) {
  if (value != "Active" && value != "Not Active") return;
  auto& reasons = device.throttle_reasons.fill();
  if (value == "Active") reasons.emplace_back(name);
}
constexpr const char* hw_slowdown = "hw_slowdown";
constexpr const char* hw_thermal = "hw_thermal";
constexpr const char* hw_power_brake = "hw_power_brake";
constexpr const char* sw_thermal = "sw_thermal";
constexpr const char* power_cap = "power_cap";

void fabric_state(Device& device, Value value) {
  if (value == "Completed") device.fabric_state = "completed";
  if (value == "In Progress") device.fabric_state = "in_progress";
  if (value == "Not Started") device.fabric_state = "not_started";
}

// The place of a field in the text, in the XML and in CSV, as the end of its path, and the member that it fills.
struct Field {
  const char* text;
  const char* xml;
  const char* csv;
  void (*take)(Device& device, Value value);
};

constexpr Field fields[] = {
    {"", "", "index", [](Device& d, Value v) { set(d.index, v); }},
    {"/Product Name", "/product_name", "name", [](Device& d, Value v) { set_text(d.name, v); }},
    {"", "", "gpu_name", [](Device& d, Value v) { set_text(d.name, v); }},
    {"/GPU UUID", "/uuid", "uuid", [](Device& d, Value v) { set_text(d.uuid, v); }},
    {"", "", "gpu_uuid", [](Device& d, Value v) { set_text(d.uuid, v); }},
    {"", "", "pci.bus_id", [](Device& d, Value v) { set_text(d.pci_address, v); }},
    {"", "", "gpu_bus_id", [](Device& d, Value v) { set_text(d.pci_address, v); }},
    {"", "", "compute_cap", [](Device& d, Value v) { set_text(d.compute_capability, v); }},
    {"/Minor Number", "/minor_number", "", [](Device& d, Value v) { set(d.minor, v); }},
    {"/Persistence Mode", "/persistence_mode", "persistence_mode",
     [](Device& d, Value v) { set_flag(d.persistence, v); }},
    {"/Compute Mode", "/compute_mode", "compute_mode", take_compute_mode},
    {"/MIG Mode/Current", "/mig_mode/current_mig", "mig.mode.current", [](Device& d, Value v) { set_flag(d.mig, v); }},
    {"/FB Memory Usage/Total", "/fb_memory_usage/total", "memory.total",
     [](Device& d, Value v) { set(d.memory_total_mib, v); }},
    {"/FB Memory Usage/Free", "/fb_memory_usage/free", "memory.free",
     [](Device& d, Value v) { set(d.memory_free_mib, v); }},
    {"", "", "memory.used",
     [](Device& d, Value v) {
       Number used;
       set(used, v);
       const auto* total = d.memory_total_mib.get();
       if (used.get() && total && *used.get() <= *total && !d.memory_free_mib.get())
         d.memory_free_mib = *total - *used.get();
     }},
    {"/Fabric/State", "/fabric/state", "fabric.state", fabric_state},
    {"/ECC Mode/Current", "/ecc_mode/current_ecc", "ecc.mode.current",
     [](Device& d, Value v) {
       if (v == "Enabled" || v == "Disabled") set_flag(d.ecc.fill().enabled, v);
     }},
    {"/Volatile/SRAM Uncorrectable", "/ecc_errors/volatile/sram_uncorrectable", "",
     [](Device& d, Value v) { add(d.ecc.fill().uncorrected, v); }},
    {"/Volatile/SRAM Uncorrectable Parity", "/ecc_errors/volatile/sram_uncorrectable_parity", "",
     [](Device& d, Value v) { add(d.ecc.fill().uncorrected, v); }},
    {"/Volatile/SRAM Uncorrectable SEC-DED", "/ecc_errors/volatile/sram_uncorrectable_secded", "",
     [](Device& d, Value v) { add(d.ecc.fill().uncorrected, v); }},
    {"/Volatile/DRAM Uncorrectable", "/ecc_errors/volatile/dram_uncorrectable", "",
     [](Device& d, Value v) { add(d.ecc.fill().uncorrected, v); }},
    {"/Volatile/Double Bit/Total", "/ecc_errors/volatile/double_bit/total", "ecc.errors.uncorrected.volatile.total",
     [](Device& d, Value v) { add(d.ecc.fill().uncorrected, v); }},
    {"/Volatile/SRAM Correctable", "/ecc_errors/volatile/sram_correctable", "",
     [](Device& d, Value v) { add(d.ecc.fill().corrected, v); }},
    {"/Volatile/DRAM Correctable", "/ecc_errors/volatile/dram_correctable", "",
     [](Device& d, Value v) { add(d.ecc.fill().corrected, v); }},
    {"/Volatile/Single Bit/Total", "/ecc_errors/volatile/single_bit/total", "ecc.errors.corrected.volatile.total",
     [](Device& d, Value v) { add(d.ecc.fill().corrected, v); }},
    {"/Retired Pages/Single Bit ECC", "/multiple_single_bit_retirement/retired_count",
     "retired_pages.single_bit_ecc.count", [](Device& d, Value v) { add(d.ecc.fill().retired_pages, v); }},
    {"/Retired Pages/Double Bit ECC", "/double_bit_retirement/retired_count", "retired_pages.double_bit.count",
     [](Device& d, Value v) { add(d.ecc.fill().retired_pages, v); }},
    {"/Retired Pages/Pending Page Blacklist", "/retired_pages/pending_blacklist", "",
     [](Device& d, Value v) { set_flag(d.ecc.fill().remap_pending, v); }},
    {"/Retired Pages/Pending", "/retired_pages/pending_retirement", "retired_pages.pending",
     [](Device& d, Value v) { set_flag(d.ecc.fill().remap_pending, v); }},
    {"/Remapped Rows/Correctable Error", "/remapped_row_corr", "remapped_rows.correctable",
     [](Device& d, Value v) { add(d.ecc.fill().retired_pages, v); }},
    {"/Remapped Rows/Uncorrectable Error", "/remapped_row_unc", "remapped_rows.uncorrectable",
     [](Device& d, Value v) { add(d.ecc.fill().retired_pages, v); }},
    {"/Remapped Rows/Pending", "/remapped_row_pending", "remapped_rows.pending",
     [](Device& d, Value v) { set_flag(d.ecc.fill().remap_pending, v); }},
    {"/Remapped Rows/Remapping Failure Occurred", "/remapped_row_failure", "remapped_rows.failure",
     [](Device& d, Value v) { set_flag(d.ecc.fill().remap_failed, v); }},
    {"/PCIe Generation/Max", "/max_link_gen", "pcie.link.gen.max",
     [](Device& d, Value v) { set_speed(d.link.fill().max_speed_gtps, v); }},
    {"/PCIe Generation/Current", "/current_link_gen", "pcie.link.gen.current",
     [](Device& d, Value v) { set_speed(d.link.fill().speed_gtps, v); }},
    {"/Link Width/Max", "/max_link_width", "pcie.link.width.max",
     [](Device& d, Value v) { set(d.link.fill().max_width, v); }},
    {"/Link Width/Current", "/current_link_width", "pcie.link.width.current",
     [](Device& d, Value v) { set(d.link.fill().width, v); }},
    {"Temperature/GPU Current Temp", "/temperature/gpu_temp", "temperature.gpu",
     [](Device& d, Value v) { set(d.temperature_c, v); }},
    {"Power Readings/Power Draw", "power_readings/power_draw", "power.draw",
     [](Device& d, Value v) { set_real(d.power_w, v); }},
    {"/GPU Power Readings/Average Power Draw", "/gpu_power_readings/average_power_draw", "power.draw.average",
     [](Device& d, Value v) { set_real(d.power_w, v); }},
    {"Power Readings/Current Power Limit", "/gpu_power_readings/current_power_limit", "power.limit",
     [](Device& d, Value v) { set_real(d.power_limit_w, v); }},
    {"Power Readings/Power Limit", "/power_readings/power_limit", "enforced.power.limit",
     [](Device& d, Value v) { set_real(d.power_limit_w, v); }},
    {"/Utilization/Gpu", "/utilization/gpu_util", "utilization.gpu",
     [](Device& d, Value v) { set(d.utilization_percent, v); }},
    {"/Utilization/GPU", "", "", [](Device& d, Value v) { set(d.utilization_percent, v); }},
    {"Reasons/HW Slowdown", "_reason_hw_slowdown", "_reasons.hw_slowdown", set_throttle<hw_slowdown>},
    {"Reasons/HW Thermal Slowdown", "_reason_hw_thermal_slowdown", "_reasons.hw_thermal_slowdown",
     set_throttle<hw_thermal>},
    {"Reasons/HW Power Brake Slowdown", "_reason_hw_power_brake_slowdown", "_reasons.hw_power_brake_slowdown",
     set_throttle<hw_power_brake>},
    {"Reasons/SW Thermal Slowdown", "_reason_sw_thermal_slowdown", "_reasons.sw_thermal_slowdown",
     set_throttle<sw_thermal>},
    {"Reasons/SW Power Cap", "_reason_sw_power_cap", "_reasons.sw_power_cap", set_throttle<power_cap>},
};

// nvidia-smi's words for a field that this GPU or driver lacks.
bool has_no_value(Value value) {
  return value.empty() || value == "N/A" || value == "[N/A]" || value.starts_with("[Not Supported") ||
         value.starts_with("[Unknown Error") || value.starts_with("Requested functionality");
}

bool ends_in(std::string_view place, std::string_view end) { return !end.empty() && place.ends_with(end); }

}  // namespace

void take_query_field(NvidiaDevice& device, std::string_view place, std::string_view value) {
  if (has_no_value(value)) return;
  for (const Field& field : fields)
    if (ends_in(place, field.text) || ends_in(place, field.xml)) return field.take(device, value);
}

void take_mig_field(MigDevice& slice, std::string_view place, std::string_view value) {
  if (place.ends_with("/Index") || place.ends_with("/index")) set(slice.index, value);
  if (place.ends_with("/uuid") || place.ends_with("UUID")) set_text(slice.uuid, value);
  if (place.ends_with("/FB Memory Usage/Total") || place.ends_with("/fb_memory_usage/total"))
    set(slice.memory_total_mib, value);
}

void take_process_field(NvidiaProcess& process, std::string_view place, std::string_view value) {
  if (place.ends_with("/Process ID") || place.ends_with("/pid")) set(process.pid, value);
  if (place.ends_with("/Name") || place.ends_with("/process_name")) set_text(process.name, trimmed(base_name(value)));
  if (place.ends_with("/Used GPU Memory") || place.ends_with("/used_memory")) set(process.memory_mib, value);
}

void take_csv_field(NvidiaDevice& device, std::string_view column, std::string_view value) {
  column = trimmed(column.substr(0, column.find('[')));
  if (has_no_value(value)) return;
  for (const Field& field : fields) {
    const std::string_view name = field.csv;
    if (name.empty() || (name[0] == '_' ? !column.ends_with(name) : column != name)) continue;
    return field.take(device, value);
  }
}

void take_compute_mode(NvidiaDevice& device, std::string_view word) {
  if (word == "Default") device.compute_mode = "default";
  if (word.starts_with("Exclusive") || word.starts_with("E. ")) device.compute_mode = "exclusive_process";
  if (word.ends_with("Thread")) device.compute_mode = "exclusive_thread";  // of drivers before 361
  if (word == "Prohibited") device.compute_mode = "prohibited";
}

}  // namespace envdoctor
