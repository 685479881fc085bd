#undef REAL_BYTES
#undef PRECISION
#undef real
#undef real2
#undef real4
#undef real8
#undef real16
#define PRECISION uint32
#define real uint
#define real2 uint2
#define real4 uint4
#define real8 uint8
#define real16 uint16
#define REAL_BYTES 4
