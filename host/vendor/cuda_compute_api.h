#pragma once
// The CUDA driver API the calls needed to run kernels: one device's primary context, modules from PTX, memory,
// launches on the default stream, events.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/vendor/cuda_api.h"

namespace envdoctor::cuda {

using Pointer = std::uint64_t;  // CUdeviceptr
struct Handle {
  void* value = nullptr;
};  // CUmodule, CUfunction, CUevent

enum class Attribute {  // CUdevice_attribute
  max_threads_per_block = 1,
  max_shared_memory_per_block = 8,
  clock_khz = 13,
  multiprocessor_count = 16,
  memory_clock_khz = 36,
  memory_bus_bits = 37,
  compute_capability_major = 75,
  compute_capability_minor = 76,
};

struct Grid {
  unsigned x = 1, y = 1, z = 1;
};

class ComputeApi {
 public:
  virtual ~ComputeApi() = default;
  // cuInit, and the primary context of the device made current.
  virtual Code open(int ordinal) = 0;
  virtual Code attribute(Attribute which, int& value) = 0;
  virtual Code memory_free(std::size_t& bytes) = 0;
  // `log`: the assembler's messages if it fails. Optimisation level 0 to 4.
  virtual Code load_module(const std::string& ptx, int optimisation, Handle& module, std::string& log) = 0;
  virtual Code unload_module(Handle module) = 0;
  virtual Code function(Handle module, const std::string& name, Handle& function) = 0;
  virtual Code allocate(std::size_t bytes, Pointer& pointer) = 0;
  virtual Code release(Pointer pointer) = 0;
  virtual Code copy_in(Pointer to, const void* from, std::size_t bytes) = 0;
  virtual Code copy_out(void* to, Pointer from, std::size_t bytes) = 0;
  // Page-locked memory of the host.
  virtual Code allocate_host(std::size_t bytes, void*& memory) = 0;
  virtual Code release_host(void* memory) = 0;
  // On the default stream; complete when synchronize() has returned.
  virtual Code start_copy_in(Pointer to, const void* from, std::size_t bytes) = 0;
  virtual Code start_copy_out(void* to, Pointer from, std::size_t bytes) = 0;
  virtual Code start_copy_on_device(Pointer to, Pointer from, std::size_t bytes) = 0;
  // `parameters` point to the values, in the order of the kernel's declaration.
  virtual Code launch(Handle function, Grid groups, Grid items, std::vector<void*>& parameters) = 0;
  virtual Code synchronize() = 0;
  virtual Code create_event(Handle& event) = 0;
  virtual Code record(Handle event) = 0;
  virtual Code elapsed_ms(Handle start, Handle end, float& ms) = 0;  // both must have been waited for
};

// Never null: without the library every method answers library_not_found. Use in a child only.
std::unique_ptr<ComputeApi> open_compute(const std::string& soname_or_path, Trace trace);

}  // namespace envdoctor::cuda
