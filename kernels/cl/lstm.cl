// precisions: fp32
// One step of an LSTM cell from each of `steps` given states. Weights: 4 * hidden rows (gates i, f, g, o) of inputs + hidden
// columns; then a bias for each row.

real NAME(lstm, row)(__global const real* restrict weights, __global const real* restrict x,
                     __global const real* restrict h, const real bias, const uint inputs, const uint hidden) {
  real sum = bias;
  for (uint i = 0; i < inputs; ++i) sum += weights[i] * x[i];
  for (uint i = 0; i < hidden; ++i) sum += weights[inputs + i] * h[i];
  return sum;
}

real NAME(lstm, sigmoid)(real z) { return (real)1 / ((real)1 + exp(-z)); }

void NAME(lstm, one)(__global const real* restrict weights, __global const real* restrict bias,
                     __global const real* restrict x, __global const real* restrict h, __global const real* restrict c,
                     __global real* restrict h_out, __global real* restrict c_out, const uint step, const uint j,
                     const uint inputs, const uint hidden) {
  const uint width = inputs + hidden;
  real z[4];
  for (uint gate = 0; gate < 4; ++gate) {
    const uint row = gate * hidden + j;
    z[gate] = NAME(lstm, row)(weights + (size_t)row * width, x + (size_t)step * inputs, h + (size_t)step * hidden, bias[row],
                              inputs, hidden);
  }
  const size_t at = (size_t)step * hidden + j;
  const real cell = NAME(lstm, sigmoid)(z[1]) * c[at] + NAME(lstm, sigmoid)(z[0]) * tanh(z[2]);
  c_out[at] = cell;
  h_out[at] = NAME(lstm, sigmoid)(z[3]) * tanh(cell);
}

#ifndef __NVPTX__
__kernel void NAME(lstm, cpu)(__global const real* restrict weights, __global const real* restrict bias,
                              __global const real* restrict x, __global const real* restrict h,
                              __global const real* restrict c, __global real* restrict h_out, __global real* restrict c_out,
                              const uint inputs, const uint hidden, const uint count) {
  const uint i = (uint)get_global_id(0);
  if (i < count) NAME(lstm, one)(weights, bias, x, h, c, h_out, c_out, i / hidden, i % hidden, inputs, hidden);
}
#endif

__kernel void NAME(lstm, gpu)(__global const real* restrict weights, __global const real* restrict bias,
                              __global const real* restrict x, __global const real* restrict h,
                              __global const real* restrict c, __global real* restrict h_out, __global real* restrict c_out,
                              const uint inputs, const uint hidden, const uint count) {
  const uint i = (uint)get_global_id(0);
  if (i < count) NAME(lstm, one)(weights, bias, x, h, c, h_out, c_out, i / hidden, i % hidden, inputs, hidden);
}
