// Commands of one session that differ in one thing: an option of the compiler that changes what the program prints, the
// device whose times are compared, or the library that timeit times.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "knowledge/gpus/gpu_models.h"
#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "probe/compared/compared_values.h"
#include "probe/paste/number_arrays.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/shell_session.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

using enum SymptomClass;

constexpr std::size_t longest_output = 300, most_output = 200, most_pairs = 64;

bool is_measured(std::string_view line) {
  static const LazyRegex form(
      R"((?i)\b(?:time|elapsed|took|latency|speed\w*|bandwidth|throughput|[gmt]?flops?|cycles|seconds?|secs?|[mnuµ]s|real|user|sys|epoch|iter\w*|step|seed|rand\w*|faster|slower)\b|/s\b|per second|[0-9](?:[mnuµ]?s|x)\b)");
  return RE2::PartialMatch(piece_of(line), form);
}

// A line without its numbers, and these.
struct PrintedLine {
  std::string words{};
  std::vector<double> numbers{};
};

PrintedLine line_parts(std::string_view line) {
  static const LazyRegex number(R"(^[-+]?(?:[0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?|(?:nan|inf|NaN|Inf)\b))", RE2::Latin1);
  PrintedLine output;
  re2::StringPiece rest = piece_of(line);
  bool in_word = false;
  while (!rest.empty()) {
    const std::size_t length = in_word ? 0 : match_length(number, {rest.data(), rest.size()});
    if (length > 0) {
      output.numbers.push_back(std::atof(std::string(rest.data(), length).c_str()));
      output.words += '#';
      rest.remove_prefix(length);
      continue;
    }
    in_word = std::isalnum(static_cast<unsigned char>(rest[0])) != 0 || rest[0] == '_';
    output.words += rest[0];
    rest.remove_prefix(1);
  }
  return output;
}

// Whether the same line of two runs says something else: another word, or a number that rounding does not explain.
bool says_otherwise(std::string_view one, std::string_view other) {
  constexpr double of_rounding = 1e-2;
  if (one.size() > longest_output || other.size() > longest_output || is_measured(one) || is_measured(other))
    return false;
  const PrintedLine a = line_parts(trimmed(one)), b = line_parts(trimmed(other));
  if (a.numbers.size() != b.numbers.size()) return false;
  if (a.words != b.words) {
    static const LazyRegex answer(R"((?i)\b(?:true|false|yes|no|pass(?:ed)?|fail(?:ed)?|ok|wrong|correct)\b)",
                                  RE2::Latin1);
    const re2::StringPiece x = piece_of(one), y = piece_of(other);
    return RE2::PartialMatch(x, answer) && RE2::PartialMatch(y, answer);
  }
  for (std::size_t i = 0; i < a.numbers.size(); ++i) {
    const double x = a.numbers[i], y = b.numbers[i];
    if (std::isfinite(x) != std::isfinite(y)) return true;
    if (std::isfinite(x) && std::fabs(x - y) > of_rounding * std::fmax(std::fabs(x), std::fabs(y))) return true;
  }
  return false;
}

// A run of a program, with whether it was compiled for inexact arithmetic.
struct CompiledRun {
  std::string key{};  // the command without that option
  bool fast = false;
  const ShellCommand* command = nullptr;
};

std::vector<CompiledRun> compiled_runs(const std::vector<ShellCommand>& session) {
  static const LazyRegex option(
      R"(\s(?:-ffast-math|-Ofast|-ffinite-math-only|-funsafe-math-optimizations|-fassociative-math|--?use_fast_math|-cl-fast-relaxed-math|-cl-unsafe-math-optimizations|-cl-finite-math-only|-fp-model[= ]fast(?:=\d)?|--fast-?math)\b)",
      RE2::Latin1);
  static const LazyRegex optimized(R"(\s-O[0-3]\b)", RE2::Latin1);
  static const LazyRegex compiler(
      R"((?:^|[\s/])(?:gcc|g\+\+|clang|clang\+\+|nvcc|hipcc|icpx|icpc|dpcpp|gfortran|nvfortran|nvc\+\+)(?:-[0-9.]+)?\s)",
      RE2::Latin1);
  static const LazyRegex builder(R"((?:^|[\s;&])(?:make|ninja|cmake --build)\b)", RE2::Latin1),
      wrapped(R"(^(?:time |sudo )+|\s*\|.*$)", RE2::Latin1);
  std::vector<CompiledRun> runs;
  bool fast = false;
  for (const ShellCommand& command : session) {
    std::string typed(command.typed.text);
    bool named = RE2::GlobalReplace(&typed, option, "") > 0;
    bool compiles = RE2::PartialMatch(command.typed.text.size() < longest_output ? typed : "", compiler);
    // What make runs stands in its output.
    if (!compiles && RE2::PartialMatch(command.typed.text.size() < longest_output ? typed : "", builder)) {
      for (const ShellLine& line : command.output) {
        if (line.text.size() > 1000 || !RE2::PartialMatch(piece_of(line.text), compiler)) continue;
        named = named || RE2::PartialMatch(piece_of(line.text), option);
        compiles = true;
      }
      if (!compiles) continue;
      fast = named;
      continue;
    }
    if (compiles) fast = named;
    const std::size_t chained = typed.find("&& ");
    if (compiles && chained == std::string::npos) continue;
    if (compiles) typed = typed.substr(chained + 3);
    RE2::GlobalReplace(&typed, optimized, "");
    RE2::GlobalReplace(&typed, wrapped, "");
    if (!command.output.empty() && command.output.size() <= most_output && runs.size() < most_pairs)
      runs.push_back({std::string(trimmed(typed)), fast || named, &command});
  }
  return runs;
}

