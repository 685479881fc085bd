// precisions: fp16 fp32
// 3 x 3 convolution, NCHW: y[b][f][i][j] = Sum over c, u, v of x[b][c][i * stride + u - pad][j * stride + v - pad] *
// w[f][c][u][v], c over the channels of f's group, zeros outside.

real NAME(conv2d, at)(__global const real* restrict x, __global const real* restrict w, const int channels,
                      const int height, const int width, const int i, const int j) {
  real sum = 0;
  for (int c = 0; c < channels; ++c) {
    for (int u = 0; u < 3; ++u) {
      for (int v = 0; v < 3; ++v) {
        const int row = i + u, column = j + v;
        if (row >= 0 && row < height && column >= 0 && column < width)
          sum += x[((size_t)c * height + row) * width + column] * w[(c * 3 + u) * 3 + v];
      }
    }
  }
  return sum;
}

// An item an output: (column, row, image and filter).
__kernel void NAME(conv2d, gpu)(__global const real* restrict x, __global const real* restrict w,
                                __global real* restrict y, const int channels, const int groups, const int filters,
                                const int height, const int width, const int out_height, const int out_width,
                                const int stride, const int pad) {
  const int j = (int)get_global_id(0), i = (int)get_global_id(1), bf = (int)get_global_id(2);
  if (j >= out_width || i >= out_height) return;
  const int b = bf / filters, f = bf % filters, in_group = channels / groups, group = f / (filters / groups);
  x += ((size_t)b * channels + (size_t)group * in_group) * height * width;
  w += (size_t)f * in_group * 9;
  y[((size_t)bf * out_height + i) * out_width + j] =
      NAME(conv2d, at)(x, w, in_group, height, width, i * stride - pad, j * stride - pad);
}

#ifndef __NVPTX__
// An item a row of outputs; 16 at a time where the stride is 1 and no column lies outside.
__kernel void NAME(conv2d, cpu)(__global const real* restrict x, __global const real* restrict w,
                                __global real* restrict y, const int channels, const int groups, const int filters,
                                const int height, const int width, const int out_height, const int out_width,
                                const int stride, const int pad) {
  const int i = (int)get_global_id(0), bf = (int)get_global_id(1);
  const int b = bf / filters, f = bf % filters, in_group = channels / groups, group = f / (filters / groups);
  x += ((size_t)b * channels + (size_t)group * in_group) * height * width;
  w += (size_t)f * in_group * 9;
  y += ((size_t)bf * out_height + i) * out_width;
  int j = 0;
  while (j < out_width) {
    if (stride != 1 || j < pad || j + 16 > out_width || j - pad + 18 > width) {
      y[j] = NAME(conv2d, at)(x, w, in_group, height, width, i * stride - pad, j * stride - pad);
      ++j;
      continue;
    }
    real16 sum = (real16)((real)0);
    for (int c = 0; c < in_group; ++c) {
      for (int u = 0; u < 3; ++u) {
        const int row = i + u - pad;
        if (row < 0 || row >= height) continue;
        __global const real* from = x + ((size_t)c * height + row) * width + j - pad;
        __global const real* weight = w + (c * 3 + u) * 3;
        sum += vload16(0, from) * (real16)(weight[0]);
        sum += vload16(0, from + 1) * (real16)(weight[1]);
        sum += vload16(0, from + 2) * (real16)(weight[2]);
      }
    }
    vstore16(sum, 0, y + j);
    j += 16;
  }
}
#endif
