#pragma once
// OpenCL without libOpenCL: a driver's calls, looked up as an ICD loader does. Use in a child only.
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>

#include "evidence/reading.h"
#include "host/vendor/vendor_library.h"

namespace envdoctor {

// The table of cl_icd.h; a call that is missing is null. Drivers older than a call have a shorter table than this
// header declares, so take only calls of OpenCL 1.0 from it.
using OpenclCalls = cl_icd_dispatch;

// What a driver exports for an ICD loader (cl_khr_icd).
struct OpenclEntry {
  void* (*address)(const char*) = nullptr;
  clIcdGetPlatformIDsKHR_fn platforms = nullptr;
};
// Failed, naming the missing function, if the library is no ICD.
Reading<OpenclEntry> opencl_entry(const Library& driver);

// The calls of one platform: its own table, or, for drivers that leave the table to the loader (cl_khr_icd 2), one
// filled into `own`. Null if it has none.
const OpenclCalls* opencl_calls(cl_platform_id platform, const OpenclEntry& entry, OpenclCalls& own);

// The calls that a libOpenCL exports.
OpenclCalls opencl_calls(const Library& loader);

}  // namespace envdoctor