// The line of a filtered output that has the words of this one; null: none, or several.
const ShellLine* line_with_words(const std::vector<ShellLine>& lines, std::string_view line) {
  const ShellLine* found = nullptr;
  if (line.size() > longest_output) return nullptr;
  const std::string words = line_parts(trimmed(line)).words;
  for (const ShellLine& one : lines) {
    if (one.text.size() > longest_output || line_parts(trimmed(one.text)).words != words) continue;
    if (found) return nullptr;
    found = &one;
  }
  return found;
}

void by_fast_math(const std::vector<ShellCommand>& session, Snapshot& snapshot) {
  const std::vector<CompiledRun> runs = compiled_runs(session);
  for (const CompiledRun& fast : runs) {
    for (const CompiledRun& exact : runs) {
      if (!fast.fast || exact.fast || fast.key != exact.key) continue;
      const auto &one = exact.command->output, &other = fast.command->output;
      const bool filtered = contains(exact.command->typed.text, "|") || contains(fast.command->typed.text, "|");
      for (std::size_t i = 0; i < other.size(); ++i) {
        const ShellLine* same = line_with_words(one, other[i].text);
        if (!same && i < one.size() && !filtered) same = &one[i];
        if (!same || !says_otherwise(same->text, other[i].text)) continue;
        add_symptom(snapshot, {noted, "switch-changes-results"}, other[i].row, trimmed(other[i].text))
            .details["switch"] = "fast-math";
        return;
      }
    }
  }
}

// "isnan(qnan) = FALSE", "isfinite(inf): true", and "False nan" of a script that prints isnan(x) and x: the compiler
// was told that there are none.
void by_denied_nan(const std::vector<std::string_view>& lines, const std::string& text, Snapshot& snapshot) {
  const std::string low = lower_case(text);
  if (!contains(low, "nan(") && !contains(low, "inf(") && !contains(low, "finite(")) return;
  static const LazyRegex option(
      R"((?i)fast[-_]?math(?:\W|$)[^\n]*|-Ofast|finite-math-only|unsafe-math|fp-model[= ]fast|fast-relaxed-math)",
      RE2::Latin1);
  static const LazyRegex off(R"((?i)fast_?math ?= ?false)", RE2::Latin1);
  static const LazyRegex denied(
      R"((?i)\bis_?nan\(\s*\w*nan\w*\s*\)["']?\s*(?:[=:]|->|is)?\s*(?:false|0)\b|\bis_?finite\(\s*\w*(?:nan|inf)\w*\s*\)["']?\s*(?:[=:]|->|is)?\s*(?:true|1)\b|\bis_?inf\(\s*[-+]?\w*inf\w*\s*\)["']?\s*(?:[=:]|->|is)?\s*(?:false|0)\b)",
      RE2::Latin1);
  static const LazyRegex beside(R"(\(?False,?\s+nan\)?|\(?nan,?\s+False\)?)", RE2::Latin1);
  bool fast = false, asked = false;
  std::optional<std::size_t> row;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].size() > longest_output) continue;
    const re2::StringPiece line = piece_of(lines[i]);
    fast = fast || (RE2::PartialMatch(line, option) && !RE2::PartialMatch(line, off));
    asked = asked || contains(lines[i], "isnan(");
    const bool found =
        RE2::PartialMatch(line, denied) || (asked && RE2::FullMatch(piece_of(trimmed(lines[i])), beside));
    if (found && !row) row = i;
  }
  if (fast && row)
    add_symptom(snapshot, {noted, "switch-changes-results"}, *row, trimmed(lines[*row])).details["switch"] =
        "fast-math";
}

enum class On { unknown, cpu, gpu };

