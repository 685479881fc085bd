// Long chains of dependent integer rounds: loop limits, unstable clocks, a unit that computes wrong now and then.
#include "kernels/kernel.h"
#include "kernels/parallel.h"
#include "kernels/random.h"

namespace envdoctor::kernels {
namespace {

std::size_t items_of(const Problem& problem) {
  return round_up(static_cast<std::size_t>(problem.size.at("items")), 16);
}
std::uint32_t rounds_of(const Problem& problem) { return static_cast<std::uint32_t>(problem.size.at("rounds")); }

std::vector<Sizes> sizes(Precision /*precision*/, Effort effort) {
  if (effort == Effort::tiny) return {{{"items", 32}, {"rounds", 20}}};
  // Some drivers stop loops at 65535 rounds without a word.
  if (effort == Effort::quick) return {{{"items", 64}, {"rounds", 1000}}, {{"items", 64}, {"rounds", 100'000}}};
  return {
      {{"items", 64}, {"rounds", 1000}}, {{"items", 256}, {"rounds", 100'000}}, {{"items", 1 << 14}, {"rounds", 4096}}};
}

std::vector<Array> inputs(const Problem& problem) {
  return {position_coded(Precision::uint32, items_of(problem), problem.seed, 0)};
}

// xorshift steps (Marsaglia 2003) and a multiplication, as in hash_chain.cl.
std::uint32_t chained(std::uint32_t x, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    x ^= x << 13;
    x ^= x >> 17;
    x = x * 0x9e3779b1U + 1U;
  }
  return x;
}

void chain_all(std::span<const std::uint32_t> start, std::span<std::uint32_t> end, std::uint32_t rounds) {
  parallel_for(
      start.size(),
      [=](std::size_t begin, std::size_t stop) {
        for (std::size_t i = begin; i < stop; ++i) end[i] = chained(start[i], rounds);
      },
      16);
}

std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  Expected out{.precision = Precision::uint32, .exact = Array(Precision::uint32, in[0].count())};
  chain_all(in[0].as<std::uint32_t>(), out.exact->as<std::uint32_t>(), rounds_of(problem));
  return {out};
}

Plan plan(const Problem& problem, Variant variant, const Abilities& abilities) {
  const std::size_t items = items_of(problem);
  const std::size_t local = variant == Variant::cpu ? 1 : abilities.group(64);
  const std::size_t global = variant == Variant::cpu ? items / 16 : round_up(items, local);
  return {.buffers = {{.bytes = items * 4, .input = 0}, {.bytes = items * 4}},
          .steps = {{.function = function_name("hash-chain", problem.precision, variant),
                     .global = {global, 1, 1},
                     .local = {local, 1, 1},
                     .arguments = {BufferArgument{0}, BufferArgument{1}, static_cast<std::uint32_t>(items),
                                   rounds_of(problem)}}},
          .outputs = {1}};
}

Work work(const Problem& problem) {
  const auto items = static_cast<double>(items_of(problem));
  return {.flops = 6 * items * rounds_of(problem), .bytes = 8 * items};
}

Operation operation(const Problem& /*problem*/, const std::vector<Array>& /*in*/) { return {.name = "hash-chain"}; }

void on_host(const HostCall& call) {
  chain_all(call.buffer<const std::uint32_t>(0), call.buffer<std::uint32_t>(1), call.scalar<std::uint32_t>(3));
}

}  // namespace

extern const Kernel hash_chain;
const Kernel hash_chain = {
    .name = "hash-chain",
    .claim = "long chains of integer rounds end on the right bits in every work-item",
    .precisions = {Precision::uint32},
    .sizes = sizes,
    .inputs = inputs,
    .reference = reference,
    .plan = plan,
    .work = work,
    .operation = operation,
    .grows = "rounds",
    .host = {{"hash_chain_uint32_host", on_host}},
};

}  // namespace envdoctor::kernels
