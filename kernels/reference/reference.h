#pragma once
// What reference kernels are written with.
#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/core/bounds.h"
#include "kernels/core/double_double.h"
#include "kernels/core/kernel.h"
#include "kernels/core/parallel.h"
#include "kernels/core/product.h"
#include "kernels/core/random.h"
#include "kernels/devices/host_loops.h"