// The device that a command chooses, which is cut out of it.
On cut_device(std::string& typed) {
  static const LazyRegex chosen(
      R"((?i)\s?((?:--?|\b)\w*(?:device|accelerator|platform|backend|provider|ep)(?:[-_]?(?:id|type|name))?[= ]["']?|\b(?:CUDA|HIP|ROCR)_VISIBLE_DEVICES=|\bJAX_PLATFORM(?:S|_NAME)=)(-?\w*(?:[:]\d+)?)["']?(?:\s|$))",
      RE2::Latin1);
  static const LazyRegex without(R"(\s(?:--no[-_](?:cuda|gpu)|--cpu|--use[-_]cpu)\b)", RE2::Latin1);
  static const LazyRegex with(R"(\s(?:--cuda|--gpu|--use[-_](?:gpu|cuda))\b)", RE2::Latin1);
  std::string name, value;
  if (has_any(typed, {"device", "accelerator", "platform", "backend", "provider", "ep"}) &&
      RE2::PartialMatch(typed, chosen, &name, &value)) {
    const bool ordinal = value.empty() || std::isdigit(static_cast<unsigned char>(value.back())) != 0;
    value = lower_case(value);
    RE2::Replace(&typed, chosen, " ");
    if (value == "-1" || value.starts_with("cpu") || (value.empty() && contains(name, "VISIBLE"))) return On::cpu;
    for (const char* gpu : {"cuda", "gpu", "mps", "xpu", "hip", "rocm", "opencl", "metal", "tensorrt"}) {
      if (value.starts_with(gpu)) return On::gpu;
    }
    return ordinal && !value.empty() ? On::gpu : On::unknown;
  }
  if (!contains(typed, "--")) return On::unknown;
  if (RE2::Replace(&typed, without, "")) return On::cpu;
  if (RE2::Replace(&typed, with, "")) return On::gpu;
  return On::unknown;
}

// "epochTime=0.2441s", "elapsed: 12.3 s", "real 0m3.2s": the seconds by their words.
std::map<std::string, std::vector<double>> times_in(const std::vector<ShellLine>& output) {
  static const LazyRegex named(
      R"((?i)\b((?:\w+[ _]){0,2}\w*(?:time|elapsed|took|duration|latency))(?:\s?\((?:s|ms)\))?\s?[=:]?\s?([0-9]+\.?[0-9]*)\s?(s|ms|secs?|seconds?|us)\b)",
      RE2::Latin1);
  static const LazyRegex of_shell(R"(^real\s+(\d+)m([0-9.]+)s)", RE2::Latin1);
  static const LazyRegex behind(R"((?i)\b([0-9]+\.[0-9]+) (s|ms|secs?|seconds?) elapsed\b(.*)$)", RE2::Latin1);
  static const LazyRegex per_step(R"(\b([0-9.]+)(s|ms)/(step|epoch|it|iter)\b)", RE2::Latin1);
  std::map<std::string, std::vector<double>> times;
  for (const ShellLine& line : output) {
    if (line.text.size() > longest_output) continue;
    re2::StringPiece rest = piece_of(line.text);
    std::string name, unit;
    double value = 0, minutes = 0;
    const auto seconds = [&] { return unit[0] == 'm' ? value / 1e3 : unit[0] == 'u' ? value / 1e6 : value; };
    if (RE2::PartialMatch(rest, of_shell, &minutes, &value)) times["real"].push_back(60 * minutes + value);
    if (RE2::PartialMatch(rest, per_step, &value, &unit, &name)) times["/" + name].push_back(seconds());
    // "6.61 seconds elapsed, finished iteration 100": the work that was done by then is its name.
    if (RE2::PartialMatch(rest, behind, &value, &unit, &name)) times["elapsed," + name].push_back(seconds());
    while (RE2::FindAndConsume(&rest, named, &name, &value, &unit)) times[lower_case(name)].push_back(seconds());
  }
  return times;
}

// "fps 5210", "1730 steps/s": the largest of the rates by their units.
std::map<std::string, double> rates_in(const std::vector<ShellLine>& output) {
  static const LazyRegex behind(
      R"((?i)\b([0-9]+\.?[0-9]*) ?((?:it|iter|iterations|steps|samples|images|img|imgs|tokens|tok|frames|examples|sequences|batches)/s(?:ec)?|fps)\b)",
      RE2::Latin1);
  static const LazyRegex before(
      R"((?i)\b(fps|(?:it|steps|samples|images|tokens|frames)(?:/s|_per_sec(?:ond)?))\b[ :=|]{1,4}([0-9]+\.?[0-9]*))",
      RE2::Latin1);
  std::map<std::string, double> rates;
  for (const ShellLine& line : output) {
    if (line.text.size() > longest_output) continue;
    std::string unit;
    double value = 0;
    const re2::StringPiece text = piece_of(line.text);
    if (!RE2::PartialMatch(text, before, &unit, &value) && !RE2::PartialMatch(text, behind, &value, &unit)) continue;
    double& most = rates[lower_case(unit)];
    most = std::fmax(most, value);
  }
  return rates;
}

