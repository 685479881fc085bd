// Many dot products of one length: how precisely products are added up.
#include <cmath>

#include "kernels/kernel.h"
#include "kernels/parallel.h"
#include "kernels/product.h"
#include "kernels/random.h"
#include "kernels/rows.h"

namespace envdoctor::kernels {
namespace {

std::vector<Sizes> sizes(Precision precision, Effort effort) {
  if (effort == Effort::tiny) return {{{"k", 1}, {"rows", 1}}, {{"k", 70}, {"rows", 3}}};
  if (effort == Effort::quick) return {{{"k", 1024}, {"rows", 128}}};
  if (precision == Precision::fp16) return {{{"k", 1}, {"rows", 3}}, {{"k", 1023}, {"rows", 256}}};
  return {{{"k", 1}, {"rows", 3}}, {{"k", 1023}, {"rows", 512}}, {{"k", 65537}, {"rows", 16}}};
}

std::vector<Array> inputs(const Problem& problem) {
  const auto count = static_cast<std::size_t>(problem.size.at("rows") * problem.size.at("k"));
  return {normal_array(problem.precision, count, problem.seed, 0),
          normal_array(problem.precision, count, problem.seed, 1)};
}

std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  const auto k = static_cast<std::size_t>(problem.size.at("k"));
  return {rows_reference(in[0], in[1], k, k)};
}

Plan plan(const Problem& problem, Variant variant, const Abilities& abilities) {
  return rows_plan("dot", problem.precision, static_cast<std::size_t>(problem.size.at("rows")),
                   static_cast<std::size_t>(problem.size.at("k")), true, abilities.group(256), variant);
}

Work work(const Problem& problem) {
  const auto terms = static_cast<double>(problem.size.at("rows") * problem.size.at("k"));
  return {.flops = 2 * terms, .bytes = 2 * terms * static_cast<double>(size_of(problem.precision))};
}

Operation operation(const Problem& problem, const std::vector<Array>& in) {
  const auto k = static_cast<std::size_t>(problem.size.at("k"));
  return {.name = "dot",
          .depth = problem.size.at("k"),
          .chain = static_cast<std::int64_t>(rows_chain(k)),
          .terms = [a = in[0], b = in[1], k](std::size_t row) { return row_terms(a, b, k, row, k); }};
}

}  // namespace

extern const Kernel dot;
const Kernel dot = {
    .name = "dot",
    .claim = "products are added up in the precision they say, none lost",
    .precisions = {Precision::fp32, Precision::fp64, Precision::fp16},
    .sizes = sizes,
    .inputs = inputs,
    .reference = reference,
    .plan = plan,
    .work = work,
    .operation = operation,
    .grows = "k",
    .host = {{"dot_fp32_host", rows_on_host<float, true>}, {"dot_fp64_host", rows_on_host<double, true>}},
};

}  // namespace envdoctor::kernels
