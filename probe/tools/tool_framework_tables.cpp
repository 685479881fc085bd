// Tables that frameworks print of themselves: xformers.info, the summary of TensorFlow's profiler, the placements of
// ONNX Runtime's nodes, and what Keras' recurrent layers say of cuDNN.
#include <re2/re2.h>

#include <algorithm>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

using enum SymptomClass;

constexpr std::size_t longest_table_row = 300;

// "pytorch.version: 2.1.0+cu121" and "build.torch_version: 2.0.1+cu118", with operators that are unavailable for it.
void xformers_build(const std::vector<std::string_view>& lines, Snapshot& snapshot) {
  std::string_view runs, built;
  std::size_t built_row = 0, available = 0, unavailable = 0;
  for (std::size_t row = 0; row < lines.size(); ++row) {
    const std::size_t colon = lines[row].find(':');
    if (colon == std::string_view::npos || lines[row].size() > longest_table_row) continue;
    const std::string_view name = trimmed(lines[row].substr(0, colon)), value = trimmed(lines[row].substr(colon + 1));
    if (name == "pytorch.version") runs = value;
    if (name == "build.torch_version") built = value, built_row = row;
    // These two are compiled; the operators of Triton and of flash-attn come from elsewhere.
    if (lines[row].starts_with("memory_efficient_attention.cutlass"))
      ++(value == "available" ? available : unavailable);
  }
  if (runs.empty() || built.empty() || runs == built || available > 0 || unavailable == 0) return;
  add_symptom(snapshot, {mismatch, "torch-extension-version"}, built_row, lines[built_row]).details = {
      {"needs", std::string(built)}, {"found", std::string(runs)}};
}

// "  Average Step Time   412.6 ms", then "    Input   339.4 ms"; copied from a browser, each value stands on a line of
// its own, below the deviation in brackets.
void profiler_summary(const std::vector<std::string_view>& lines, Snapshot& snapshot) {
  static const LazyRegex names(R"(\W*(Average Step Time|Input)(?: Time)?\b(.*))", RE2::Latin1);
  static const LazyRegex milliseconds(R"(\W*(?:\([^)]*\)\W*)*([0-9]+(?:\.[0-9]+)?) ?ms\b.*)", RE2::Latin1);
  constexpr std::size_t most_rows_of_value = 4, most_rows_between = 30;
  std::string name, step;
  std::size_t name_row = 0, step_row = 0;
  for (std::size_t row = 0; row < lines.size(); ++row) {
    std::string_view line = lines[row];
    if (line.size() > longest_table_row) continue;
    std::string found, rest, value;
    if (RE2::FullMatch(piece_of(line), names, &found, &rest)) {
      name = found, name_row = row, line = rest;
    } else if (name.empty() || row - name_row > most_rows_of_value) {
      continue;
    }
    if (!RE2::FullMatch(piece_of(line), milliseconds, &value)) continue;
    if (name != "Input") {
      step = value, step_row = row;
    } else if (!step.empty() && row - step_row < most_rows_between) {
      add_symptom(snapshot, {noted, "step-times"}, row, lines[row]).details = {{"step", step}, {"data", value}};
      return;
    }
    name.clear();
  }
}

// ONNX Runtime keeps on the CPU on purpose what computes shapes, and what is too small to be worth a copy.
bool computes_shapes(std::string_view operation) {
  static constexpr std::string_view small[] = {"Shape",
                                               "Gather",
                                               "Concat",
                                               "Unsqueeze",
                                               "Squeeze",
                                               "Slice",
                                               "Cast",
                                               "Constant",
                                               "Range",
                                               "Reshape",
                                               "Identity",
                                               "Add",
                                               "Sub",
                                               "Mul",
                                               "Div",
                                               "Equal",
                                               "Where",
                                               "Expand",
                                               "If",
                                               "Loop",
                                               "Not",
                                               "And",
                                               "Or",
                                               "Greater",
                                               "Less",
                                               "ReduceProd",
                                               "Min",
                                               "Max",
                                               "Floor",
                                               "Ceil",
                                               "Mod",
                                               "Size",
                                               "Neg",
                                               "Split",
                                               "Transpose",
                                               "GatherND",
                                               "ScatterND",
                                               "ScatterElements",
                                               "GatherElements",
                                               "ReduceMax",
                                               "Sqrt",
                                               "Pow",
                                               "Tile",
                                               "NonZero",
                                               "CumSum",
                                               "Clip",
                                               "Round",
                                               "Abs",
                                               "TopK",
                                               "OneHot",
                                               "ReduceMin",
                                               "ReduceSum",
                                               "LessOrEqual",
                                               "GreaterOrEqual",
                                               "Flatten",
                                               "Trilu",
                                               "ArgMax",
                                               "Compress",
                                               "Sum",
                                               "Sign",
                                               "Xor",
                                               "Scan",
                                               "Pad",
                                               "Dropout",
                                               "LayoutShape",
                                               "ConstantOfShape",
                                               "QuantizeLinear",
                                               "Max",
                                               "Exp",
                                               "Log"};
  return operation.starts_with("Memcpy") || operation.starts_with("Sequence") ||
         std::ranges::find(small, operation) != std::end(small);
}