// The times of both by one name, the shortest of each; the first one may hold the start.
struct Times {
  double cpu = 0, gpu = 0;
};

std::optional<Times> times_of_both(const std::vector<ShellLine>& on_cpu, const std::vector<ShellLine>& on_gpu) {
  const auto of_cpu = times_in(on_cpu), of_gpu = times_in(on_gpu);
  // Of the times that count on, the last one that both told has the least of the start in it.
  std::optional<Times> counted;
  for (const auto& [name, values] : of_gpu) {
    const auto same = of_cpu.find(name);
    if (same == of_cpu.end() || same->second.size() != values.size() || name.starts_with("load")) continue;
    if (name.starts_with("elapsed,")) {
      if (!counted || values[0] > counted->gpu) counted = Times{same->second[0], values[0]};
      continue;
    }
    return Times{*std::ranges::min_element(same->second), *std::ranges::min_element(values)};
  }
  if (counted) return counted;
  const auto rates_of_cpu = rates_in(on_cpu), rates_of_gpu = rates_in(on_gpu);
  for (const auto& [unit, rate] : rates_of_gpu) {
    const auto same = rates_of_cpu.find(unit);
    if (same != rates_of_cpu.end() && same->second > 0 && rate > 0) return Times{1 / same->second, 1 / rate};
  }
  return std::nullopt;
}

void state_times(const ShellLine& cpu, const ShellLine& gpu, const Times& times, Snapshot& snapshot) {
  const auto state = [&](const ShellLine& line, const char* on, double value) {
    Symptom& symptom = add_symptom(snapshot, {noted, "stated-time"}, line.row, line.text);
    symptom.details = {{"on", on}, {"value", fmt::format("{:.4g}", value)}};
  };
  state(cpu, "CPU", times.cpu);
  state(gpu, "GPU", times.gpu);
}

// Times below ">>> with tf.device('/CPU:0'):", and those before it of a TensorFlow that had made its GPU device.
void by_cpu_block(const std::vector<std::string_view>& lines, Snapshot& snapshot) {
  constexpr std::size_t most_lines = 40;
  constexpr double clearly = 1.3;
  static const LazyRegex heading(R"((?i)^>>> with (?:tf|tensorflow)\.device\(['"]/?(?:device:)?cpu:0['"]\):\s*$)",
                                 RE2::Latin1);
  std::optional<std::size_t> created;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!created && contains(lines[i], "Created ") && contains(lines[i], "GPU:0 with ")) created = i;
    if (!created || lines[i].size() > longest_output || !RE2::FullMatch(piece_of(lines[i]), heading)) continue;
    std::vector<ShellLine> on_gpu, on_cpu;
    for (std::size_t at = std::max(*created, i - std::min(i, most_lines)); at < i; ++at)
      on_gpu.push_back({at, lines[at]});
    for (std::size_t at = i + 1; at < lines.size() && on_cpu.size() < most_lines && !lines[at].starts_with(">>> ");
         ++at)
      on_cpu.push_back({at, lines[at]});
    const auto times = times_of_both(on_cpu, on_gpu);
    if (times && times->gpu > clearly * times->cpu)
      state_times({i, lines[i]}, {*created, lines[*created]}, *times, snapshot);
    return;
  }
}

// "cpu", "gpu" or "cuda" of a line that names nothing else; empty: it is no heading.
std::string device_of_heading(std::string_view line) {
  constexpr std::size_t longest_heading = 60;
  if (line.size() >= longest_heading) return {};
  if (!last_letter_ends(line, {"cpu", "gpu", "cuda"})) return {};
  static const LazyRegex device(
      R"((?i)^\W*(?:with|using|running on|run(?:ning)?|on|testing|device)?\W*(?:\w+\.){0,2}(?:device)?[\W_]{0,4}(?:the )?(cpu|gpu|cuda)(?::0)?\W*$)",
      RE2::Latin1);
  std::string name;
  return RE2::FullMatch(piece_of(line), device, &name) ? lower_case(name) : "";
}

// Times below "with tf.device('/CPU:0'):" and "--- GPU ---".
void by_headings(const std::vector<std::string_view>& lines, Snapshot& snapshot) {
  constexpr std::size_t most_lines = 40;
  struct Section {
    ShellLine heading{};
    std::vector<ShellLine> output{};
  };
  std::optional<Section> cpu, gpu;
  Section* into = nullptr;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const std::string name = device_of_heading(lines[i]); !name.empty()) {
      std::optional<Section>& section = name == "cpu" ? cpu : gpu;
      if (section) return;
      section = Section{.heading = {i, lines[i]}};
      into = &*section;
    } else if (into && into->output.size() < most_lines) {
      into->output.push_back({i, lines[i]});
    }
  }
  if (!cpu || !gpu) return;
  constexpr double clearly = 1.3;
  const auto times = times_of_both(cpu->output, gpu->output);
  if (times && times->gpu > clearly * times->cpu) state_times(cpu->heading, gpu->heading, *times, snapshot);
}

