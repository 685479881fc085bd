#pragma once
// Distances in units in the last place.
#include "kernels/array.h"

namespace envdoctor::kernels {

// The gap between the two numbers of this precision around the exact high + low (Muller; OpenCL C, "Relative Error as
// ULPs"): at a power of two the smaller one, below the smallest normal number that of the subnormals.
double ulp(Precision precision, double high, double low = 0);

// |got - (high + low)| in those units. An infinite `got` counts as the number after the largest finite one, so that an
// overflow within the tolerance passes. NaN for a NaN.
double ulps_off(Precision precision, double got, double high, double low = 0);

}  // namespace envdoctor::kernels
