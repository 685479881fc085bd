#undef REAL_BYTES
#undef PRECISION
#undef real
#undef real2
#undef real4
#undef real8
#undef real16
#define PRECISION uint64
#define real ulong
#define real2 ulong2
#define real4 ulong4
#define real8 ulong8
#define real16 ulong16
#define REAL_BYTES 8
