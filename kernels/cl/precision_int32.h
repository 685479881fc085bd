#undef REAL_BYTES
#undef PRECISION
#undef real
#undef real2
#undef real4
#undef real8
#undef real16
#define PRECISION int32
#define real int
#define real2 int2
#define real4 int4
#define real8 int8
#define real16 int16
#define REAL_BYTES 4
