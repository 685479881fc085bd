// In a child: what a driver says of its platforms and devices. Nothing it says is believed to be well-formed.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "probe/opencl/opencl_platforms.h"
#include "probe/text.h"

namespace envdoctor::opencl {
namespace {

constexpr std::size_t longest_text = 64 << 10;  // extension lists reach some KiB
constexpr std::size_t longest_name = 1024;
constexpr cl_uint most_devices = 1024;

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

// Three extensions tell it: cl_khr_pci_bus_info, cl_nv_device_attribute_query, cl_amd_device_attribute_query.
template <class Ask>
Text pci_address(const std::string& extensions, Ask ask) {
  constexpr cl_device_info nv_bus = 0x4008, nv_slot = 0x4009, nv_domain = 0x400A;  // not in Debian's cl_ext.h
  const char* call = "clGetDeviceInfo";
  if (lists(extensions, "cl_khr_pci_bus_info")) {
    const auto info = ask_value<cl_device_pci_bus_info_khr>(call, ask(CL_DEVICE_PCI_BUS_INFO_KHR));
    return info.then([](const auto& p) { return address(p.pci_domain, p.pci_bus, p.pci_device, p.pci_function); });
  }
  if (lists(extensions, "cl_nv_device_attribute_query")) {
    const auto domain = ask_value<cl_uint>(call, ask(nv_domain));  // drivers before 2018 don't know it
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

}  // namespace

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

}  // namespace envdoctor::opencl
