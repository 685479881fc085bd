#include "host/cuda_compute.h"

namespace envdoctor::cuda {
namespace {

constexpr int jit_error_log = 5;  // CUjit_option
constexpr int jit_error_log_size = 6;
constexpr int jit_optimisation = 7;

struct Table {
  explicit Table(const VendorLibrary& library) {
    library.bind(init, {"cuInit"});
    library.bind(device, {"cuDeviceGet"});
    library.bind(retain, {"cuDevicePrimaryCtxRetain"});
    library.bind(set_current, {"cuCtxSetCurrent"});
    library.bind(attribute, {"cuDeviceGetAttribute"});
    library.bind(memory, {"cuMemGetInfo_v2"});
    library.bind(load, {"cuModuleLoadDataEx"});
    library.bind(unload, {"cuModuleUnload"});
    library.bind(function, {"cuModuleGetFunction"});
    library.bind(allocate, {"cuMemAlloc_v2"});
    library.bind(release, {"cuMemFree_v2"});
    library.bind(copy_in, {"cuMemcpyHtoD_v2"});
    library.bind(copy_out, {"cuMemcpyDtoH_v2"});
    library.bind(allocate_host, {"cuMemAllocHost_v2"});
    library.bind(release_host, {"cuMemFreeHost"});
    library.bind(start_copy_in, {"cuMemcpyHtoDAsync_v2"});
    library.bind(start_copy_out, {"cuMemcpyDtoHAsync_v2"});
    library.bind(start_copy_on_device, {"cuMemcpyDtoDAsync_v2"});
    library.bind(launch, {"cuLaunchKernel"});
    library.bind(synchronize, {"cuCtxSynchronize"});
    library.bind(create_event, {"cuEventCreate"});
    library.bind(record, {"cuEventRecord"});
    library.bind(elapsed, {"cuEventElapsedTime_v2", "cuEventElapsedTime"});
  }
  int (*init)(unsigned) = nullptr;
  int (*device)(Device*, int) = nullptr;
  int (*retain)(void**, Device) = nullptr;
  int (*set_current)(void*) = nullptr;
  int (*attribute)(int*, int, Device) = nullptr;
  int (*memory)(std::size_t*, std::size_t*) = nullptr;
  int (*load)(void**, const void*, unsigned, int*, void**) = nullptr;
  int (*unload)(void*) = nullptr;
  int (*function)(void**, void*, const char*) = nullptr;
  int (*allocate)(Pointer*, std::size_t) = nullptr;
  int (*release)(Pointer) = nullptr;
  int (*copy_in)(Pointer, const void*, std::size_t) = nullptr;
  int (*copy_out)(void*, Pointer, std::size_t) = nullptr;
  int (*allocate_host)(void**, std::size_t) = nullptr;
  int (*release_host)(void*) = nullptr;
  int (*start_copy_in)(Pointer, const void*, std::size_t, void*) = nullptr;
  int (*start_copy_out)(void*, Pointer, std::size_t, void*) = nullptr;
  int (*start_copy_on_device)(Pointer, Pointer, std::size_t, void*) = nullptr;
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                void**) = nullptr;
  int (*synchronize)() = nullptr;
  int (*create_event)(void**, unsigned) = nullptr;
  int (*record)(void*, void*) = nullptr;
  int (*elapsed)(float*, void*, void*) = nullptr;
};

// Calls between two clock readings aren't told to the trace.
class Loaded : public ComputeApi {
 public:
  Loaded(const std::string& soname_or_path, Trace trace)
      : library_(soname_or_path, std::move(trace)), quiet_(soname_or_path, {}), c_(library_) {}

