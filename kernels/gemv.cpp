// Matrix times vector: tails, rows of one element, sizes where launching costs more than computing.
#include "kernels/kernel.h"
#include "kernels/product.h"
#include "kernels/random.h"
#include "kernels/rows.h"

namespace envdoctor::kernels {
namespace {

std::vector<Sizes> sizes(Precision /*precision*/, Effort effort) {
  if (effort == Effort::tiny) return {{{"k", 1}, {"m", 2}}, {{"k", 67}, {"m", 3}}};
  if (effort == Effort::quick) return {{{"k", 257}, {"m", 129}}};
  return {{{"k", 1}, {"m", 1000}}, {{"k", 1023}, {"m", 257}}, {{"k", 4096}, {"m", 1024}}};
}

std::vector<Array> inputs(const Problem& problem) {
  const auto m = static_cast<std::size_t>(problem.size.at("m")), k = static_cast<std::size_t>(problem.size.at("k"));
  return {normal_array(problem.precision, m * k, problem.seed, 0), normal_array(problem.precision, k, problem.seed, 1)};
}

std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  return {rows_reference(in[0], in[1], static_cast<std::size_t>(problem.size.at("k")), 0)};
}

Plan plan(const Problem& problem, Variant variant, const Abilities& abilities) {
  return rows_plan("gemv", problem.precision, static_cast<std::size_t>(problem.size.at("m")),
                   static_cast<std::size_t>(problem.size.at("k")), false, abilities.group(64), variant);
}

Work work(const Problem& problem) {
  const auto terms = static_cast<double>(problem.size.at("m") * problem.size.at("k"));
  return {.flops = 2 * terms, .bytes = terms * static_cast<double>(size_of(problem.precision))};
}

Operation operation(const Problem& problem, const std::vector<Array>& in) {
  const auto k = static_cast<std::size_t>(problem.size.at("k"));
  return {.name = "gemv",
          .depth = problem.size.at("k"),
          .chain = static_cast<std::int64_t>(rows_chain(k)),
          .terms = [a = in[0], b = in[1], k](std::size_t row) { return row_terms(a, b, k, row, 0); }};
}

}  // namespace

extern const Kernel gemv;
const Kernel gemv = {
    .name = "gemv",
    .claim = "every row of A x lies within its bound, tails and rows of one element included",
    .precisions = {Precision::fp32},
    .sizes = sizes,
    .inputs = inputs,
    .reference = reference,
    .plan = plan,
    .work = work,
    .operation = operation,
    .grows = "k",
    .host = {{"gemv_fp32_host", rows_on_host<float, false>}},
};

}  // namespace envdoctor::kernels