// A table with a column of times for each: the GPU is slower in every row. Where it wins for larger work, this is a
// benchmark.
void by_time_table(const std::vector<std::string_view>& lines, Snapshot& snapshot) {
  static const LazyRegex cell(R"(([0-9]+\.?[0-9]*(?:e[-+]?[0-9]+)?) ?(s|ms|us|µs|ns|sec|seconds)?(?:[\s|]|$))");
  static const LazyRegex of_time(R"((?i)\b(?:ms|s|sec|secs|seconds|us|time|latency)\b|_(?:ms|s|us|time)\b)",
                                 RE2::Latin1);
  static const LazyRegex sides(R"((?i)\b(?:on )?(cpu|numpy|gpu|cuda|cupy)(?:\b|_))", RE2::Latin1);
  for (std::size_t i = 0; i + 2 < lines.size(); ++i) {
    if (lines[i].size() > 120 || !has_any(lines[i], {"cpu", "numpy"}) || !has_any(lines[i], {"gpu", "cuda", "cupy"}))
      continue;
    std::string first, second;
    re2::StringPiece head = piece_of(lines[i]);
    if (!RE2::FindAndConsume(&head, sides, &first) || !RE2::FindAndConsume(&head, sides, &second)) continue;
    const auto is_cpu = [](const std::string& side) {
      return lower_case(side) == "cpu" || lower_case(side) == "numpy";
    };
    if (is_cpu(first) == is_cpu(second) || RE2::FindAndConsume(&head, sides) || contains(lines[i], ".")) continue;
    // Shares, prices and quotients are no times, and a column behind them would be taken for one.
    static const LazyRegex others(
        R"(%|\$|/|(?i)\b(?:speed\w*|ratio|factor|gain|mem\w*|util\w*|load|cores?|temp\w*|version)\b)", RE2::Latin1);
    if (RE2::PartialMatch(piece_of(lines[i]), others)) continue;
    const bool named = RE2::PartialMatch(piece_of(lines[i]), of_time);
    std::size_t rows = 0, at = 0;
    bool slower = true;
    for (std::size_t next = i + 1; next < lines.size() && slower; ++next) {
      if (lines[next].find_first_not_of(" -=|+:\t") == std::string_view::npos) continue;  // a ruler
      double value = 0, before = 0;
      std::string unit, unit_before;
      int cells = 0;
      re2::StringPiece rest = piece_of(lines[next]);
      while (lines[next].size() < 200) {
        double number = 0;
        std::string its_unit;
        if (!RE2::FindAndConsume(&rest, cell, &number, &its_unit)) break;
        before = value, unit_before = unit;
        value = number, unit = its_unit;
        ++cells;
      }
      if (cells < 2 || unit != unit_before || (!named && unit.empty()) || before <= 0 || value <= 0) break;
      slower = is_cpu(first) ? value > before : before > value;
      at = next;
      ++rows;
    }
    if (!slower || rows < 2) continue;
    add_symptom(snapshot, {noted, "gpu-slower-than-cpu"}, at, trimmed(lines[at]));
    return;
  }
}

// The same command on the CPU and on the GPU, each with its time.
void by_device_times(const std::vector<ShellCommand>& session, Snapshot& snapshot) {
  struct Timed {
    std::string key{};
    On on = On::unknown;
    const ShellCommand* command = nullptr;
  };
  std::vector<Timed> all;
  for (const ShellCommand& command : session) {
    if (command.typed.text.size() > longest_output || command.output.empty() || all.size() >= most_pairs) continue;
    std::string typed = std::string(command.typed.text) + ' ';
    const On on = cut_device(typed);
    if (on == On::unknown) continue;
    all.push_back({std::string(trimmed(typed)), on, &command});
  }
  for (const Timed& cpu : all) {
    for (const Timed& gpu : all) {
      if (cpu.on != On::cpu || gpu.on != On::gpu || cpu.key != gpu.key) continue;
      const auto times = times_of_both(cpu.command->output, gpu.command->output);
      if (!times) continue;
      return state_times(cpu.command->typed, gpu.command->typed, *times, snapshot);
    }
  }
}

// What timeit timed: the statement without its library and without numbers, and on which side it runs.
struct TimedStatement {
  std::string key{};
  On on = On::unknown;
};

