#pragma once
// Per stack, the filters in order and the devices that a program would see, and why others are missing.
#include <string>
#include <string_view>
#include <vector>

#include "checks/facts/gpus.h"
#include "checks/facts/selection.h"
#include "evidence/snapshot.h"

namespace envdoctor {

struct Filter {
  std::string name{};    // CUDA_VISIBLE_DEVICES, or "grant" for what the container or job was given
  std::string value{};   // the variable's text
  std::string effect{};  // "leaves 1 of 2"
};

struct VisibleDevice {
  std::string uuid{};     // of the MIG instance, if it is one
  std::string address{};  // 0000:65:00.0
  std::string name{};
  int listed = -1;  // place in /nvidia/devices, /rocm/devices or /level_zero/devices; -1: in none
};

struct HiddenDevice {
  VisibleDevice device{};
  std::string by{};  // the filter's name, or "MIG", or the driver
  std::string why{};
};

struct VisibleList {
  std::string stack{};  // cuda, rocm, level-zero, sycl, opencl, or a framework
  std::vector<Filter> filters{};
  std::vector<VisibleDevice> devices{};  // in the program's order
  std::vector<HiddenDevice> hidden{};
  bool observed = false;       // the runtime's own list, not computed from the variables
  bool order_guessed = false;  // different GPUs, and CUDA's order is unknown
  std::string unknown{};       // why the list is unknown; empty: it is known
};

// One list for each stack whose GPUs or software this host has.
std::vector<VisibleList> visible_lists(const Snapshot& snapshot);
// The same, and one for SYCL, OpenCL and each installed framework.
std::vector<VisibleList> visible_to_programs(const Snapshot& snapshot);
VisibleList visible_to_cuda(const Snapshot& snapshot);
VisibleList visible_to_rocm(const Snapshot& snapshot);
VisibleList visible_to_level_zero(const Snapshot& snapshot);
VisibleList visible_to_opencl(const Snapshot& snapshot);  // CPU devices too, as programs see them
VisibleList visible_to_sycl(const Snapshot& snapshot);    // through Level Zero
// "torch", "tensorflow" or "jax": its runtime's list, filtered by its build and its own variables.
VisibleList visible_to_framework(const Snapshot& snapshot, const std::string& framework);

// The positions that these filters keep out of a number of devices, in order: JAX_CUDA_VISIBLE_DEVICES, and
// ONEAPI_DEVICE_SELECTOR for Level Zero's GPUs.
std::vector<std::size_t> select_jax(std::string_view value, std::size_t devices);
std::vector<std::size_t> select_sycl(std::string_view value, std::size_t devices);

// The input of a filter: the devices of one stack before any variable, in that runtime's order.
struct Basis {
  std::vector<VisibleDevice> devices{};
  std::vector<Selectable> selectable{};  // the same, as a variable names them
  bool order_guessed = false;
  std::string unknown{};  // why they are not known; empty: they are
};
Basis cuda_basis(const Snapshot& snapshot);
Basis rocm_basis(const Snapshot& snapshot);

// NVML's list and CUDA's list, each in its own order.
std::vector<VisibleDevice> nvml_list(const std::vector<NvidiaDevice>& devices);
std::vector<VisibleDevice> cuda_list(const std::vector<CudaDevice>& devices);

// The GPU as the bus shows it.
VisibleDevice visible(const Gpu& gpu);
// The row in a list for this device; null: none.
const VisibleDevice* find_same(const std::vector<VisibleDevice>& devices, const VisibleDevice& device);

// "device 0 = GPU-3f2504e0 at 65:00.0".
std::string describe(std::size_t ordinal, const VisibleDevice& device);
// "GPU-3f2504e0 at 65:00.0".
std::string describe(const VisibleDevice& device);
// Whether two rows of different sources are the same device, by UUID or address; neither known: not.
bool same_device(const VisibleDevice& a, const VisibleDevice& b);
// Applies a selection from a basis under this filter's name; the list's other parts stay.
void apply(VisibleList& list, const Basis& basis, const Selection& selection, const std::string& name,
           const std::string& value);
// The same for a filter that keeps these positions of the list's own devices.
void keep(VisibleList& list, const std::vector<std::size_t>& kept, Filter filter, const std::string& why);
// Marks the vendor's GPUs that were not given to this container, job or slice.
void hide_what_was_not_given(VisibleList& list, const Snapshot& snapshot, Vendor vendor);

}  // namespace envdoctor
