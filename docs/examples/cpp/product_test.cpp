#include <envdoctor/agrees_with.h>
#include <gmock/gmock.h>

#include <random>

namespace {

using envdoctor::AgreesWith;
using envdoctor::Bound;
using testing::Not;

constexpr int rows = 64, columns = 32, depth = 512;

struct Product {
  std::vector<float> a, b, there;        // `there`: as the code under test would calculate it
  std::vector<double> reference, sizes;  // the exact product, and of each element sum |a_i b_i|

  Product() : a(rows * depth), b(depth * columns), there(rows * columns), reference(there.size()), sizes(there.size()) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    for (float& x : a) x = normal(random);
    for (float& x : b) x = normal(random);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        float sum = 0;
        const int at = i * columns + j;
        for (int k = 0; k < depth; ++k) {
          const float x = a[i * depth + k], y = b[k * columns + j];
          sum += x * y;
          reference[at] += double(x) * y;
          sizes[at] += std::fabs(double(x) * y);
        }
        there[at] = sum;
      }
    }
  }
};

TEST(Product, AgreesWithItsReference) {
  const Product product;
  EXPECT_THAT(product.there, AgreesWith(product.reference, Bound::dot(depth).of_sizes(product.sizes)));
  const std::vector<float> rounded(product.reference.begin(), product.reference.end());
  EXPECT_THAT(product.there, AgreesWith(rounded, Bound::dot(depth).shaped({rows, columns})));
}

TEST(Product, OneWrongElementIsSeenAndNamed) {
  Product product;
  product.there[17 * columns + 5] += 1;
  const Bound bound = Bound::dot(depth).shaped({rows, columns});
  const std::vector<float> rounded(product.reference.begin(), product.reference.end());
  for (const auto& [matcher, name] :
       {std::pair{testing::Matcher<const std::vector<float>&>(AgreesWith(rounded, bound)), "judged"},
        std::pair{
            testing::Matcher<const std::vector<float>&>(AgreesWith(product.reference, bound.of_sizes(product.sizes))),
            "bound"}}) {
    testing::StringMatchResultListener told;
    EXPECT_FALSE(matcher.MatchAndExplain(product.there, &told)) << name;
    EXPECT_THAT(told.str(), testing::HasSubstr("[17, 5]")) << name;
  }
}

TEST(Product, OfHalfInputsDoesNotAgree) {
  Product product;
  for (float& x : product.there) x *= 1 + 1.0F / 512;
  EXPECT_THAT(
      product.there,
      Not(AgreesWith(product.reference, Bound::dot(depth).of_sizes(std::vector<double>(product.there.size(), 1e-3)))));
  const std::vector<float> rounded(product.reference.begin(), product.reference.end());
  EXPECT_THAT(product.there, Not(AgreesWith(rounded, Bound::dot(depth).shaped({rows, columns}))));
}

TEST(Array, ThatIsExactOrToleratedAgrees) {
  const int counts[] = {1, 2, 3}, others[] = {1, 2, 4};
  EXPECT_THAT((std::vector<int>{1, 2, 3}), AgreesWith(counts, Bound::sum(8)));
  EXPECT_THAT(counts, Not(AgreesWith(others, Bound::sum(8))));
  EXPECT_THAT(counts, AgreesWith(std::vector<int>{1, 2, 3}, Bound::sum(8)));
  EXPECT_THAT(counts, Not(AgreesWith(std::vector<int>{1, 2, 4}, Bound::sum(8))));
  EXPECT_THAT((std::vector<float>{1.0F, 2.001F}), AgreesWith(std::vector<float>{1, 2}, Bound::tolerance(1e-2, 0)));
  EXPECT_THAT((std::vector<float>{1.0F, 2.1F}), Not(AgreesWith(std::vector<float>{1, 2}, Bound::tolerance(1e-2, 0))));
  EXPECT_THAT((std::vector<float>{1, 2}), Not(AgreesWith(std::vector<float>{1, 2, 3}, Bound::sum(8))));
}

}  // namespace
