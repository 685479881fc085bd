#pragma once
// The list of embedded device sources, which the build generates from the files in kernels/cl.

namespace envdoctor::kernels {

struct Embedded {
  const char* name = nullptr;  // "triad.cl", "precision_fp32.h", "triad.ptx"
  const char* begin = nullptr;
  const char* end = nullptr;
};

// Ends with a row without a name.
extern const Embedded embedded_sources[];

}  // namespace envdoctor::kernels