TimedStatement timed_statement(std::string_view line) {
  static const LazyRegex words(
      R"(\b(?:import |from )?(?:cupy|cp|numpy|np|jax\.numpy|jnp|torch)\b(?: as \w+)?|_?(?:gpu|cpu|cuda|device|host)\b(?:\(\))?)",
      RE2::Latin1);
  static const LazyRegex before(R"(^.*timeit\b(?: -[nru] ?\S+)*)", RE2::Latin1);
  static const LazyRegex number(R"([-+]?[0-9][0-9.,e+-]*)", RE2::Latin1),
      synchronized(R"(;?\s*[\w.()]+\.synchronize\(\))", RE2::Latin1);
  static const LazyRegex gpu(R"(\b(?:cupy|cp|jnp|jax)\b|_?(?:gpu|cuda)\b)", RE2::Latin1),
      cpu(R"(\b(?:numpy|np)\b|_cpu\b)", RE2::Latin1);
  TimedStatement statement{.key = std::string(line)};
  const bool on_gpu = RE2::PartialMatch(piece_of(line), gpu), on_cpu = RE2::PartialMatch(piece_of(line), cpu);
  if (on_gpu != on_cpu) statement.on = on_gpu ? On::gpu : On::cpu;
  RE2::Replace(&statement.key, before, "");
  RE2::GlobalReplace(&statement.key, synchronized, "");
  RE2::GlobalReplace(&statement.key, words, "M");
  RE2::GlobalReplace(&statement.key, number, "#");
  statement.key = trimmed(std::string_view(statement.key));
  return statement;
}

// "@btime CUDA.@sync $da * $db;" of Julia, beside "@btime $a * $b;": without the names of its arrays.
TimedStatement timed_by_julia(std::string_view line) {
  static const LazyRegex before(R"(^.*@btime |;\s*$|CUDA\.@sync |\b\w+\.@sync )", RE2::Latin1);
  static const LazyRegex array(R"(\$\w+\b)", RE2::Latin1);
  TimedStatement statement{.key = std::string(line), .on = contains(line, ".@sync ") ? On::gpu : On::cpu};
  RE2::GlobalReplace(&statement.key, before, "");
  RE2::GlobalReplace(&statement.key, array, "#");
  return statement;
}

// Of one statement that timeit timed with NumPy and with a library for GPUs the GPU is slower each time. Where it is
// faster for other sizes, this is a benchmark.
void by_timeit(const std::vector<std::string_view>& lines, Snapshot& snapshot) {
  static const LazyRegex shown(
      R"((?:best of \d+: |^)([0-9.]+) ?(nsec|usec|msec|sec|ns|us|µs|μs|ms|s)(?: per loop| ±| \+-| \([0-9]+ allocation))");
  struct Time {
    std::size_t row = 0;
    double seconds = 0;
    std::string value{}, unit{};
  };
  struct Pair {
    std::vector<Time> cpu{}, gpu{};
  };
  std::map<std::string, Pair> pairs;
  TimedStatement last;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].size() > longest_output) continue;
    Time time{.row = i};
    const bool timed = contains(lines[i], " per loop") || contains(lines[i], " ±") || contains(lines[i], " +-") ||
                       contains(lines[i], " allocation");
    if (timed && RE2::PartialMatch(piece_of(trimmed(lines[i])), shown, &time.value, &time.unit)) {
      const char first = time.unit[0];
      time.seconds = std::atof(time.value.c_str()) * (first == 'n'   ? 1e-9
                                                      : first == 'm' ? 1e-3
                                                      : first == 's' ? 1
                                                                     : 1e-6);
      if (first != 'n' && first != 'm' && first != 's') time.unit = "us";
      if (last.on == On::cpu) pairs[last.key].cpu.push_back(time);
      if (last.on == On::gpu) pairs[last.key].gpu.push_back(time);
      last = {};
    } else if (contains(lines[i], "timeit")) {
      last = timed_statement(lines[i]);
    } else if (contains(lines[i], "@btime ")) {
      last = timed_by_julia(lines[i]);
    }
  }
  for (const auto& [key, pair] : pairs) {
    if (pair.cpu.size() != pair.gpu.size() || pair.cpu.empty()) continue;
    bool slower = true;
    for (std::size_t i = 0; i < pair.cpu.size(); ++i) slower = slower && pair.gpu[i].seconds > pair.cpu[i].seconds;
    if (!slower) continue;
    const Time &gpu = pair.gpu.front(), &cpu = pair.cpu.front();
    Symptom& symptom = add_symptom(snapshot, {slow, "gpu"}, gpu.row, trimmed(lines[gpu.row]));
    symptom.details = {{"gpu", gpu.value}, {"gpu_unit", gpu.unit}, {"cpu", cpu.value}, {"cpu_unit", cpu.unit}};
    return;
  }
}