  Code open(int ordinal) override {
    void* context = nullptr;
    Code code = library_.call("cuInit", c_.init, 0U);
    if (code == success) code = library_.call("cuDeviceGet", c_.device, &device_, ordinal);
    if (code == success) code = library_.call("cuDevicePrimaryCtxRetain", c_.retain, &context, device_);
    if (code == success) code = library_.call("cuCtxSetCurrent", c_.set_current, context);
    return code;
  }
  Code attribute(Attribute which, int& value) override {
    return library_.call("cuDeviceGetAttribute", c_.attribute, &value, static_cast<int>(which), device_);
  }
  Code memory_free(std::size_t& bytes) override {
    std::size_t total = 0;
    return library_.call("cuMemGetInfo", c_.memory, &bytes, &total);
  }
  Code load_module(const std::string& ptx, int optimisation, Handle& module, std::string& log) override {
    std::array<char, 2048> words{};
    std::array<int, 3> options = {jit_error_log, jit_error_log_size, jit_optimisation};
    std::array<void*, 3> values = {words.data(), reinterpret_cast<void*>(words.size() - 1),  // NOLINT: as CUDA has it
                                   reinterpret_cast<void*>(static_cast<std::intptr_t>(optimisation))};  // NOLINT
    const Code code = library_.call("cuModuleLoadDataEx", c_.load, &module.value, static_cast<const void*>(ptx.c_str()),
                                    static_cast<unsigned>(options.size()), options.data(), values.data());
    words.back() = 0;
    log = words.data();
    return code;
  }
  Code unload_module(Handle module) override { return library_.call("cuModuleUnload", c_.unload, module.value); }
  Code function(Handle module, const std::string& name, Handle& function) override {
    return library_.call("cuModuleGetFunction", c_.function, &function.value, module.value, name.c_str());
  }
  Code allocate(std::size_t bytes, Pointer& pointer) override {
    return library_.call("cuMemAlloc", c_.allocate, &pointer, bytes);
  }
  Code release(Pointer pointer) override { return library_.call("cuMemFree", c_.release, pointer); }
  Code copy_in(Pointer to, const void* from, std::size_t bytes) override {
    return library_.call("cuMemcpyHtoD", c_.copy_in, to, from, bytes);
  }
  Code copy_out(void* to, Pointer from, std::size_t bytes) override {
    return library_.call("cuMemcpyDtoH", c_.copy_out, to, from, bytes);
  }
  Code allocate_host(std::size_t bytes, void*& memory) override {
    return library_.call("cuMemAllocHost", c_.allocate_host, &memory, bytes);
  }
  Code release_host(void* memory) override { return library_.call("cuMemFreeHost", c_.release_host, memory); }
  Code start_copy_in(Pointer to, const void* from, std::size_t bytes) override {
    return quiet_.call("cuMemcpyHtoDAsync", c_.start_copy_in, to, from, bytes, static_cast<void*>(nullptr));
  }
  Code start_copy_out(void* to, Pointer from, std::size_t bytes) override {
    return quiet_.call("cuMemcpyDtoHAsync", c_.start_copy_out, to, from, bytes, static_cast<void*>(nullptr));
  }
  Code start_copy_on_device(Pointer to, Pointer from, std::size_t bytes) override {
    return quiet_.call("cuMemcpyDtoDAsync", c_.start_copy_on_device, to, from, bytes, static_cast<void*>(nullptr));
  }
  Code launch(Handle function, Grid groups, Grid items, std::vector<void*>& parameters) override {
    return quiet_.call("cuLaunchKernel", c_.launch, function.value, groups.x, groups.y, groups.z, items.x, items.y,
                       items.z, 0U, static_cast<void*>(nullptr), parameters.data(), static_cast<void**>(nullptr));
  }
  Code synchronize() override { return quiet_.call("cuCtxSynchronize", c_.synchronize); }
  Code create_event(Handle& event) override {
    return library_.call("cuEventCreate", c_.create_event, &event.value, 0U);
  }
  Code record(Handle event) override {
    return quiet_.call("cuEventRecord", c_.record, event.value, static_cast<void*>(nullptr));
  }
  Code elapsed_ms(Handle start, Handle end, float& ms) override {
    return quiet_.call("cuEventElapsedTime", c_.elapsed, &ms, start.value, end.value);
  }

 private:
  VendorLibrary library_;
  VendorLibrary quiet_;
  Table c_;
  Device device_ = 0;
};

}  // namespace

std::unique_ptr<ComputeApi> open_compute(const std::string& soname_or_path, Trace trace) {
  return std::make_unique<Loaded>(soname_or_path, std::move(trace));
}

}  // namespace envdoctor::cuda
