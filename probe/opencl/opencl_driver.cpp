// In a child: one driver, loaded without any libOpenCL.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>

#include "evidence/json.h"
#include "knowledge/codes/names.h"
#include "probe/opencl/opencl_platforms.h"

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

void answer(const Channel& channel, const Opencl& opencl) { channel.answer(to_json(Snapshot{.opencl = opencl})); }

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

// In a child: OpenCL as an application gets it, through whatever libOpenCL the dynamic loader picks.

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
  const std::string name = knowledge::code_name("opencl", code);
  if (code == CL_SUCCESS) {
    seen.error = absent("CL_SUCCESS");
    seen.application_platforms = std::int64_t{count};
  } else {
    seen.error = name.empty() ? std::to_string(code) : name;
    // The loaders give this code for an empty list.
    seen.application_platforms = code == CL_PLATFORM_NOT_FOUND_KHR ? Number(0) : Number(failed(call_error(call, code)));
  }
  return seen;
}

// Drivers share large libraries, LLVM above all: loaded once, before the drivers' children part, they cost once.

namespace {

// What the loader would open for a name, however it is asked; empty unless all would get the same.
std::string system_path(const Loader& loader, const std::string& soname, const std::string& requester) {
  const auto search = loader.look_up(soname, requester);
  if (!search.get()) return {};
  const FoundLibrary& chosen = search.get()->chosen;
  const bool system = chosen.origin == "ldcache" || chosen.origin == "default";
  return system && chosen.problem.empty() ? chosen.path : "";
}

}  // namespace

std::vector<std::string> shared_libraries(const Host& host, const Loader& loader, const std::vector<OpenclIcd>& icds) {
  std::map<std::string, int> wanted;
  for (const OpenclIcd& icd : icds) {
    if (icd.loads.is(false) || !icd.library.get()) continue;
    const std::string driver = system_path(loader, *icd.library.get(), "");
    const auto facts = driver.empty() ? Reading<ElfFacts>() : elf_facts(host.files, driver);
    if (!facts.get() || !facts.get()->rpath.empty()) continue;  // an RPATH holds for what is needed in turn, too
    std::set<std::string> needed;
    for (const std::string& soname : facts.get()->needed) needed.insert(system_path(loader, soname, driver));
    for (const std::string& path : needed) ++wanted[path];
  }
  wanted.erase("");
  std::vector<std::string> shared;
  for (const auto& [path, drivers] : wanted)
    if (drivers > 1) shared.push_back(path);
  return shared;
}

}  // namespace envdoctor::opencl
