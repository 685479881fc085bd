#undef PRECISION
#undef real
#define PRECISION int32
#define real int