// "Node(s) placed on [CPUExecutionProvider]. Number of nodes: 3" and one line per node, "  Det (/head/Det)"; formerly
// "Provider: [CPUExecutionProvider]: [Det (Det_10), …]".
void node_placements(const std::vector<std::string_view>& lines, Snapshot& snapshot) {
  static const LazyRegex heading(R"(placed on \[(\w+)ExecutionProvider\]\. Number of nodes: \d+)", RE2::Latin1);
  static const LazyRegex provider_row(R"(Provider: \[(\w+)ExecutionProvider\]: \[)", RE2::Latin1);
  static const LazyRegex node(R"((?:^|\] )\s{2,}(\w+) \([^()]*\)\s*$)", RE2::Latin1);
  static const LazyRegex node_in_row(R"((\w+) \([^()]*\),?)", RE2::Latin1);
  std::string provider, operation;
  bool gpu = false;
  std::size_t row_of_cpu = 0;
  for (std::size_t row = 0; row < lines.size(); ++row) {
    std::string name;
    re2::StringPiece rest = piece_of(lines[row]);
    if (contains(lines[row], "ExecutionProvider]") && RE2::FindAndConsume(&rest, provider_row, &provider)) {
      gpu = gpu || provider != "CPU";
      while (provider == "CPU" && operation.empty() && RE2::FindAndConsume(&rest, node_in_row, &name)) {
        if (!computes_shapes(name)) operation = name, row_of_cpu = row;
      }
    } else if (contains(lines[row], "placed on [") && RE2::PartialMatch(rest, heading, &provider)) {
      gpu = gpu || provider != "CPU";
    } else if (provider == "CPU" && operation.empty() && lines[row].size() < longest_table_row &&
               RE2::PartialMatch(rest, node, &name) && !computes_shapes(name)) {
      operation = name, row_of_cpu = row;
    }
  }
  if (!gpu || operation.empty()) return;
  add_symptom(snapshot, {noted, "operation-left-on-cpu"}, row_of_cpu, lines[row_of_cpu]).details["op"] = operation;
}

// "lstm False 0.2" where a person prints the layers' _could_use_gpu_kernel.
void layers_without_cudnn(const std::vector<std::string_view>& lines, Snapshot& snapshot) {
  static const LazyRegex form(R"((?i)(?:.*\b)?((?:lstm|gru)\w*) .*\bFalse\b.*)", RE2::Latin1);
  bool asked = false;
  for (std::size_t row = 0; row < lines.size(); ++row) {
    std::string layer;
    const bool is_question = contains(lines[row], "_could_use_gpu_kernel");
    asked = asked || is_question;
    if (is_question || !asked || lines[row].size() > longest_table_row ||
        !RE2::FullMatch(piece_of(lines[row]), form, &layer))
      continue;
    add_symptom(snapshot, {slow, "rnn-kernel"}, row, lines[row]).details["layer"] = layer;
    return;
  }
}

}  // namespace

bool starts_framework_tables(std::string_view line) {
  return contains(line, "_could_use_gpu_kernel") || contains(line, "memory_efficient_attention.") || contains(line, "Average Step Time") ||
         contains(line, "ExecutionProvider]");
}

Snapshot parse_framework_tables(const std::string& text) {
  const auto all = lines_of(text);
  const std::vector<std::string_view> lines(all.begin(), all.end());
  Snapshot snapshot;
  xformers_build(lines, snapshot);
  profiler_summary(lines, snapshot);
  node_placements(lines, snapshot);
  layers_without_cudnn(lines, snapshot);
  return snapshot;
}

}  // namespace envdoctor
