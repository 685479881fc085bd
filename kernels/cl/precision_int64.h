#undef REAL_BYTES
#undef PRECISION
#undef real
#undef real2
#undef real4
#undef real8
#undef real16
#define PRECISION int64
#define real long
#define real2 long2
#define real4 long4
#define real8 long8
#define real16 long16
#define REAL_BYTES 8
