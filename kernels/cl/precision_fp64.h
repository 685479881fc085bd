#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#undef LANES
#undef PRECISION
#undef real
#define PRECISION fp64
#define real double
#if VECTOR_BYTES == 64
#define LANES 8
#else
#define LANES 4
#endif
