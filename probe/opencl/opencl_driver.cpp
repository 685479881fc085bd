// In a child: one driver, loaded without any libOpenCL.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <set>

#include "evidence/json.h"
#include "host/text.h"
#include "knowledge/codes/names.h"
#include "probe/opencl/opencl_platforms.h"

namespace envdoctor::opencl {

namespace {

// "clBuildProgram: CL_BUILD_PROGRAM_FAILURE".
std::string call_error(const char* call, cl_int code) {
  const std::string name = knowledge::code_name("opencl", code);
  return name.empty() ? fmt::format("{}: error {}", call, code) : fmt::format("{}: {}", call, name);
}

// What a driver reports about its platforms and devices. Every answer is validated.

constexpr std::size_t longest_text = 64 << 10;  // extension lists take a few KiB
constexpr std::size_t longest_name = 1024;
constexpr cl_uint most_devices = 1024;

using Query = std::function<cl_int(std::size_t, void*, std::size_t*)>;

template <class T>
Reading<T> ask_value(const char* call, const Query& query) {
  T value{};
  std::size_t size = sizeof(T);
  const cl_int code = query(sizeof(T), &value, &size);
  if (code != CL_SUCCESS) return failed(call_error(call, code));
  if (size != sizeof(T)) return failed(fmt::format("{} gave {} bytes where {} belong", call, size, sizeof(T)));
  return value;
}

bool lists(const std::string& extensions, std::string_view name) {
  return std::ranges::count(words_of(extensions), name) > 0;
}

Flag has(const Text& extensions, const char* name) {
  return extensions.then([&](const std::string& all) { return lists(all, name); });
}

// Bits may be set together (CPU and default); the most specific kind is named.
Text type_name(cl_device_type bits) {
  if (bits & CL_DEVICE_TYPE_GPU) return "gpu";
  if (bits & CL_DEVICE_TYPE_ACCELERATOR) return "accelerator";
  if (bits & CL_DEVICE_TYPE_CPU) return "cpu";
  if (bits & CL_DEVICE_TYPE_CUSTOM) return "custom";
  return failed(fmt::format("type {:#x} is none that OpenCL names", bits));
}

std::string address(unsigned domain, unsigned bus, unsigned device, unsigned function) {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", domain, bus & 0xff, device & 0x1f, function & 7);
}

// Three extensions provide it: cl_khr_pci_bus_info, cl_nv_device_attribute_query, cl_amd_device_attribute_query.
template <class Ask>
Text pci_address(const std::string& extensions, Ask ask) {
  constexpr cl_device_info nv_bus = 0x4008, nv_slot = 0x4009, nv_domain = 0x400A;  // not in Debian's cl_ext.h
  const char* call = "clGetDeviceInfo";
  if (lists(extensions, "cl_khr_pci_bus_info")) {
    const auto info = ask_value<cl_device_pci_bus_info_khr>(call, ask(CL_DEVICE_PCI_BUS_INFO_KHR));
    return info.then([](const auto& p) { return address(p.pci_domain, p.pci_bus, p.pci_device, p.pci_function); });
  }
  if (lists(extensions, "cl_nv_device_attribute_query")) {
    const auto domain = ask_value<cl_uint>(call, ask(nv_domain));  // drivers before 2018 lack it
    const auto slot = ask_value<cl_uint>(call, ask(nv_slot));
    if (!slot.get()) return slot.missing();
    return ask_value<cl_uint>(call, ask(nv_bus)).then([&](cl_uint bus) {
      return address(domain.or_empty(), bus, *slot.get() >> 3, *slot.get());
    });
  }
  if (lists(extensions, "cl_amd_device_attribute_query")) {
    const auto info = ask_value<cl_device_topology_amd>(call, ask(CL_DEVICE_TOPOLOGY_AMD));
    return info.then([](const cl_device_topology_amd& t) -> Text {
      if (t.raw.type != CL_DEVICE_TOPOLOGY_TYPE_PCIE_AMD) return absent("the driver gives no PCI address");
      const auto byte = [](cl_char c) { return static_cast<unsigned char>(c); };
      return address(0, byte(t.pcie.bus), byte(t.pcie.device), byte(t.pcie.function));
    });
  }
  return absent("the driver has no extension that reports it");
}

Text ask_text(const char* call, const Query& query) {
  std::size_t size = 0;
  cl_int code = query(0, nullptr, &size);
  if (code != CL_SUCCESS) return failed(call_error(call, code));
  if (size > longest_text) return failed(fmt::format("{} claims a text of {} bytes", call, size));
  std::string bytes(size + 1, '\0');
  if (size != 0) code = query(size, bytes.data(), nullptr);
  if (code != CL_SUCCESS) return failed(call_error(call, code));
  bytes.resize(std::strlen(bytes.c_str()));
  if (bytes.empty()) return absent(fmt::format("{} gave an empty text", call));
  return bytes;
}

OpenclDevice read_device(const Channel& channel, const OpenclCalls& calls, cl_device_id id) {
  constexpr const char* call = "clGetDeviceInfo";
  if (!id) return {.name = failed("the driver handed out a null device")};
  if (!calls.clGetDeviceInfo) return {.name = failed("the driver has no clGetDeviceInfo")};
  const auto ask = [&](cl_device_info what) -> Query {
    channel.step(call);
    return [&calls, id, what](auto... where) { return calls.clGetDeviceInfo(id, what, where...); };
  };
  const auto text = [&](cl_device_info what) {
    return ask_text(call, ask(what)).then([](const std::string& s) { return s.substr(0, longest_name); });
  };
  const auto number = [](const auto& reading) {
    return reading.then([](auto n) { return static_cast<std::int64_t>(n); });
  };
  OpenclDevice device{.name = text(CL_DEVICE_NAME)};
  device.type = ask_value<cl_device_type>(call, ask(CL_DEVICE_TYPE)).then(type_name);
  device.vendor = text(CL_DEVICE_VENDOR);
  device.version = text(CL_DEVICE_VERSION);
  device.driver_version = text(CL_DRIVER_VERSION);
  device.compute_units = number(ask_value<cl_uint>(call, ask(CL_DEVICE_MAX_COMPUTE_UNITS)));
  device.clock_mhz = number(ask_value<cl_uint>(call, ask(CL_DEVICE_MAX_CLOCK_FREQUENCY)));
  device.memory_total_mib = number(
      ask_value<cl_ulong>(call, ask(CL_DEVICE_GLOBAL_MEM_SIZE)).then([](cl_ulong bytes) { return bytes >> 20; }));
  const Text extensions = ask_text(call, ask(CL_DEVICE_EXTENSIONS));
  device.fp64 = has(extensions, "cl_khr_fp64");
  device.fp16 = has(extensions, "cl_khr_fp16");
  device.pci_address = extensions.then([&](const std::string& all) { return pci_address(all, ask); });
  return device;
}

OpenclPlatform read_platform(const Channel& channel, const OpenclCalls& calls, cl_platform_id id,
                             std::vector<cl_device_id>& devices) {
  OpenclPlatform platform;
  const auto text = [&](cl_platform_info what) -> Text {
    if (!calls.clGetPlatformInfo) return failed("the driver has no clGetPlatformInfo");
    channel.step("clGetPlatformInfo");
    const auto query = [&](auto... where) { return calls.clGetPlatformInfo(id, what, where...); };
    const Text all = ask_text("clGetPlatformInfo", query);
    return all.then([](const std::string& s) { return s.substr(0, longest_name); });
  };
  platform.name = text(CL_PLATFORM_NAME);
  platform.vendor = text(CL_PLATFORM_VENDOR);
  platform.version = text(CL_PLATFORM_VERSION);
  if (!calls.clGetDeviceIDs) {
    platform.devices = failed("the driver has no clGetDeviceIDs");
    return platform;
  }
  constexpr const char* call = "clGetDeviceIDs";
  channel.step(call);
  cl_uint count = 0;
  cl_int code = calls.clGetDeviceIDs(id, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (code == CL_DEVICE_NOT_FOUND) count = 0, code = CL_SUCCESS;
  if (code == CL_SUCCESS && count > most_devices) {
    platform.devices = failed(fmt::format("{} claims {} devices", call, count));
    return platform;
  }
  devices.assign(code == CL_SUCCESS ? count : 0, nullptr);
  if (!devices.empty()) code = calls.clGetDeviceIDs(id, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr);
  if (code != CL_SUCCESS) {
    devices.clear();
    platform.devices = failed(call_error(call, code));
    return platform;
  }
  platform.devices.fill();
  for (cl_device_id device : devices) platform.devices.get()->push_back(read_device(channel, calls, device));
  return platform;
}

// Builds and runs a tiny kernel and checks its result.

constexpr std::size_t launched_items = 256;

const char* const kernel_source =
    "__kernel void envdoctor(__global uint* out) {\n"
    "  const uint i = (uint)get_global_id(0);\n"
    "  out[i] = i * i + 7u;\n"
    "}\n";

class Launch {
 public:
  Launch(const Channel& channel, const OpenclCalls& calls) : channel_(channel), calls_(calls) {}

  // Each call is named before it is made; the first failure ends the launch.
  template <class F, class... Args>
  bool code(const char* name, F function, Args... args) {
    if (!ready(name, function)) return false;
    return good(name, function(args...));
  }
  template <class T, class F, class... Args>
  bool made(T& object, const char* name, F function, Args... args) {
    if (!ready(name, function)) return false;
    cl_int error = CL_SUCCESS;
    object = function(args..., &error);
    if (error == CL_SUCCESS && !object) {
      outcome_ = std::string(name) + ": no error and no object";
      return false;
    }
    return good(name, error);
  }

  std::string run(cl_platform_id platform, cl_device_id device) {
    const std::array<cl_context_properties, 3> properties = {CL_CONTEXT_PLATFORM,
                                                             reinterpret_cast<cl_context_properties>(platform), 0};
    std::array<cl_uint, launched_items> out{};
    const char* text = kernel_source;
    const std::size_t length = std::char_traits<char>::length(kernel_source);
    cl_context context = nullptr;
    cl_command_queue queue = nullptr;
    cl_program program = nullptr;
    cl_kernel kernel = nullptr;
    cl_mem buffer = nullptr;
    using Notify = void(CL_CALLBACK*)(const char*, const void*, std::size_t, void*);
    using Built = void(CL_CALLBACK*)(cl_program, void*);
    // Nothing is released: this child ends soon, and releasing could fail as well.
    const bool ran =
        made(context, "clCreateContext", calls_.clCreateContext, properties.data(), 1u, &device, Notify(nullptr),
             static_cast<void*>(nullptr)) &&
        made(queue, "clCreateCommandQueue", calls_.clCreateCommandQueue, context, device,
             cl_command_queue_properties{0}) &&
        made(buffer, "clCreateBuffer", calls_.clCreateBuffer, context, cl_mem_flags{CL_MEM_READ_WRITE}, sizeof(out),
             static_cast<void*>(nullptr)) &&
        made(program, "clCreateProgramWithSource", calls_.clCreateProgramWithSource, context, 1u, &text, &length) &&
        code("clBuildProgram", calls_.clBuildProgram, program, 1u, &device, "", Built(nullptr),
             static_cast<void*>(nullptr)) &&
        made(kernel, "clCreateKernel", calls_.clCreateKernel, program, "envdoctor") &&
        code("clSetKernelArg", calls_.clSetKernelArg, kernel, 0u, sizeof(buffer), &buffer) &&
        code("clEnqueueNDRangeKernel", calls_.clEnqueueNDRangeKernel, queue, kernel, 1u,
             static_cast<const std::size_t*>(nullptr), &launched_items, static_cast<const std::size_t*>(nullptr), 0u,
             static_cast<const cl_event*>(nullptr), static_cast<cl_event*>(nullptr)) &&
        code("clEnqueueReadBuffer", calls_.clEnqueueReadBuffer, queue, buffer, cl_bool{CL_TRUE}, std::size_t{0},
             sizeof(out), out.data(), 0u, static_cast<const cl_event*>(nullptr), static_cast<cl_event*>(nullptr));
    if (!ran) return outcome_;
    for (cl_uint i = 0; i < launched_items; ++i) {
      if (out[i] != i * i + 7u) return "wrong result";
    }
    return "ran";
  }

 private:
  template <class F>
  bool ready(const char* name, F function) {
    channel_.step(name);
    if (!function) outcome_ = std::string("the driver has no ") + name;
    return function != nullptr;
  }
  bool good(const char* name, cl_int error) {
    if (error != CL_SUCCESS) outcome_ = call_error(name, error);
    return error == CL_SUCCESS;
  }

  const Channel& channel_;
  const OpenclCalls& calls_;
  std::string outcome_{};
};

// "ran", "wrong result", or the failing call and its error.
std::string launch(const Channel& channel, const OpenclCalls& calls, cl_platform_id platform, cl_device_id device) {
  return Launch(channel, calls).run(platform, device);
}

constexpr cl_uint most_platforms = 64;

// A device to launch the tiny kernel on: its index among the found devices, and the driver's handles.
struct Target {
  std::size_t platform, device;
  cl_platform_id platform_id;
  cl_device_id device_id;
  const OpenclCalls* calls;
};

// The loader hit a limit of this process, which says nothing about the library.
bool limit_of_ours(std::string_view why) {
  return contains(why, "Too many open files") || contains(why, "Cannot allocate memory");
}

void blame(OpenclIcd& icd, const char* kind, const std::string& error) {
  icd.error_kind = std::string(kind);
  icd.error = error;
}

// The platforms the driver has; empty with the reason in `icd` if it fails.
std::vector<cl_platform_id> list_platforms(const Channel& channel, const OpenclEntry& entry, OpenclIcd& icd) {
  constexpr const char* call = "clIcdGetPlatformIDsKHR";
  channel.step(call);
  cl_uint count = 0;
  cl_int code = entry.platforms(0, nullptr, &count);
  icd.loads = true;
  if (code == CL_SUCCESS && count > most_platforms) {
    blame(icd, "nonsense", fmt::format("{} claims {} platforms", call, count));
    return {};
  }
  std::vector<cl_platform_id> platforms(code == CL_SUCCESS ? count : 0, nullptr);
  if (!platforms.empty()) code = entry.platforms(count, platforms.data(), nullptr);
  icd.platforms = static_cast<std::int64_t>(code == CL_SUCCESS ? platforms.size() : 0);
  if (code == CL_SUCCESS) return platforms;
  blame(icd, "no-platform", call_error(call, code));
  return {};
}

}  // namespace

void answer(const Channel& channel, const Opencl& opencl) { channel.answer(to_json(Snapshot{.opencl = opencl})); }

Opencl ask_driver(const Channel& channel, OpenclIcd icd, bool lazily, const std::function<void()>& listed,
                  bool launches) {
  std::vector<OpenclPlatform> found;
  std::vector<std::unique_ptr<OpenclCalls>> tables;
  const auto result = [&] { return Opencl{.icds = std::vector<OpenclIcd>{icd}, .platforms = found}; };
  // What is known before a dangerous call. Unlike the final answer it names a step.
  const auto before = [&](const char* step) {
    icd.step = std::string(step);
    answer(channel, result());
    icd.step = {};
    channel.step(step);
  };
  channel.step("dlopen");
  const auto driver = Library::open(*icd.library.get(), lazily);
  if (!driver.get()) {
    icd.loads = limit_of_ours(driver.why()) ? Flag(failed(driver.why())) : Flag(false);
    if (!icd.loads.get()) return result();
    blame(icd, driver.outcome() == Outcome::absent ? "not-found" : "not-loadable", driver.why());
    return result();
  }
  icd.path = driver.get()->path();
  before("clGetExtensionFunctionAddress");
  const auto entry = opencl_entry(*driver.get());
  if (!entry.get()) {
    icd.loads = false;
    blame(icd, "not-an-icd", entry.why());
    return result();
  }
  std::vector<Target> targets;
  for (cl_platform_id id : list_platforms(channel, *entry.get(), icd)) {
    before("platform's table of calls");
    auto own = std::make_unique<OpenclCalls>();
    const OpenclCalls* calls = id ? opencl_calls(id, *entry.get(), *own) : nullptr;
    if (!calls) {
      blame(icd, "not-an-icd", id ? "a platform has no table of calls" : "the driver handed out a null platform");
      continue;
    }
    std::vector<cl_device_id> devices;
    found.push_back(read_platform(channel, *calls, id, devices));
    found.back().icd = icd.file;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (devices[i]) targets.push_back({found.size() - 1, i, id, devices[i], calls});
    }
    tables.push_back(std::move(own));
  }
  listed();
  if (!launches) return result();
  for (const Target& target : targets) {
    Text& kernel = (*found[target.platform].devices.get())[target.device].kernel;
    kernel = failed("the launch did not come back");  // kept if this child dies
    before("clCreateContext");
    kernel = launch(channel, *target.calls, target.platform_id, target.device_id);
  }
  return result();
}

// In a child: OpenCL as an application gets it, through the libOpenCL that the dynamic loader picks.

namespace {

// ocl-icd's call, later taken over by Khronos' loader; 2 asks for the version, 3 for the name.
Text loader_version(const OpenclCalls& calls) {
  using Info = cl_int (*)(cl_uint, std::size_t, void*, std::size_t*);
  if (!calls.clGetExtensionFunctionAddress) return failed("this libOpenCL has no clGetExtensionFunctionAddress");
  const auto info = reinterpret_cast<Info>(calls.clGetExtensionFunctionAddress("clGetICDLoaderInfoOCLICD"));
  if (!info) return absent("this libOpenCL does not report its version");
  return ask_text("clGetICDLoaderInfoOCLICD", [&](auto... where) { return info(2, where...); });
}

}  // namespace

Opencl ask_as_application(const Channel& channel) {
  Opencl seen;
  channel.step("dlopen");
  const auto library = Library::open("libOpenCL.so.1");
  if (!library.get()) {
    const Missing why = failed(library.why());
    return {.loader = library.missing(), .error = why, .application_platforms = why};
  }
  const OpenclCalls calls = opencl_calls(*library.get());
  channel.step("clGetICDLoaderInfoOCLICD");
  seen.loader = OpenclLoader{.path = library.get()->path(), .version = loader_version(calls)};
  constexpr const char* call = "clGetPlatformIDs";
  if (!calls.clGetPlatformIDs) {
    seen.error = failed("this libOpenCL has no clGetPlatformIDs");
    seen.application_platforms = seen.error.missing();
    return seen;
  }
  channel.step(call);
  cl_uint count = 0;
  const cl_int code = calls.clGetPlatformIDs(0, nullptr, &count);
  if (code == CL_SUCCESS) {
    seen.error = absent("CL_SUCCESS");
    seen.application_platforms = std::int64_t{count};
  } else {
    const std::string name = knowledge::code_name("opencl", code);
    seen.error = name.empty() ? std::to_string(code) : name;
    // The loaders give this code for an empty list.
    seen.application_platforms = code == CL_PLATFORM_NOT_FOUND_KHR ? Number(0) : Number(failed(call_error(call, code)));
  }
  return seen;
}

// Drivers share large libraries, such as LLVM: loading them before the drivers' children are forked costs the time
// once.

namespace {

// The file that the loader opens for a name, whichever object asks; empty unless all get the same.
std::string system_path(const Loader& loader, const std::string& soname, const std::string& requester) {
  const auto search = loader.look_up(soname, requester);
  if (!search.get()) return {};
  const FoundLibrary& chosen = search.get()->chosen;
  const bool system = chosen.origin == "ldcache" || chosen.origin == "default";
  return system && chosen.problem.empty() ? chosen.path : "";
}

}  // namespace

std::vector<std::string> shared_libraries(const Host& host, const Loader& loader, const std::vector<OpenclIcd>& icds) {
  // By soname, how many drivers need it; those with a RUNPATH may get another file, and ask for themselves.
  std::map<std::string, std::map<std::string, int>> askers;
  for (const OpenclIcd& icd : icds) {
    if (icd.loads.is(false) || !icd.library.get()) continue;
    const std::string driver = system_path(loader, *icd.library.get(), "");
    const auto facts = driver.empty() ? Reading<ElfFacts>() : elf_facts(host.files, driver);
    if (!facts.get() || !facts.get()->rpath.empty()) continue;  // an RPATH also applies to indirect dependencies
    const std::set<std::string> needed(facts.get()->needed.begin(), facts.get()->needed.end());
    for (const std::string& soname : needed) ++askers[soname][facts.get()->runpath.empty() ? "" : driver];
  }
  std::map<std::string, int> wanted;
  for (const auto& [soname, drivers] : askers) {
    if (drivers.size() == 1 && drivers.begin()->second == 1) continue;
    for (const auto& [asker, number] : drivers) wanted[system_path(loader, soname, asker)] += number;
  }
  wanted.erase("");
  std::vector<std::string> shared;
  for (const auto& [path, drivers] : wanted)
    if (drivers > 1) shared.push_back(path);
  return shared;
}
}  // namespace envdoctor::opencl
