#undef LANES
#undef PRECISION
#undef real
#define PRECISION fp32
#define real float
#if VECTOR_BYTES == 64
#define LANES 16
#else
#define LANES 8
#endif
