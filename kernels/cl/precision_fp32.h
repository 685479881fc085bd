#undef REAL_BYTES
#undef LANES
#undef PRECISION
#undef real
#undef real2
#undef real4
#undef real8
#undef real16
#define PRECISION fp32
#define real float
#define real2 float2
#define real4 float4
#define real8 float8
#define real16 float16
#define REAL_BYTES 4
#if VECTOR_BYTES == 64
#define LANES 16
#else
#define LANES 8
#endif
