// precisions: fp32
// One step of an LSTM cell from each of `steps` given states. Weights: 4 * hidden rows (gates i, f, g, o) of inputs + hidden
// columns; then a bias for each row.

real NAME(lstm, sigmoid)(real z) { return (real)1 / ((real)1 + exp(-z)); }

// From the sums of the four gates to the state after the step.
void NAME(lstm, cell)(const real zi, const real zf, const real zg, const real zo, const real c, __global real* restrict h_out,
                      __global real* restrict c_out) {
  const real cell = NAME(lstm, sigmoid)(zf) * c + NAME(lstm, sigmoid)(zi) * tanh(zg);
  *c_out = cell;
  *h_out = NAME(lstm, sigmoid)(zo) * tanh(cell);
}

#ifndef __NVPTX__
// An item a cell.
__kernel void NAME(lstm, cpu)(__global const real* restrict weights, __global const real* restrict bias,
                              __global const real* restrict x, __global const real* restrict h,
                              __global const real* restrict c, __global real* restrict h_out, __global real* restrict c_out,
                              const uint inputs, const uint hidden, const uint count) {
  const uint i = (uint)get_global_id(0);
  if (i >= count) return;
  const uint j = i % hidden, width = inputs + hidden;
  const size_t step = i / hidden;
  real z[4];
  for (uint gate = 0; gate < 4; ++gate) {
    const uint row = gate * hidden + j;
    __global const real* restrict w = weights + (size_t)row * width;
    z[gate] = bias[row] + NAME(dot, lanes)(w, x + step * inputs, inputs) +
              NAME(dot, lanes)(w + inputs, h + step * hidden, hidden);
  }
  NAME(lstm, cell)(z[0], z[1], z[2], z[3], c[i], h_out + i, c_out + i);
}
#endif

// A group of up to 64 items, a power of two, a cell.
__kernel void NAME(lstm, gpu)(__global const real* restrict weights, __global const real* restrict bias,
                              __global const real* restrict x, __global const real* restrict h,
                              __global const real* restrict c, __global real* restrict h_out, __global real* restrict c_out,
                              const uint inputs, const uint hidden, const uint count) {
  __local real sums[4][64];
  const uint i = (uint)get_group_id(0), item = (uint)get_local_id(0), items = (uint)get_local_size(0);
  const uint j = i % hidden, width = inputs + hidden;
  const size_t step = i / hidden;
  for (uint gate = 0; gate < 4; ++gate) {
    __global const real* restrict w = weights + (size_t)(gate * hidden + j) * width;
    real sum = 0;
    for (uint l = item; l < inputs; l += items) sum += w[l] * x[step * inputs + l];
    for (uint l = item; l < hidden; l += items) sum += w[inputs + l] * h[step * hidden + l];
    sums[gate][item] = sum;
  }
  for (uint half_ = items / 2; half_ > 0; half_ /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < half_) {
      for (uint gate = 0; gate < 4; ++gate) sums[gate][item] += sums[gate][item + half_];
    }
  }
  if (item == 0 && i < count)
    NAME(lstm, cell)(sums[0][0] + bias[j], sums[1][0] + bias[hidden + j], sums[2][0] + bias[2 * hidden + j],
                     sums[3][0] + bias[3 * hidden + j], c[i], h_out + i, c_out + i);
}
