// Matrix times vector: tails, rows of one element, sizes where launching costs more than computing.
#include "kernels/reference/reference.h"
#include "kernels/reference/row_products.h"

namespace envdoctor::kernels::gemv {
namespace {

std::vector<Array> inputs(const Problem& problem) {
  const auto m = problem.at("m"), k = problem.at("k");
  return factors_of_sums(problem, m * k, k, static_cast<double>(k));
}

std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  return {exactly(problem, rows_reference(in[0], in[1], problem.at("k"), 0, !problem.whole_numbers))};
}

Plan plan(const Problem& problem, Variant variant, const Capabilities& capabilities) {
  return rows_plan("gemv", problem, problem.at("m"), problem.at("k"), false, capabilities.group(64), variant);
}

Work work(const Problem& problem) { return work_of(problem, problem.at("m") * problem.at("k"), 2, 1); }

Operation describe(const Problem& problem, const std::vector<Array>& in) {
  const auto k = problem.at("k");
  return {.depth = problem.size.at("k"),
          .terms = [a = in[0], b = in[1], k](std::size_t row) { return row_terms(a, b, k, row, 0); }};
}

}  // namespace

const Kernel kernel = {
    .name = "gemv",
    .claim = "every row of A x lies within its bound, tails and rows of one element included",
    .precisions = {Precision::fp32},
    .tiny = {{{"k", 1}, {"m", 2}}, {{"k", 67}, {"m", 3}}},
    .quick = {{{"k", 257}, {"m", 129}}},
    .full = {{{"k", 1}, {"m", 1000}}, {{"k", 1023}, {"m", 257}}, {{"k", 4096}, {"m", 1024}}},
    .functions = {inputs, reference, plan, work},
    .describe = describe,
    .grows = "k",
    .terms = [](const Problem& problem) { return static_cast<double>(problem.at("k")); },
    .host = {{"gemv_fp32_host", rows_on_host<float, false>}},
};

}  // namespace envdoctor::kernels::gemv
