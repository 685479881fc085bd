// How many kinds of faults the verifier detects, and how it names them: a working driver behind a layer that
// injects one kind of fault at a time (layer.c), each on a kernel, a size and a place that a seed selects.
//   fault_table [--seed N] [--kind NAME]                       the table, and what was missed
//     --platform NAME, --layer PATH, --seconds N               for another driver than PoCL; as many kinds as fit the
//     time
//   fault_table --write PAGE                                   the same into the page, below its line "<!-- table -->"
//   fault_table --sample COUNT --draw SEED PAGE                so many kinds, drawn: they must be as the page has them
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "checks/engine/report.h"
#include "kernels/core/random.h"
#include "kernels/core/verify.h"
#include "tests/support/devices.h"
#include "tests/support/sanitized.h"

namespace {

using namespace envdoctor;           // NOLINT
using namespace envdoctor::kernels;  // NOLINT

struct Kind {
  const char* name;                  // the layer's word for it
  std::vector<const char*> kernels;  // one of these is drawn
  const char* causes;  // the right names, joined by "or"; of a row that did not run: how its reason begins
  std::optional<Variant> variant = Variant::cpu;
  Precision precision = Precision::fp32;  // the layer spoils words of four bytes
  bool sized = true;                      // else at the kernel's own quick sizes alone
};

const std::vector<const char*> any_matrix = {"gemm", "softmax", "layernorm", "stencil"};
const std::vector<const char*> floats = {"triad", "gemm", "gemv", "softmax", "layernorm", "scan"};
const std::vector<const char*> words = {"pattern", "hash-chain", "sort", "stencil"};
constexpr auto of_cpu = Variant::cpu, of_gpu = Variant::gpu;
constexpr auto single = Precision::fp32, twice = Precision::fp64;

// clang-format off
const std::vector<Kind> kinds = {
    // Memory and its bus.
    {"bit-flip", {"pattern", "triad", "gemm", "scan", "softmax"}, "bit-flip"},
    {"bit-flip-sometimes", {"pattern", "triad", "gemm", "hash-chain"}, "bit-flip"},
    {"flips-that-move", {"pattern", "gemm", "triad", "hash-chain"}, "bit-flip or nondeterministic"},
    {"sign-flip", {"triad", "gemm", "gemv", "softmax", "layernorm"}, "bit-flip"},
    {"stuck-bit", {"pattern", "hash-chain", "sort", "triad"}, "bit-flip"},
    {"stuck-bit-low", {"pattern", "hash-chain", "sort"}, "bit-flip"},
    {"address-line", {"pattern", "triad", "gemm"}, "other-index"},
    {"address-lines-crossed", {"pattern", "triad", "gemm", "scan"}, "other-index"},
    {"byte-swapped", {"pattern", "hash-chain", "triad", "gemm"}, "other-index"},
    {"guard-bit", {"gemm", "triad", "scan", "pattern"}, "bit-flip"},
    {"underrun", {"reduce", "triad", "gemm", "sort"}, "out-of-bounds"},
    {"overrun", {"reduce", "scan", "softmax", "histogram"}, "out-of-bounds"},
    {"overrun-far", {"conv2d", "triad", "gemv", "sort"}, "out-of-bounds"},
    // Units of the chip.
    {"tile", {"gemm", "stencil", "softmax", "layernorm"}, "tile"},
    {"lane", {"triad", "gemv", "scan"}, "tile"},
    {"nan-lane", {"triad", "gemm", "scan", "conv2d"}, "tile or not-a-number"},
    {"one-row-zero", any_matrix, "tile or zeros"},
    {"row-off", any_matrix, "tile"},
    {"one-element", floats, "tile or bit-flip"},
    {"one-word", words, "bit-flip or tile"},
    {"one-double", {"gemm", "triad", "dot"}, "tile or bit-flip", of_cpu, twice},
    {"element-that-moves", floats, "nondeterministic"},
    {"one-of-many-launches", {"triad", "gemv", "softmax"}, "nondeterministic"},
    {"second-launch", {"triad", "gemm", "softmax", "scan"}, "bit-flip or nondeterministic"},
    {"fourth-launch", {"triad", "gemm"}, "bit-flip or nondeterministic or tile", {}},
    {"race", {"gemm", "triad", "softmax", "stencil"}, "nondeterministic"},
    // Results.
    {"nan", {"gemm", "triad", "softmax", "conv2d"}, "not-a-number"},
    {"zeros", {"gemm", "triad", "scan", "conv2d", "sort"}, "zeros"},
    {"scaled", {"gemm", "triad", "conv2d", "gemv", "scan"}, "scaled"},
    {"signs-flipped", {"gemm", "triad", "conv2d"}, "scaled"},
    {"signs-lost", {"gemm", "triad", "conv2d"}, "scaled"},
    {"plus-one", {"hash-chain", "sort", "histogram", "pattern"}, "scaled or other-calculation"},
    {"stale-half", {"triad", "gemm", "pattern", "sort"}, "not-written"},
    {"row-not-written", any_matrix, "not-written"},
    {"tail", {"triad", "gemm", "scan", "gemv"}, "tail"},
    {"last-column", {"gemm", "softmax", "layernorm"}, "columns"},
    {"last-element", {"triad", "gemv", "softmax", "scan"}, "last-element"},
    {"last-count", {"histogram"}, "last-element"},
    {"count-moved", {"histogram"}, "moved-count"},
    {"shifted", {"triad", "gemv", "pattern", "hash-chain"}, "other-index"},
    {"swapped-halves", {"triad", "gemm", "pattern"}, "other-index"},
    {"reversed", {"triad", "gemm", "hash-chain"}, "other-index"},
    {"pairs-swapped", {"triad", "gemm", "pattern", "hash-chain"}, "other-index"},
    {"row-repeated", any_matrix, "other-index"},
    {"zero-sign", {"triad"}, "zero-sign", of_cpu, single, false},
    {"inf-to-largest", {"map"}, "not-a-number", of_cpu, single, false},
    {"inf-to-nan", {"map"}, "not-a-number", of_cpu, single, false},
    {"results-of-11-bits", {"gemm", "gemv", "conv2d"}, "fp16-accumulator"},
    {"results-of-8-bits", {"gemm", "gemv"}, "fp16-accumulator or narrow-accumulator"},
    {"doubles-as-floats", {"gemm", "dot"}, "narrow-accumulator", of_cpu, twice},
    // Results that are kept, and transfers.
    {"cached", {"gemm", "map", "triad", "softmax"}, "stale"},
    {"half-stale", {"gemm", "triad", "conv2d"}, "stale"},
    {"read-cut", {"pattern"}, "transfer", of_cpu, single, false},
    {"read-dropped", {"gemm", "triad", "scan"}, "transfer"},
    {"read-early", {"triad", "pattern"}, "transfer", of_cpu, single, false},
    {"read-offset", {"triad", "pattern", "gemm"}, "other-index or transfer"},
    {"read-page-repeated", {"triad", "pattern", "scan"}, "other-index or transfer or size-limit", of_cpu, single, false},
    {"read-start-lost", {"triad", "pattern", "scan"}, "tile or zeros or transfer", of_cpu, single, false},
    {"write-cut", {"reduce"}, "transfer", of_cpu, Precision::int32, false},
    {"write-dropped", {"gemm", "triad", "softmax"}, "transfer"},
    {"write-bit", {"gemm", "triad", "softmax", "sort"}, "transfer"},
    {"write-offset", {"gemm", "triad", "softmax", "sort"}, "transfer"},
    {"write-pages-swapped", {"gemm", "triad", "sort"}, "transfer"},
    {"inputs-overwritten", {"gemm", "softmax", "triad", "gemv"}, "inputs-overwritten"},
    {"input-decays", {"gemm", "softmax", "triad", "gemv"}, "inputs-overwritten"},
    // Inputs that lose bits.
    {"tf32-inputs", {"gemm", "gemv", "dot"}, "tf32-inputs"},
    {"tf32-truncated", {"gemm", "gemv", "dot"}, "tf32-inputs"},
    {"bf16-inputs", {"gemm", "gemv", "dot"}, "bf16-inputs"},
    {"bf16-truncated", {"gemm", "gemv", "dot"}, "bf16-inputs"},
    {"fp16-inputs", {"gemm", "dot"}, "fp16-inputs"},
    {"fp16-inputs-of-doubles", {"gemm", "dot"}, "fp16-inputs or tf32-inputs", of_cpu, twice},
    {"fp32-inputs", {"gemm", "dot"}, "fp32-inputs", of_cpu, twice},
    // Launches.
    {"launch-skipped", {"triad", "gemm", "softmax", "pattern"}, "not-written"},
    {"launch-skipped-sometimes", {"triad", "pattern", "layernorm"}, "not-written"},
    {"last-group-lost", {"triad", "pattern", "map"}, "not-written", of_gpu, single, false},
    {"first-step-skipped", {"gemm", "reduce"}, "not-written or not-a-number", of_cpu, single, false},
    {"launched-twice", {"histogram"}, "scaled or other-calculation", of_gpu},
    {"few-items", {"triad"}, "size-limit", of_cpu, single, false},
    {"launch-error", {"triad", "gemm", "sort"}, "error: "},
    {"abort", {"triad", "gemm", "scan"}, "crash: "},
    {"segfault", {"triad", "gemm", "scan"}, "crash: "},
    {"exit", {"triad", "gemm", "scan"}, "exit: "},
    {"hang", {"triad", "gemm", "scan"}, "timeout: ", of_cpu, single, false},
    {"slow", {"sort"}, "timeout: ", of_gpu, single, false},
    {"leak", {"sort"}, "memory: ", of_gpu, single, false},
    // The compiler, and the kernels as it understands them.
    {"miscompiled", {"hash-chain", "pattern", "sort"}, "miscompiled"},
    {"off-by-one", {"pattern", "triad"}, "not-written", of_gpu},
    {"short-loop", {"gemm"}, "lost-terms"},
    {"lost-first-term", {"gemv", "dot"}, "lost-terms"},
    {"fp16-sums", {"dot", "gemv"}, "fp16-accumulator"},
    {"wrong-constant", {"hash-chain"}, "other-calculation"},
    {"swapped", {"stencil"}, "other-calculation"},
    {"bins-halved", {"histogram"}, "moved-count or other-calculation", of_cpu},
    {"padding-wrong", {"conv2d"}, "other-calculation or lost-terms or tile or miscompiled", of_gpu, single, false},
    {"gates-swapped", {"lstm"}, "other-calculation"},
    {"compare-wrong", {"sort"}, "other-calculation or other-index", of_gpu, single, false},
    {"plain-atomics", {"histogram"}, "nondeterministic or other-calculation"},
    {"additions-lost", {"float-atomics"}, "lost-additions", of_gpu, single, false},
    {"counts-lost", {"histogram"}, "lost-additions", of_gpu},
    {"layernorm-formula", {"layernorm"}, "other-calculation", of_cpu, single, false},
    {"layernorm-epsilon", {"layernorm"}, "other-calculation or not-a-number", of_cpu, single, false},
    {"one-pass-variance", {"layernorm"}, "other-calculation", of_cpu, single, false},
    {"no-barrier", {"scan", "reduce"}, "barrier", of_gpu, single, false},
    {"no-barrier-in-scan", {"scan"}, "barrier", of_gpu, single, false},
    {"build-failure", {"triad", "gemm"}, "build: "},
    {"build-crash", {"triad", "gemm"}, "crash: "},
    // Functions.
    {"exp-off", {"map"}, "function", of_cpu, single, false},
    {"exp-wrong", {"softmax", "lstm", "map"}, "function", of_cpu, single, false},
    {"exp2-off", {"map"}, "function", of_cpu, single, false},
    {"tanh-off", {"lstm", "map"}, "function", of_cpu, single, false},
    {"rsqrt-off", {"map", "layernorm"}, "function", of_cpu, single, false},
    {"log-off", {"map", "softmax"}, "function", of_cpu, single, false},
    {"log2-for-log", {"softmax"}, "other-calculation or scaled", of_cpu, single, false},
    {"sin-off", {"map"}, "function", of_cpu, single, false},
    {"pow-off", {"map"}, "function", of_cpu, single, false},
    {"sqrt-off", {"map"}, "function", of_cpu, single, false},
    {"erf-off", {"map"}, "function", of_cpu, single, false},
    {"atan-off", {"map"}, "function", of_cpu, single, false},
    {"reciprocal-off", {"map"}, "function", of_cpu, single, false},
    // Arithmetic as options make it, and as something left it.
    {"fast-math", {"fp-probe"}, "fast-math", of_cpu, single, false},
    {"finite-math", {"fp-probe"}, "fast-math", of_cpu, single, false},
    {"unsafe-math", {"fp-probe"}, "fast-math", of_cpu, single, false},
    {"zero-sign-lost", {"fp-probe"}, "fast-math or zero-sign", of_cpu, single, false},
    {"denorms-are-zero", {"fp-probe", "map"}, "flush-to-zero", of_cpu, twice, false},
    {"rounding-to-zero", {"fp-probe", "triad"}, "rounding-mode", of_gpu, single, false},
    {"rounding-up", {"fp-probe", "triad"}, "rounding-mode", of_gpu, single, false},
    {"rounding-down", {"fp-probe", "triad"}, "rounding-mode", of_gpu, single, false},
};
// clang-format on

struct Row {
  const Kind* kind = nullptr;
  std::string kernel{}, size{}, named{}, title{};
  bool detected = false, right = false, blamed = false;  // blamed: the card, without proof
  std::string seen{};
};

bool is_one_of(std::string_view name, std::string_view names) {
  return !name.empty() &&
         (" or " + std::string(names) + " or ").find(fmt::format(" or {} or ", name)) != std::string::npos;
}

// What begins a row of the page.
std::string begin_of_row(const Row& row) {
  return fmt::format("| {} | {} | {} |", row.kind->name, row.kernel, row.size);
}
std::string page_row(const Row& row) {
  return fmt::format("{} {} | {} | {} |", begin_of_row(row), row.detected ? "yes" : "no",
                     row.named.empty() ? "-" : row.named, row.right ? "yes" : "no");
}

// A size for matrices, or for vectors, where the kind leaves it open.
std::optional<std::int64_t> drawn_size(const Kind& kind, const Kernel& kernel, Precision precision,
                                       std::uint64_t draw) {
  if (!kind.sized || draw % 2 == 0) return {};
  const Sizes quick = kernel.sizes(precision, Effort::quick).front();
  const auto free = std::ranges::count_if(quick, [](const auto& size) { return !is_fixed_size(size.first); });
  if (std::string_view(kernel.name) == "conv2d" || std::string_view(kernel.name) == "hash-chain") return {};
  return static_cast<std::int64_t>(free > 1 || quick.contains("rows") ? 129 + draw / 2 % 130 : 4097 + draw / 2 % 60000);
}

Row run(const Kind& kind, std::uint64_t seed, const Target& target, const std::string& layer) {
  const auto index = static_cast<std::uint64_t>(&kind - kinds.data());
  const Kernel& kernel = kernel_named(kind.kernels[random_bits(seed, 1, index) % kind.kernels.size()]);
  const bool has = std::ranges::find(kernel.precisions, kind.precision) != kernel.precisions.end();
  Problem problem{.precision = has ? kind.precision : kernel.precisions.front(), .seed = 11};
  problem.size = kernel.sizes(problem.precision, Effort::quick).front();
  const auto size = drawn_size(kind, kernel, problem.precision, random_bits(seed, 2, index));
  for (auto& [name, value] : problem.size) {
    if (size && !is_fixed_size(name)) value = *size;
  }
  const std::int64_t columns = kernel.operation(problem, kernel.inputs(problem)).columns;
  const Variable layers("OPENCL_LAYERS", layer);
  const Variable chosen("ENVDOCTOR_FAULT", kind.name);
  const Variable places("ENVDOCTOR_FAULT_SEED", std::to_string(seed));
  const Variable width("ENVDOCTOR_FAULT_COLUMNS", std::to_string(std::max<std::int64_t>(1, columns)));
  const std::string_view name = kind.name;
  constexpr std::uint64_t most_mib = sanitized ? 2400 : 600;  // sanitizers keep what is freed
  VerifyOptions options{.effort = Effort::quick,
                        .kernels = {kernel.name},
                        .precisions = {problem.precision, Precision::int32, Precision::uint32},
                        .size = size,
                        .variant = kind.variant,
                        .seed = 11,
                        .limits = {.time = Milliseconds(60'000), .memory_mib = most_mib}};
  if (kind.precision != single || is_floating(problem.precision)) options.precisions = {problem.precision};
  if (name == "hang" || name == "slow") options.limits.time = Milliseconds(3000);
  const Snapshot snapshot = verify({target}, options);

  Row row{
      .kind = &kind, .kernel = fmt::format("{} {}", kernel.name, text(problem.precision)), .seen = describe(snapshot)};
  row.size = size ? std::to_string(*size) : "quick";
  std::set<std::string> names;
  const bool by_run = std::string_view(kind.causes).ends_with(": ");
  row.right = true;
  for (const ComputeNotRun& not_run : *snapshot.compute_not_run.get()) {
    if (not_run.why.get()->starts_with("missing: ")) continue;
    names.insert(not_run.why.get()->substr(0, not_run.why.get()->find(':')));
    row.right = row.right && by_run && not_run.why.get()->starts_with(kind.causes);
  }
  for (const ComputeResult& result : *snapshot.compute.get()) {
    const Agreement& agreement = *result.agreement.get();
    if (!agreement.outcome.is("outside")) continue;
    names.insert(agreement.cause.get() ? *agreement.cause.get() : "unnamed");
    row.right = row.right && is_one_of(agreement.cause.or_empty(), kind.causes);
    // Proof that it is the card: repeats that differ, or a place that stays on other inputs.
    const std::string sure = agreement.confirmed_by.or_empty();
    const bool proved = sure.find("repeat") != sure.npos || sure.find("other inputs") != sure.npos ||
                        sure.find("moved rows") != sure.npos || sure.find("guard") != sure.npos;
    for (const Finding& finding : judge(snapshot, {}).findings) {
      row.title = finding.title;
      for (const Fix& fix : finding.fix)
        row.blamed = row.blamed || (!proved && fix.text.find("replace the card") != fix.text.npos);
    }
  }
  row.detected = !names.empty();
  row.right = row.right && row.detected;
  for (const std::string& one : names) row.named += (row.named.empty() ? "" : ", ") + one;
  return row;
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

constexpr const char* table_mark = "<!-- table -->";

int main_of(const std::vector<std::string>& arguments) {
  std::map<std::string, std::string> given;
  std::string page;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].starts_with("--") && i + 1 < arguments.size()) {
      given[arguments[i]] = arguments[i + 1];
      ++i;
    } else {
      page = arguments[i];
    }
  }
  Target target = pocl_target();
  if (const std::string& platform = given["--platform"]; !platform.empty()) {
    target.subject = "opencl:" + platform;
    target.platform = platform;
    target.is_cpu = platform == pocl_target().platform;
  } else if (target.library.empty()) {
    fmt::print("PoCL is not installed\n");
    return 77;
  }
  target.library = "libOpenCL.so.1";
  target.through_loader = true;
  // As it is built, and as it is packed.
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::string layer =
      given.contains("--layer") ? given["--layer"] : (folder / "tests/fakes/fault_layer.so").string();
  const double most_seconds = given.contains("--seconds") ? std::strtod(given["--seconds"].c_str(), nullptr) : 1e9;
  const std::uint64_t seed = given.contains("--seed") ? std::strtoull(given["--seed"].c_str(), nullptr, 10) : 1;
  const std::size_t sample = std::strtoull(given["--sample"].c_str(), nullptr, 10);
  const std::uint64_t draw = std::strtoull(given["--draw"].c_str(), nullptr, 16);
  std::vector<const Kind*> chosen;
  for (const Kind& kind : kinds) {
    if (!given.contains("--kind") || given["--kind"] == kind.name) chosen.push_back(&kind);
  }
  if (sample > 0) {
    std::ranges::sort(chosen, {}, [&](const Kind* kind) {
      return random_bits(draw, 3, static_cast<std::uint64_t>(kind - kinds.data()));
    });
    chosen.resize(std::min(sample, chosen.size()));
  }
  const std::vector<std::string> known = page.empty() ? std::vector<std::string>{} : lines_of(page);
  std::size_t detected = 0, right = 0, blamed = 0, other = 0;
  std::string table;
  std::size_t tried = 0;
  const auto start = std::chrono::steady_clock::now();
  if (given.contains("--seconds")) {  // any of them may be the last
    std::ranges::sort(chosen, {}, [&](const Kind* kind) {
      return random_bits(seed, 4, static_cast<std::uint64_t>(kind - kinds.data()));
    });
  }
  for (const Kind* kind : chosen) {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > most_seconds) break;
    ++tried;
    const Row row = run(*kind, seed, target, layer);
    detected += row.detected ? 1 : 0;
    right += row.right ? 1 : 0;
    blamed += row.blamed ? 1 : 0;
    table += page_row(row) + "\n";
    fmt::print("{}{}\n", page_row(row), row.blamed ? " the card is blamed without proof" : "");
    // What the page calls wrong may become right, and of several right names each may come.
    const bool as_noted = known.empty() || std::ranges::any_of(known, [&](const std::string& line) {
                            return line == page_row(row) || (row.right && line.starts_with(begin_of_row(row)));
                          });
    other += as_noted ? 0 : 1;
    if (!row.right || row.blamed || !as_noted)
      fmt::print("  the right name is {}; to see it again: fault_table --kind {} --seed {}\n{}  {}\n", kind->causes,
                 kind->name, seed, row.seen, row.title);
    std::fflush(stdout);
  }
  const std::string sum = fmt::format(
      "{} kinds: {} detected, {} rightly named ({:.1f} %), {} blamed on the card without proof", tried, detected, right,
      100.0 * static_cast<double>(right) / static_cast<double>(std::max<std::size_t>(1, tried)), blamed);
  fmt::print("{}\n", sum);
  if (other > 0) fmt::print("{} are not as {} has them: './dev faults' writes it anew\n", other, page);
  if (given.contains("--write")) {
    std::string text;
    for (const std::string& line : lines_of(given["--write"])) {
      text += line + "\n";
      if (line == table_mark) break;
    }
    std::ofstream(given["--write"]) << text << "\n"
                                    << sum << ".\n\n| kind | kernel | size | detected | named | rightly |\n"
                                    << "| --- | --- | --- | --- | --- | --- |\n"
                                    << table;
  }
  if (sample > 0) return other == 0 && blamed == 0 ? 0 : 1;
  return detected == tried && blamed == 0 && 100 * right >= 95 * tried ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return main_of({argv + 1, argv + argc}); }
