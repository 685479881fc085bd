#include <algorithm>

#include "kernels/opencl_device.h"

namespace envdoctor::kernels {
namespace {

constexpr cl_uint most_platforms = 64;
constexpr cl_uint most_devices = 1024;

template <class T>
T number(const OpenclCalls& calls, cl_device_id device, cl_device_info what, T otherwise) {
  T value{};
  std::size_t size = 0;
  const bool told =
      calls.clGetDeviceInfo && calls.clGetDeviceInfo(device, what, sizeof(value), &value, &size) == CL_SUCCESS;
  return told && size == sizeof(value) ? value : otherwise;
}

template <class Ask>
std::string text_of(Ask ask) {
  std::string text(std::size_t{64} << 10, '\0');
  if (ask(text.size() - 1, text.data()) != CL_SUCCESS) return "";
  text.resize(text.find('\0') == text.npos ? 0 : text.find('\0'));
  return text;
}

Abilities abilities_of(const OpenclCalls& calls, cl_device_id device) {
  const std::string extensions = text_of([&](std::size_t size, void* out) {
    return calls.clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, out, nullptr);
  });
  const auto memory = number<cl_ulong>(calls, device, CL_DEVICE_GLOBAL_MEM_SIZE, 0);
  return {
      .fp16 = extensions.find("cl_khr_fp16") != extensions.npos,
      .fp64 = extensions.find("cl_khr_fp64") != extensions.npos,
      .max_local_items = std::max<std::size_t>(1, number<std::size_t>(calls, device, CL_DEVICE_MAX_WORK_GROUP_SIZE, 1)),
      .local_memory_bytes = number<cl_ulong>(calls, device, CL_DEVICE_LOCAL_MEM_SIZE, 0),
      .memory_bytes = memory / 4,
      .largest_buffer_bytes = number<cl_ulong>(calls, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, 0),
      .compute_units =
          static_cast<int>(std::clamp(number<cl_uint>(calls, device, CL_DEVICE_MAX_COMPUTE_UNITS, 1), 1U, 4096U)),
      .vector_bytes = number<cl_uint>(calls, device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 8) >= 16 ? 64U : 32U,
  };
}

// Vendors' own queries (cl_nv_device_attribute_query, cl_amd_device_attribute_query, cl_intel_device_attribute_query).
Clues clues_of(const OpenclCalls& calls, cl_device_id device) {
  const auto count = [&](cl_device_info what) {
    return static_cast<int>(std::min<cl_uint>(number<cl_uint>(calls, device, what, 0), 1U << 16));
  };
  return {.clock_mhz = static_cast<double>(count(CL_DEVICE_MAX_CLOCK_FREQUENCY)),
          .units = count(CL_DEVICE_MAX_COMPUTE_UNITS),
          .nvidia_major = count(0x4000),
          .nvidia_minor = count(0x4001),
          .amd_simds = count(0x4040),
          .amd_simd_width = count(0x4041),
          .amd_instruction_width = count(0x4042),
          .intel_slices = count(0x4252),
          .intel_subslices = count(0x4253),
          .intel_units = count(0x4254),
          .clock_origin = "CL_DEVICE_MAX_CLOCK_FREQUENCY"};
}

std::vector<cl_platform_id> platforms_of(const OpenclTalk& talk, const Target& target, OpenclFound& found,
                                         const OpenclEntry* entry) {
  cl_uint count = 0;
  const auto list = [&](cl_uint room, cl_platform_id* out, cl_uint* told) {
    if (entry) return talk.code("clIcdGetPlatformIDsKHR", entry->platforms, room, out, told);
    return talk.code("clGetPlatformIDs", found.own->clGetPlatformIDs, room, out, told);
  };
  list(0, nullptr, &count);
  if (count > most_platforms) throw DeviceError(target.library + " claims too many platforms");
  std::vector<cl_platform_id> platforms(count, nullptr);
  if (count > 0) list(count, platforms.data(), nullptr);
  std::erase(platforms, nullptr);
  return platforms;
}

}  // namespace

std::string OpenclTalk::code_text(cl_int code) const {
  const std::string name = options.code_name ? options.code_name("opencl", code) : "";
  return name.empty() ? "error " + std::to_string(code) : name;
}

OpenclFound find_opencl(const OpenclTalk& talk, const Target& target) {
  OpenclFound found;
  talk.tell("dlopen of " + target.library);
  const auto library = Library::open(target.library, true);
  if (!library.get()) throw DeviceError(target.library + ": " + library.why());
  found.library = std::make_shared<Library>(*library.get());
  found.own = std::make_shared<OpenclCalls>();
  Reading<OpenclEntry> entry;
  if (target.through_loader) {
    *found.own = opencl_calls(*library.get());
  } else {
    entry = opencl_entry(*library.get());
    if (!entry.get()) throw DeviceError(target.library + ": " + entry.why());
  }
  const std::vector<cl_platform_id> platforms = platforms_of(talk, target, found, entry.get());
  for (std::size_t i = 0; i < platforms.size(); ++i) {
    cl_platform_id platform = platforms[i];
    found.calls = entry.get() ? opencl_calls(platform, *entry.get(), *found.own) : found.own.get();
    if (!found.calls || !found.calls->clGetPlatformInfo || !found.calls->clGetDeviceIDs ||
        !found.calls->clGetDeviceInfo)
      continue;
    // A loader numbers the platforms of all drivers, so there the name tells.
    const std::string name = text_of([&](std::size_t size, void* out) {
      return found.calls->clGetPlatformInfo(platform, CL_PLATFORM_NAME, size, out, nullptr);
    });
    if (target.through_loader ? name != target.platform : static_cast<int>(i) != target.platform_index) continue;
    std::vector<cl_device_id> devices(most_devices, nullptr);
    cl_uint count = 0;
    talk.code("clGetDeviceIDs", found.calls->clGetDeviceIDs, platform, cl_device_type{CL_DEVICE_TYPE_ALL}, most_devices,
              devices.data(), &count);
    devices.resize(std::min(count, most_devices));
    if (static_cast<std::size_t>(target.index) >= devices.size() || !devices[static_cast<std::size_t>(target.index)])
      throw DeviceError("the driver no longer lists this device");
    found.platform = platform;
    found.device = devices[static_cast<std::size_t>(target.index)];
    const auto type = number<cl_device_type>(*found.calls, found.device, CL_DEVICE_TYPE, 0);
    found.facts = {.subject = target.subject,
                   .backend = "opencl",
                   .math_library = "the driver's compiler",
                   .on_host_cores = (type & CL_DEVICE_TYPE_CPU) != 0,
                   .variants = {Variant::cpu, Variant::gpu},
                   .abilities = abilities_of(*found.calls, found.device),
                   .clues = clues_of(*found.calls, found.device)};
    if (talk.options.vector_bytes > 0) found.facts.abilities.vector_bytes = talk.options.vector_bytes;
    return found;
  }
  throw DeviceError(target.library + " has no platform " + target.platform);
}

}  // namespace envdoctor::kernels
