#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#undef REAL_BYTES
#undef PRECISION
#undef real
#undef real2
#undef real4
#undef real8
#undef real16
#define PRECISION fp16
#define real half
#define real2 half2
#define real4 half4
#define real8 half8
#define real16 half16
#define REAL_BYTES 2
