#pragma once
#include "evidence/fields.h"

namespace envdoctor {

struct OpenclLoader {
  Text path{};
  Text version{};
  Text kind{};         // ocl-icd, khronos, vendor (a driver's own libOpenCL), unknown
  Text vendors_dir{};  // the registration folder it reads
  Text variable{};     // the variable that moved it there, if any
  ENVDOCTOR_FIELDS(OpenclLoader, path, version, kind, vendors_dir, variable)
};

struct OpenclDevice {
  Text name{};
  Text type{};  // gpu, cpu, accelerator, custom
  Text vendor{};
  Text version{};
  Text driver_version{};
  Text pci_address{};
  Number compute_units{};
  Number clock_mhz{};
  Number memory_total_mib{};
  Flag fp64{};
  Flag fp16{};
  Text kernel{};  // "ran": a tiny kernel was built and gave the right sum; else "wrong result" or the failing call and
                  // its error
  ENVDOCTOR_FIELDS(OpenclDevice, name, type, vendor, version, driver_version, pci_address, compute_units, clock_mhz,
                   memory_total_mib, fp64, fp16, kernel)
};

struct OpenclPlatform {
  Text name{};
  Text vendor{};
  Text version{};
  Text icd{};  // file that registers it
  List<OpenclDevice> devices{};
  ENVDOCTOR_FIELDS(OpenclPlatform, name, vendor, version, icd, devices)
};

// One registered driver, from the file down to its platforms.
struct OpenclIcd {
  Text file{};
  Text library{};  // the line in the file
  Text path{};     // the file the loader picks for it; absent: none
  Flag loads{};
  Text error{};       // what went wrong, as the loader or the child's exit reported it
  Text error_kind{};  // unreadable, not-found, wrong-architecture, missing-dependency, not-an-icd, crash, timeout, …
  Text missing_dependency{};  // soname
  Text step{};                // the call it died or hung in
  Number platforms{};
  ENVDOCTOR_FIELDS(OpenclIcd, file, library, path, loads, error, error_kind, missing_dependency, step, platforms)
};

struct Opencl {
  Reading<OpenclLoader> loader{};
  List<OpenclIcd> icds{};
  List<OpenclPlatform> platforms{};
  Text error{};                    // CL name or number when asked as an application asks; absent: CL_SUCCESS
  Number application_platforms{};  // the number that an application sees through the loader
  ENVDOCTOR_FIELDS(Opencl, loader, icds, platforms, error, application_platforms)
};

}  // namespace envdoctor
