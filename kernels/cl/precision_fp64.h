#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#undef REAL_BYTES
#undef LANES
#undef PRECISION
#undef real
#undef real2
#undef real4
#undef real8
#undef real16
#define PRECISION fp64
#define real double
#define real2 double2
#define real4 double4
#define real8 double8
#define real16 double16
#define REAL_BYTES 8
#if VECTOR_BYTES == 64
#define LANES 8
#else
#define LANES 4
#endif
