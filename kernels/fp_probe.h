#pragma once
// Single operations with known answers: which arithmetic a device runs. The truth table is in fp_probe.cpp.
#include "kernels/array.h"
#include "kernels/fp_mode.h"

namespace envdoctor::kernels {

// What the answers of the kernel "fp-probe" show. Where items disagree on one operation, the first that differs counts.
FpMode read_fp_probe(const Array& answers);

}  // namespace envdoctor::kernels
