#undef PRECISION
#undef real
#define PRECISION uint32
#define real uint
