// The header for other projects' tests has the same bounds as our own.
#include <gtest/gtest.h>

#include "cpp/include/envdoctor/agrees_with.h"
#include "kernels/core/bounds.h"

namespace envdoctor::published_bounds_test {
namespace {

template <class T>
void same_bounds(kernels::Precision precision) {
  for (const std::int64_t depth : {1, 2, 7, 512, 100'000, 1 << 20}) {
    for (const double size : {0.0, 1e-40, 1.0, 3e5}) {
      const auto k = static_cast<double>(depth);
      EXPECT_EQ(Bound::dot(depth).largest_error<T>(size), kernels::dot_bound(k, k, size, precision)) << depth;
      EXPECT_EQ(Bound::sum(depth).largest_error<T>(size), kernels::sum_bound(k - 1, size, precision)) << depth;
    }
  }
}

TEST(PublishedBounds, AreThoseOfTheKernels) {
  same_bounds<float>(kernels::Precision::fp32);
  same_bounds<double>(kernels::Precision::fp64);
}

}  // namespace
}  // namespace envdoctor::published_bounds_test
