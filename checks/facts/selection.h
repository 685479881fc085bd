#pragma once
// What a visibility variable selects from a list of devices: one function per runtime, each with that runtime's own
// rules.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor {

// Why a list was cut at an entry: that entry and all that follow select nothing.
enum class Cut {
  none,
  empty_entry,     // nothing between two commas, or the whole text is empty
  negative,        // -1
  out_of_range,    // a number that no device has
  word,            // neither a number nor a UUID: NoDevFiles, none
  unknown_uuid,    // no device has a UUID that begins so
  ambiguous_uuid,  // more than one device has
  other_kind,      // a UUID after numbers or the reverse
  repeated         // the same device again
};

// A device that a variable can name. `uuid` may be shortened to the eight digits that redaction leaves.
struct Selectable {
  std::string uuid{};
  bool mig = false;                      // in MIG mode
  std::vector<std::string> instances{};  // UUIDs of its MIG instances
};

struct Selected {
  std::size_t device = 0;  // position in the list of selectables
  int instance = -1;       // MIG instance of it; -1: the whole device
  bool operator==(const Selected&) const = default;
};

struct Selection {
  std::vector<Selected> chosen{};  // in the order in which the program numbers them
  Cut cut = Cut::none;
  std::size_t cut_at = 0;   // the entry, from 0
  std::string cut_entry{};  // its text without blanks
  std::size_t entries = 0;
  std::size_t instances = 0;  // MIG instances that were named; CUDA uses only one
  bool operator==(const Selection&) const = default;
};

// CUDA_VISIBLE_DEVICES, with the devices in CUDA's order.
Selection select_cuda(std::string_view value, const std::vector<Selectable>& devices);
// The devices that CUDA uses when the variable isn't set.
Selection select_cuda_default(const std::vector<Selectable>& devices);
// ROCR_VISIBLE_DEVICES, with the GPUs in KFD's order.
Selection select_rocr(std::string_view value, const std::vector<Selectable>& devices);
// HIP_VISIBLE_DEVICES or CUDA_VISIBLE_DEVICES for HIP, GPU_DEVICE_ORDINAL for AMD's OpenCL; devices: those that ROCr
// left.
Selection select_hip(std::string_view value, const std::vector<Selectable>& devices);

// The entries between commas, blanks around them removed; an empty text has none.
std::vector<std::string> entries_of(std::string_view value);
// Whether the entry begins with a number as strtol parses it (blanks, a sign, then digits; the rest is ignored).
bool starts_as_number(std::string_view entry);
// In words, for a report: "entry 2, \"9\", is a number that no device has".
std::string describe_cut(const Selection& selection);

}  // namespace envdoctor
