// Many dot products of one length: how precisely products are summed.
#include "kernels/reference/reference.h"
#include "kernels/reference/row_products.h"

namespace envdoctor::kernels::dot {
namespace {

std::vector<Sizes> sizes(Precision precision, Effort effort) {
  if (effort == Effort::tiny) return {{{"k", 1}, {"rows", 1}}, {{"k", 70}, {"rows", 3}}};
  if (effort == Effort::quick) return {{{"k", 1024}, {"rows", 128}}};
  if (precision == Precision::fp16) return {{{"k", 1}, {"rows", 3}}, {{"k", 1023}, {"rows", 256}}};
  return {{{"k", 1}, {"rows", 3}}, {{"k", 1023}, {"rows", 512}}, {{"k", 65537}, {"rows", 16}}};
}

std::vector<Array> inputs(const Problem& problem) {
  const std::size_t count = problem.at("rows") * problem.at("k");
  return factors_of_sums(problem, count, count, static_cast<double>(problem.at("k")));
}

std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  return {exactly(problem, rows_reference(in[0], in[1], problem.at("k"), problem.at("k"), !problem.whole_numbers))};
}

Plan plan(const Problem& problem, Variant variant, const Capabilities& capabilities) {
  return rows_plan("dot", problem, problem.at("rows"), problem.at("k"), true, capabilities.group(256), variant);
}

Work work(const Problem& problem) { return work_of(problem, problem.at("rows") * problem.at("k"), 2, 2); }

Operation describe(const Problem& problem, const std::vector<Array>& in) {
  const auto k = problem.at("k");
  return {.depth = problem.size.at("k"),
          .terms = [a = in[0], b = in[1], k](std::size_t row) { return row_terms(a, b, k, row, k); }};
}

}  // namespace

const Kernel kernel = {
    .name = "dot",
    .claim = "products are added up in the precision they say, none lost",
    .precisions = {Precision::fp32, Precision::fp64, Precision::fp16},
    .sizes_for = sizes,
    .functions = {inputs, reference, plan, work},
    .describe = describe,
    .grows = "k",
    .terms = [](const Problem& problem) { return static_cast<double>(problem.at("k")); },
    .host = {{"dot_fp32_host", rows_on_host<float, true>}, {"dot_fp64_host", rows_on_host<double, true>}},
};

}  // namespace envdoctor::kernels::dot
