// In a child: one driver, loaded without any libOpenCL.
#include <fmt/format.h>

#include <memory>

#include "evidence/json.h"
#include "knowledge/names.h"
#include "probe/opencl.h"

namespace envdoctor::opencl {
namespace {

constexpr cl_uint most_platforms = 64;

// A device to launch the tiny kernel on: its place among what was found, and the driver's names for it.
struct Target {
  std::size_t platform, device;
  cl_platform_id platform_id;
  cl_device_id device_id;
  const OpenclCalls* calls;
};

void blame(OpenclIcd& icd, const char* kind, const std::string& error) {
  icd.error_kind = std::string(kind);
  icd.error = error;
}

// The platforms the driver has; empty with the reason in `icd` if it can't tell.
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

void answer(const Channel& channel, const Opencl& opencl) {
  Snapshot part;
  part.opencl = opencl;
  channel.answer(to_json(part));
}

std::string call_error(const char* call, cl_int code) {
  const std::string name = knowledge::code_name("opencl", code);
  return name.empty() ? fmt::format("{}: error {}", call, code) : fmt::format("{}: {}", call, name);
}

Opencl ask_driver(const Channel& channel, OpenclIcd icd, bool lazily, const std::function<void()>& listed,
                  bool launches) {
  std::vector<OpenclPlatform> found;
  std::vector<std::unique_ptr<OpenclCalls>> tables;
  const auto result = [&] { return Opencl{.icds = std::vector<OpenclIcd>{icd}, .platforms = found}; };
  // What is known before a dangerous call. That it names a step tells it from the last word.
  const auto before = [&](const char* step) {
    icd.step = std::string(step);
    answer(channel, result());
    icd.step = {};
    channel.step(step);
  };
  channel.step("dlopen");
  const auto driver = Library::open(*icd.library.get(), lazily);
  if (!driver.get()) {
    icd.loads = false;
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
    kernel = failed("the launch did not come back");  // stands if this child does not
    before("clCreateContext");
    kernel = launch(channel, *target.calls, target.platform_id, target.device_id);
  }
  return result();
}

}  // namespace envdoctor::opencl
