#pragma once
// The parts of the OpenCL probe, in the order in which they run.
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/elf/loader.h"
#include "host/host.h"
#include "host/process/subprocess.h"
#include "host/vendor/opencl_api.h"
#include "probe/session.h"

namespace envdoctor::opencl {

// The libOpenCL that an application would get, determined from files: nothing is loaded.
constexpr const char* loader_name = "libOpenCL.so.1";
Reading<OpenclLoader> find_loader(const Host& host, const Loader& loader);
// "ocl-icd", "khronos", "vendor" or "unknown", from a library's bytes.
std::string loader_kind(std::string_view library);

// Where a loader of that kind looks for drivers. The kinds read the same variables differently.
struct Registration {
  std::string folder{};                  // where .icd files are read; empty: none are read
  std::string file{};                    // a single .icd file instead
  std::vector<std::string> libraries{};  // named without a file
  std::string variable{};                // that changed it from /etc/OpenCL/vendors
};
Registration registration(const Host& host, const std::string& kind);

// The name that a loader of that kind passes to dlopen. Neither kind trims blanks or a carriage return.
Text library_line(std::string_view content, const std::string& kind);

// Every registered driver as its files show it, sorted by file. Nothing is loaded.
List<OpenclIcd> registered(const Host& host, const Registration& where, const std::string& kind);

// Sets which file the dynamic loader picks for a driver and, if a reason is visible, why it can't be loaded.
void explain(const Host& host, const Loader& loader, OpenclIcd& icd);

// In a child: one driver, with its platforms, its devices, then, if requested, a launch on each. Answers what it has
// after each stage; `listed` is called before the launches.
// Binds lazily, as ocl-icd does: undefined functions fail when called. Khronos' loader binds all of them at load time.
Opencl ask_driver(const Channel& channel, OpenclIcd icd, bool lazily, const std::function<void()>& listed,
                  bool launches);
// The libraries, by path, that two or more of these drivers need and that the dynamic loader finds in system folders
// for each of them.
std::vector<std::string> shared_libraries(const Host& host, const Loader& loader, const std::vector<OpenclIcd>& icds);
// In a child: what an application sees through libOpenCL.
Opencl ask_as_application(const Channel& channel);
void answer(const Channel& channel, const Opencl& opencl);

// The whole probe. Tests give other limits.
void start(Session& session, Limits limits);

}  // namespace envdoctor::opencl
