#pragma once
// The devices that tests compute on: installed third-party OpenCL drivers, and this host.
#include <cstdlib>
#include <fstream>
#include <string>

#include "kernels/core/verify.h"

namespace envdoctor {

// The library that an .icd file names; empty if there is no such file.
inline std::string driver_of(const std::string& icd) {
  std::string library;
  const char* folder = std::getenv("OCL_ICD_VENDORS");
  std::ifstream file(std::string(folder ? folder : "/etc/OpenCL/vendors") + "/" + icd);
  std::getline(file, library);
  return library;
}

inline kernels::Target pocl_target() {
  return {.subject = "opencl:pocl",
          .backend = "opencl",
          .library = driver_of("pocl.icd"),
          .platform = "Portable Computing Language",
          .is_cpu = true};
}
// Mesa's rusticl computes on llvmpipe if RUSTICL_ENABLE says so.
inline kernels::Target rusticl_target() {
  return {.subject = "opencl:rusticl",
          .backend = "opencl",
          .library = driver_of("rusticl.icd"),
          .platform = "rusticl",
          .is_cpu = true};
}
inline kernels::Target host_target() { return {.subject = "host", .backend = "host", .is_cpu = true}; }

// A variable set for the length of a test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

// "device kernel precision: why" of each row, for a failing test to show.
inline std::string describe(const Snapshot& snapshot) {
  std::string out;
  const auto word = [](const Text& text) { return text.get() ? *text.get() + " " : std::string(); };
  for (const ComputeNotRun& row : *snapshot.compute_not_run.get())
    out += word(row.device) + word(row.kernel) + word(row.precision) + "not run: " + word(row.why) + "\n";
  for (const ComputeResult& row : *snapshot.compute.get()) {
    out += word(row.device) + word(row.kernel) + word(row.precision);
    for (const auto& [name, value] : *row.size.get()) out += name + "=" + std::to_string(value) + " ";
    const Agreement& agreement = *row.agreement.get();
    out += word(row.variant) + word(agreement.outcome) + word(agreement.cause) + word(agreement.pattern) + "\n";
  }
  return out;
}

}  // namespace envdoctor