// "8.0" of "(a100) $ ", "8.6" of "rtx3090:~$ ".
std::string capability_of_prompt(std::string_view prompt) {
  static const LazyRegex form(R"((?i)\b(rtx|gtx|titan)?[ _-]?([avhptkl]?[0-9]{1,4}0s?)(?:[ _-]?(ti|super))?\b)",
                              RE2::Latin1);
  std::string series, model, kind;
  re2::StringPiece rest = piece_of(prompt);
  while (RE2::FindAndConsume(&rest, form, &series, &model, &kind)) {
    std::string name = series.empty() ? model : series + ' ' + model;
    if (!kind.empty()) name += ' ' + kind;
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (name.ends_with(" TI")) name.back() = 'i';
    if (std::string capability = knowledge::capability_of_name(name); !capability.empty()) return capability;
  }
  return {};
}

// "max dif: tensor(0.0012)" of one command on several cards, each known by its prompt or by what the program prints.
void by_cards(const std::vector<ShellCommand>& session, const std::string& text, Snapshot& snapshot) {
  static const LazyRegex difference(
      R"((?i)\b(?:max|mean|avg)[ _.-]?(?:imum)?[ _.-]?(?:abs(?:olute)?[ _.-]?)?(?:diff?(?:erence)?|err(?:or)?)\s?[:=]\s?(?:tensor\()?([0-9.]+(?:e[-+]?[0-9]+)?))",
      RE2::Latin1);
  static const LazyRegex capability(R"((?i)compute capability:? ([0-9]{1,2}\.[0-9])\b)", RE2::Latin1);
  static const LazyRegex half(R"((?i)float16|fp16|\.half\(|bf16|bfloat16)", RE2::Latin1),
      no_gpu(R"(VISIBLE_DEVICES=(?:"")?\s)", RE2::Latin1);
  if (!has_any(text, {"max", "mean", "avg"}) || RE2::PartialMatch(text, half)) return;
  for (const ShellCommand& command : session) {
    std::string card;
    double most = -1;
    std::size_t row = 0;
    if (RE2::PartialMatch(piece_of(command.typed.text), no_gpu)) continue;
    for (const ShellLine& line : command.output) {
      if (line.text.size() > longest_output) continue;
      double value = 0;
      if (card.empty()) RE2::PartialMatch(piece_of(line.text), capability, &card);
      if (!RE2::PartialMatch(piece_of(line.text), difference, &value) || value <= most) continue;
      most = value;
      row = line.row;
    }
    if (card.empty()) card = capability_of_prompt(command.prompt);
    if (card.empty() || most <= 0) continue;
    Symptom& symptom = add_symptom(snapshot, {noted, "error-of-precision"}, row, command.typed.text);
    symptom.details = {{"precision", "fp32"}, {"value", fmt::format("{:.3g}", most)}, {"capability", card}};
  }
}

