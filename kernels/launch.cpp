// One item that does next to nothing: what a launch costs.
#include "kernels/kernel.h"
#include "kernels/random.h"

namespace envdoctor::kernels {
namespace {

constexpr std::uint32_t mask = 0x5a5a5a5aU;

std::vector<Sizes> sizes(Precision /*precision*/, Effort /*effort*/) { return {{{"items", 1}}}; }

std::vector<Array> inputs(const Problem& problem) { return {position_coded(Precision::uint32, 1, problem.seed, 0)}; }

std::vector<Expected> reference(const Problem& /*problem*/, const std::vector<Array>& in) {
  Expected out{.precision = Precision::uint32, .exact = Array(Precision::uint32, 1)};
  out.exact->set_bits(0, in[0].bits(0) ^ mask);
  return {out};
}

Plan plan(const Problem& /*problem*/, Variant variant, const Abilities& /*abilities*/) {
  return {.buffers = {{.bytes = 4, .input = 0}, {.bytes = 4}},
          .steps = {{.function = function_name("launch", Precision::uint32, variant),
                     .arguments = {BufferArgument{0}, BufferArgument{1}}}},
          .outputs = {1}};
}

Work work(const Problem& /*problem*/) { return {}; }

Operation operation(const Problem& /*problem*/, const std::vector<Array>& /*in*/) { return {.name = "launch"}; }

void on_host(const HostCall& call) { call.buffer<std::uint32_t>(1)[0] = call.buffer<const std::uint32_t>(0)[0] ^ mask; }

}  // namespace

extern const Kernel launch;
const Kernel launch = {
    .name = "launch",
    .claim = "a kernel of one item has run",
    .precisions = {Precision::uint32},
    .sizes = sizes,
    .inputs = inputs,
    .reference = reference,
    .plan = plan,
    .work = work,
    .operation = operation,
    .host = {{"launch_uint32_host", on_host}},
};

}  // namespace envdoctor::kernels
