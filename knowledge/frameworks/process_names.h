#pragma once
// What the libraries and the name of a running process mean (process_libraries.json).
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

struct ProcessLibraryKind {
  std::string begins{};   // of the file's name: "libcudnn.so"
  std::string library{};  // cudnn
  std::string
      role{};  // driver, runtime, cudnn, cudnn-part, framework, framework-gpu, opencl-gpu, opencl-cpu, loader, …
  std::string stack{};  // cuda, rocm, opencl, level-zero; empty: any
  std::string name{};   // "cuDNN"
};
// The row for a library's file name; null: not relevant.
const ProcessLibraryKind* process_library_kind(std::string_view file_name);

// Why the work of a program of this name runs outside its process tree: "docker hands the work to its daemon".
// Empty: it doesn't.
std::string why_outside(std::string_view program);

}  // namespace envdoctor::knowledge