// What a script that is shown prints with TF32 switched off, beside the same difference without that.
class ShownScript {
 public:
  explicit ShownScript(const std::vector<ShellLine>& lines) {
    static const LazyRegex set(R"(^([A-Za-z_]\w*)\s*=\s*(.+)$)", RE2::Latin1),
        print(R"(^print\s?\((.*)\)\s*(?:#.*)?$)", RE2::Latin1);
    static const LazyRegex off(
        R"((?:allow_tf32 ?= ?False|enable_tensor_float_32_execution\(False\)|matmul_precision(?:\(|'?,) ?["']?(?:highest|float32)))",
        RE2::Latin1);
    static const LazyRegex on(
        R"((?:allow_tf32 ?= ?True|enable_tensor_float_32_execution\(True\)|matmul_precision(?:\(|'?,) ?["']?(?:high|medium|default|tensorfloat32)["']))",
        RE2::Latin1);
    std::map<std::string, std::string> variables;
    bool switched_off = false;
    for (const ShellLine& line : lines) {
      std::string name, value;
      const re2::StringPiece code = piece_of(line.text);
      if (line.text.size() > longest_output) continue;
      if (contains(line.text, "print") && !line.text.starts_with("print")) whole_ = false;  // of a loop or a function
      if (RE2::PartialMatch(code, off)) switched_off = true;
      if (RE2::PartialMatch(code, on)) switched_off = false;
      if (RE2::FullMatch(code, print, &value)) {
        prints_.push_back({expanded(value, variables), switched_off});
      } else if (RE2::FullMatch(code, set, &name, &value)) {
        variables[name] = value;
      }
    }
  }

  // The largest difference with and without the switch, if this is what the lines show.
  void judge(const std::vector<ShellLine>& output, Snapshot& snapshot) const {
    static const LazyRegex last(R"(([0-9]+\.?[0-9]*(?:e[-+]?[0-9]+)?)\)?\s*$)", RE2::Latin1);
    static const LazyRegex precise(R"(,\s*precision\s*=\s*(?:["']?highest["']?|[\w.]*\.HIGHEST))", RE2::Latin1);
    constexpr double many_times = 20;
    if (!whole_ || prints_.size() < 2 || output.size() < prints_.size()) return;
    std::map<std::string, double> exact;
    struct Coarse {
      std::string code{};
      double value = 0;
      std::size_t row = 0;
    };
    std::vector<Coarse> coarse;
    for (std::size_t i = 0; i < prints_.size(); ++i) {
      std::string code = prints_[i].code;
      double value = 0;
      const bool off = RE2::GlobalReplace(&code, precise, "") > 0 || prints_[i].off;
      if (!shows_difference(code) ||
          !RE2::PartialMatch(piece_of(output[i].text.substr(0, longest_output)), last, &value))
        continue;
      if (off)
        exact[code] = value;
      else
        coarse.push_back({code, value, output[i].row});
    }
    for (const Coarse& one : coarse) {
      const auto same = exact.find(one.code);
      if (same == exact.end() || !(one.value > many_times * same->second)) continue;
      Symptom& symptom = add_symptom(snapshot, {noted, "switch-changes-results"}, one.row, "");
      symptom.details = {
          {"switch", "tf32"}, {"on", fmt::format("{:.2g}", one.value)}, {"off", fmt::format("{:.2g}", same->second)}};
      return;
    }
  }

 private:
  struct Print {
    std::string code{};
    bool off = false;
  };

  // "norm(hi - ref)" gives "norm((einsum(…)) - (…))"; texts are left out.
  static std::string expanded(const std::string& code, const std::map<std::string, std::string>& variables) {
    static const LazyRegex part(R"(^(?:([A-Za-z_]\w*)|(?:"[^"]*"|'[^']*'),?\s*|.))", RE2::Latin1);
    constexpr std::size_t longest = 600;
    std::string result;
    re2::StringPiece rest(code);
    while (!rest.empty() && result.size() < longest) {
      std::string name;
      const char* begin = rest.data();
      if (!RE2::Consume(&rest, part, &name)) break;
      const std::string_view piece(begin, static_cast<std::size_t>(rest.data() - begin));
      const auto known = name.empty() ? variables.end() : variables.find(name);
      if (known != variables.end())
        result += '(' + known->second + ')';
      else if (piece[0] != '"' && piece[0] != '\'' && piece[0] != ' ')
        result += piece;
    }
    return result;
  }

  static bool shows_difference(const std::string& code) {
    static const LazyRegex form(R"((?:norm|max|abs|mean)\b.*[\w)\]]-[\w(]|[\w)\]]-[\w(].*\.(?:norm|max|abs|mean)\()",
                                RE2::Latin1);
    return RE2::PartialMatch(code, form);
  }

  std::vector<Print> prints_{};
  bool whole_ = true;
};

void by_shown_script(const std::vector<ShellCommand>& session, Snapshot& snapshot) {
  static const LazyRegex shows(R"(^cat (\S+\.py)$)", RE2::Latin1),
      runs(R"(\bpython[0-9.]*\s+(?:-\w\s+)?(\S+\.py)\b)", RE2::Latin1);
  std::map<std::string, ShownScript> scripts;
  for (const ShellCommand& command : session) {
    std::string file;
    const re2::StringPiece typed = piece_of(command.typed.text.substr(0, longest_output));
    if (RE2::FullMatch(typed, shows, &file)) {
      scripts.insert_or_assign(file, ShownScript(command.output));
    } else if (contains(command.typed.text, ".py") && RE2::PartialMatch(typed, runs, &file)) {
      if (const auto script = scripts.find(file); script != scripts.end())
        script->second.judge(command.output, snapshot);
    }
  }
}

}  // namespace

bool starts_paired_commands(std::string_view line) { return line.size() < 1000; }

Snapshot parse_paired_commands(const std::string& text) {
  Snapshot snapshot;
  const std::vector<std::string_view> lines = lines_of(text);
  const std::vector<ShellCommand> session = shell_session(text);
  by_denied_nan(lines, text, snapshot);
  if (!snapshot.log.get() && (contains(text, "fast") || contains(text, "-math"))) by_fast_math(session, snapshot);
  by_cards(session, text, snapshot);
  if (!speaks_of_a_gpu(text)) return snapshot;
  by_shown_script(session, snapshot);
  by_device_times(session, snapshot);
  by_headings(lines, snapshot);
  by_cpu_block(lines, snapshot);
  by_time_table(lines, snapshot);
  by_timeit(lines, snapshot);
  return snapshot;
}

}  // namespace envdoctor
