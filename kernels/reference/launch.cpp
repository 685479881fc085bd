// One item that does almost nothing: the cost of a launch.
#include "kernels/reference/reference.h"

namespace envdoctor::kernels::launch {
namespace {

constexpr std::uint32_t mask = 0x5a5a5a5aU;

std::vector<Array> inputs(const Problem& problem) { return {position_coded(Precision::uint32, 1, problem.seed, 0)}; }

std::vector<Expected> reference(const Problem& /*problem*/, const std::vector<Array>& in) {
  Expected out{.precision = Precision::uint32, .exact = Array(Precision::uint32, 1)};
  out.exact->set_bits(0, in[0].bits(0) ^ mask);
  return {out};
}

Plan plan(const Problem& /*problem*/, Variant variant, const Capabilities& /*capabilities*/) {
  return one_step_plan(function_name("launch", Precision::uint32, written_once(variant)), {{4, 0}, {4}}, {});
}

Work work(const Problem& /*problem*/) { return {}; }

void on_host(const HostCall& call) { call.buffer<std::uint32_t>(1)[0] = call.buffer<const std::uint32_t>(0)[0] ^ mask; }

}  // namespace

const Kernel kernel = {
    .name = "launch",
    .claim = "a kernel of one item has run",
    .precisions = {Precision::uint32},
    .tiny = {{{"items", 1}}},
    .quick = {{{"items", 1}}},
    .full = {{{"items", 1}}},
    .functions = {inputs, reference, plan, work},
    .host = {{"launch_uint32_host", on_host}},
};

}  // namespace envdoctor::kernels::launch
