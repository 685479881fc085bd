// Memory and its addresses: every word holds a hash of its own index, so a word from another place is detected.
#include "kernels/reference/reference.h"

namespace envdoctor::kernels::pattern {
namespace {

std::uint32_t seed_of(const Problem& problem) { return u32(problem.seed ^ (problem.seed >> 32)); }

// Same as NAME(pattern, hash) in pattern.cl: the finalizer of MurmurHash3 (A. Appleby).
std::uint32_t hash(std::uint64_t index, std::uint32_t seed) {
  std::uint32_t x = u32(index) ^ (u32(index >> 32) * 0x9e3779b9U) ^ seed;
  x = (x ^ (x >> 16)) * 0x85ebca6bU;
  x = (x ^ (x >> 13)) * 0xc2b2ae35U;
  return x ^ (x >> 16);
}

std::uint32_t turned(std::uint64_t index, std::size_t count, std::uint32_t seed) {
  return hash(count - 1 - index, seed) ^ (1U << (index & 31));
}

std::vector<Array> inputs(const Problem& /*problem*/) { return {}; }

std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& /*in*/) {
  const std::size_t count = problem.at("n");
  const std::uint32_t seed = seed_of(problem);
  std::vector<Expected> out(2, {.precision = Precision::uint32, .exact = Array(Precision::uint32, count)});
  const auto words = out[0].exact->as<std::uint32_t>(), back = out[1].exact->as<std::uint32_t>();
  parallel_for_each(count, 4096, [&](std::size_t i) {
    words[i] = hash(i, seed);
    back[i] = turned(i, count, seed);
  });
  return out;
}

Plan plan(const Problem& problem, Variant variant, const Capabilities& capabilities) {
  const std::size_t count = problem.at("n");
  const std::size_t items = variant == Variant::cpu ? divide_up(count, 16) : count;
  const std::size_t local = capabilities.group(variant == Variant::cpu ? 64 : 256);
  const auto step = [&](const char* name, std::vector<Argument> arguments) {
    return line_of_items(function_name(name, problem.precision, variant), items, local, std::move(arguments));
  };
  return {.buffers = {{.bytes = count * 4}, {.bytes = count * 4}},
          .steps = {step("pattern-write", {BufferArgument{0}, std::uint64_t{count}, seed_of(problem)}),
                    step("pattern-read", {BufferArgument{0}, BufferArgument{1}, std::uint64_t{count}})},
          .outputs = {0, 1}};
}

Work work(const Problem& problem) { return work_of(problem, problem.at("n"), 0, 3); }

void write_on_host(const HostCall& call) {
  const auto words = call.buffer<std::uint32_t>(0);
  const auto seed = call.scalar<std::uint32_t>(2);
  parallel_for_each(words.size(), 4096, [=](std::size_t i) { words[i] = hash(i, seed); });
}

void read_on_host(const HostCall& call) {
  const auto words = call.buffer<const std::uint32_t>(0);
  const auto back = call.buffer<std::uint32_t>(1);
  parallel_for_each(words.size(), 4096,
                    [=](std::size_t i) { back[i] = words[words.size() - 1 - i] ^ (1U << (i & 31)); });
}

}  // namespace

const Kernel kernel = {
    .name = "pattern",
    .claim = "every word of memory keeps what is written to its own address",
    .precisions = {Precision::uint32},
    .tiny = {{{"n", 130}}},
    .quick = {{{"n", (1 << 20) + 4097}}},  // beyond 4 MiB, where transfers have been truncated
    .full = {{{"n", 1}}, {{"n", 65535}}, {{"n", 65537}}, {{"n", (1 << 20) - 1}}, {{"n", (1 << 24) + 3}}},
    .functions = {inputs, reference, plan, work},
    .grows = "n",
    .host = {{"pattern_write_uint32_host", write_on_host}, {"pattern_read_uint32_host", read_on_host}},
};

}  // namespace envdoctor::kernels::pattern
