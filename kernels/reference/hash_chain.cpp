// Long chains of dependent integer rounds: loop limits, unstable clocks, a unit that is sometimes wrong.
#include "kernels/reference/reference.h"

namespace envdoctor::kernels::hash_chain {
namespace {

std::size_t items_of(const Problem& problem) { return round_up(problem.at("items"), 16); }
std::uint32_t rounds_of(const Problem& problem) { return u32(problem.size.at("rounds")); }

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
  parallel_for_each(start.size(), 16, [=](std::size_t i) { end[i] = chained(start[i], rounds); });
}

std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  Expected out{.precision = Precision::uint32, .exact = Array(Precision::uint32, in[0].count())};
  chain_all(in[0].as<std::uint32_t>(), out.exact->as<std::uint32_t>(), rounds_of(problem));
  return {out};
}

Plan plan(const Problem& problem, Variant variant, const Capabilities& capabilities) {
  const std::size_t items = items_of(problem);
  const std::size_t local = variant == Variant::cpu ? 1 : capabilities.group(64);
  return one_step_plan(function_name("hash-chain", problem.precision, variant), {{items * 4, 0}, {items * 4}},
                       {u32(items), rounds_of(problem)}, variant == Variant::cpu ? items / 16 : items, local);
}

Work work(const Problem& problem) { return work_of(problem, items_of(problem), 6.0 * rounds_of(problem), 2); }

void on_host(const HostCall& call) {
  chain_all(call.buffer<const std::uint32_t>(0), call.buffer<std::uint32_t>(1), call.scalar<std::uint32_t>(3));
}

}  // namespace

const Kernel kernel = {
    .name = "hash-chain",
    .claim = "long chains of integer rounds end on the right bits in every work-item",
    .precisions = {Precision::uint32},
    .tiny = {{{"items", 32}, {"rounds", 20}}},
    // Some drivers silently stop loops at 65535 rounds.
    .quick = {{{"items", 64}, {"rounds", 1000}}, {{"items", 64}, {"rounds", 100'000}}},
    .full = {{{"items", 64}, {"rounds", 1000}},
             {{"items", 256}, {"rounds", 100'000}},
             {{"items", 1 << 14}, {"rounds", 4096}}},
    .functions = {inputs, reference, plan, work},
    .grows = "rounds",
    .host = {{"hash_chain_uint32_host", on_host}},
};

}  // namespace envdoctor::kernels::hash_chain
