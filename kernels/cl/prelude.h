// Stands before every kernel file. A file is compiled once for each precision that its first line names, with
// precision_<p>.h and sums.h before it: `real` is the element, NAME(triad, gpu) the function triad_fp32_gpu. For CUDA
// the functions for CPUs are left out (#ifndef __NVPTX__): libclc lacks what they need of half, and no CPU takes PTX.
// Where CPUs get no function of their own, they run that for GPUs.
// Pasted before anything is expanded, since drivers have macros of their own by the names of functions such as dot.
#define PASTE3_(a, b, c) a##b##c
#define PASTE3(a, b, c) PASTE3_(a, b, c)
#define NAME(kernel, variant) PASTE3(kernel##_, PRECISION, _##variant)
// On CPUs a vector register holds VECTOR_BYTES, 32 or 64, which are LANES of `real`.
#define PASTE2_(a, b) a##b
#define PASTE2(a, b) PASTE2_(a, b)
#define real_vector PASTE2(real, LANES)
#define vload_vector PASTE2(vload, LANES)
#define vstore_vector PASTE2(vstore, LANES)
// Other widths of it.
#define real2 PASTE2(real, 2)
#define real4 PASTE2(real, 4)
#define real8 PASTE2(real, 8)
#define real16 PASTE2(real, 16)
