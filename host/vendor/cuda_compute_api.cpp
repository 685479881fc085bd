#include "host/vendor/cuda_compute_api.h"

#include <array>

namespace envdoctor::cuda {
namespace {

constexpr int jit_error_log = 5;  // CUjit_option
constexpr int jit_error_log_size = 6;
constexpr int jit_optimisation = 7;

// Calls between two clock readings are not traced.
class LoadedCompute : public ComputeApi {
 public:
  LoadedCompute(const std::string& soname_or_path, Trace trace)
      : library_(soname_or_path, std::move(trace)), quiet_(soname_or_path, {}) {}

  Code open(int ordinal) override {
    void* context = nullptr;
    Code code = init_(0U);
    if (code == success) code = device_(&opened_, ordinal);
    if (code == success) code = retain_(&context, opened_);
    if (code == success) code = set_current_(context);
    return code;
  }
  Code attribute(Attribute which, int& value) override { return attribute_(&value, static_cast<int>(which), opened_); }
  Code memory_free(std::size_t& bytes) override {
    std::size_t total = 0;
    return memory_(&bytes, &total);
  }
  Code load_module(const std::string& ptx, int optimisation, Handle& module, std::string& log) override {
    std::array<char, 2048> words{};
    std::array<int, 3> options = {jit_error_log, jit_error_log_size, jit_optimisation};
    std::array<void*, 3> values = {words.data(), reinterpret_cast<void*>(words.size() - 1),  // NOLINT: CUDA's interface
                                   reinterpret_cast<void*>(static_cast<std::intptr_t>(optimisation))};  // NOLINT
    const Code code =
        load_(&module.value, ptx.c_str(), static_cast<unsigned>(options.size()), options.data(), values.data());
    words.back() = 0;
    log = words.data();
    return code;
  }
  Code unload_module(Handle module) override { return unload_(module.value); }
  Code function(Handle module, const std::string& name, Handle& function) override {
    return function_(&function.value, module.value, name.c_str());
  }
  Code allocate(std::size_t bytes, Pointer& pointer) override { return allocate_(&pointer, bytes); }
  Code release(Pointer pointer) override { return release_(pointer); }
  Code copy_in(Pointer to, const void* from, std::size_t bytes) override { return copy_in_(to, from, bytes); }
  Code copy_out(void* to, Pointer from, std::size_t bytes) override { return copy_out_(to, from, bytes); }
  Code allocate_host(std::size_t bytes, void*& memory) override { return allocate_host_(&memory, bytes); }
  Code release_host(void* memory) override { return release_host_(memory); }
  Code start_copy_in(Pointer to, const void* from, std::size_t bytes) override {
    return start_copy_in_(to, from, bytes, nullptr);
  }
  Code start_copy_out(void* to, Pointer from, std::size_t bytes) override {
    return start_copy_out_(to, from, bytes, nullptr);
  }
  Code start_copy_on_device(Pointer to, Pointer from, std::size_t bytes) override {
    return start_copy_on_device_(to, from, bytes, nullptr);
  }
  Code launch(Handle function, Grid groups, Grid items, std::vector<void*>& parameters) override {
    return launch_(function.value, groups.x, groups.y, groups.z, items.x, items.y, items.z, 0U, nullptr,
                   parameters.data(), nullptr);
  }
  Code synchronize() override { return synchronize_(); }
  Code create_event(Handle& event) override { return create_event_(&event.value, 0U); }
  Code record(Handle event) override { return record_(event.value, nullptr); }
  Code elapsed_ms(Handle start, Handle end, float& ms) override { return elapsed_(&ms, start.value, end.value); }

 private:
  VendorLibrary library_;
  VendorLibrary quiet_;
  VendorFunction<unsigned> init_{library_, {"cuInit"}};
  VendorFunction<Device*, int> device_{library_, {"cuDeviceGet"}};
  VendorFunction<void**, Device> retain_{library_, {"cuDevicePrimaryCtxRetain"}};
  VendorFunction<void*> set_current_{library_, {"cuCtxSetCurrent"}};
  VendorFunction<int*, int, Device> attribute_{library_, {"cuDeviceGetAttribute"}};
  VendorFunction<std::size_t*, std::size_t*> memory_{library_, {"cuMemGetInfo_v2"}};
  VendorFunction<void**, const void*, unsigned, int*, void**> load_{library_, {"cuModuleLoadDataEx"}};
  VendorFunction<void*> unload_{library_, {"cuModuleUnload"}};
  VendorFunction<void**, void*, const char*> function_{library_, {"cuModuleGetFunction"}};
  VendorFunction<Pointer*, std::size_t> allocate_{library_, {"cuMemAlloc_v2"}};
  VendorFunction<Pointer> release_{library_, {"cuMemFree_v2"}};
  VendorFunction<Pointer, const void*, std::size_t> copy_in_{library_, {"cuMemcpyHtoD_v2"}};
  VendorFunction<void*, Pointer, std::size_t> copy_out_{library_, {"cuMemcpyDtoH_v2"}};
  VendorFunction<void**, std::size_t> allocate_host_{library_, {"cuMemAllocHost_v2"}};
  VendorFunction<void*> release_host_{library_, {"cuMemFreeHost"}};
  VendorFunction<Pointer, const void*, std::size_t, void*> start_copy_in_{quiet_, {"cuMemcpyHtoDAsync_v2"}};
  VendorFunction<void*, Pointer, std::size_t, void*> start_copy_out_{quiet_, {"cuMemcpyDtoHAsync_v2"}};
  VendorFunction<Pointer, Pointer, std::size_t, void*> start_copy_on_device_{quiet_, {"cuMemcpyDtoDAsync_v2"}};
  VendorFunction<void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**>
      launch_{quiet_, {"cuLaunchKernel"}};
  VendorFunction<> synchronize_{quiet_, {"cuCtxSynchronize"}};
  VendorFunction<void**, unsigned> create_event_{library_, {"cuEventCreate"}};
  VendorFunction<void*, void*> record_{quiet_, {"cuEventRecord"}};
  VendorFunction<float*, void*, void*> elapsed_{quiet_, {"cuEventElapsedTime_v2", "cuEventElapsedTime"}};
  Device opened_ = 0;
};

}  // namespace

std::unique_ptr<ComputeApi> open_compute(const std::string& soname_or_path, Trace trace) {
  return std::make_unique<LoadedCompute>(soname_or_path, std::move(trace));
}

}  // namespace envdoctor::cuda
