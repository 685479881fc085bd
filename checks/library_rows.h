#pragma once
// The copies of a shared library that a snapshot lists, and which of them a framework would load.
#include <string>
#include <string_view>
#include <vector>

#include "checks/facts.h"

namespace envdoctor {

struct LibraryRow {
  const SharedLibrary* library = nullptr;
  std::size_t index = 0;  // in /libraries
};

// Every row of this soname, found or not.
std::vector<LibraryRow> rows_of(const Snapshot& snapshot, std::string_view soname);
// Whether any copy is there, in the loader's path or in the Python environment; unknown where no row speaks of it.
Flag library_found(const Snapshot& snapshot, std::string_view soname);

// How early a copy of this origin is taken by a framework that has its own copies beside it: LD_PRELOAD, then
// LD_LIBRARY_PATH, then the environment's own (RUNPATH), then the system's. Lower comes first.
int precedence(const SharedLibrary& library);

// A CUDA runtime library, by its Linux or Windows name; cuDNN and the driver's own are none.
bool is_cuda_library(std::string_view name);
bool is_cudnn_library(std::string_view name);

// "91900", "8902" as cudnnGetVersion gives them, or a dotted version -> "9.19.0", "8.9.2".
std::string cudnn_version_text(std::string_view version);

}  // namespace envdoctor
