// Facts that people write about their machine between outputs: "GPU: Quadro K2000", "CUDA 11.2", "compute capability
// 3.0", how long the CPU and the GPU took, tables of errors by card and precision, and that it happens under WSL, in a
// container or since a suspend. A statement is compared with others; it fills no field.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <string_view>

#include "knowledge/gpus/gpu_models.h"
#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

using enum SymptomClass;

constexpr std::size_t longest_statement = 160;
constexpr std::size_t longest_sentences = 400;

// A line and the same in lower case, where words of a statement are looked for: a pattern is compiled when a line may
// have its form, as compiling all of them takes longer than reading a short text.
struct Line {
  std::string_view text{};
  std::string low{};
  std::size_t row = 0;

  [[nodiscard]] bool has(std::initializer_list<std::string_view> words) const {
    return std::ranges::any_of(words, [this](std::string_view word) { return contains(low, word); });
  }
};

// Whether a name of a card may stand in it: "rtx", "a100", "gb200".
bool may_name_card(const Line& line) {
  if (line.has({"rtx", "gtx", "titan", "gt"})) return true;
  const auto digit = [&](std::size_t at) { return at < line.low.size() && line.low[at] >= '0' && line.low[at] <= '9'; };
  for (std::size_t at = 0; at < line.low.size(); ++at) {
    if (std::string_view("ahblvpkmtg").find(line.low[at]) == std::string_view::npos) continue;
    if (digit(at + 1) || (line.low[at] == 'g' && digit(at + 2))) return true;
  }
  return false;
}

// The first name of a card in a line: as written.
std::string card_in(const Line& line) {
  if (!may_name_card(line)) return {};
  static const LazyRegex name(
      R"((?i)\b((?:(?:nvidia |geforce |quadro |tesla )*(?:rtx|gtx|titan|gt) ?(?:a?\d{3,4}|v|xp?)(?: ?(?:ti|super))*)"
      R"(|(?:nvidia |quadro |tesla )*(?:[ahblvpkmt]|gb|gh)\d{1,4}[a-z]{0,2}))\b)",
      RE2::Latin1);
  std::string found;
  constexpr std::size_t shortest = 3;  // "t4" and "p4" are other things, too
  const bool is_one = RE2::PartialMatch(line.text, name, &found);
  return is_one && found.size() >= shortest ? found : std::string();
}

void state_card(const Line& line, Snapshot& snapshot) {
  const std::string name = card_in(line);
  const std::string capability = name.empty() ? "" : knowledge::capability_of_name(name);
  if (capability.empty()) return;
  add_symptom(snapshot, {noted, "stated-gpu"}, line.row, line.text).details = {{"name", name},
                                                                               {"capability", capability}};
}

// The statement about a subject in a line of this form.
void state(const Line& line, const RE2& form, const char* subject, const char* detail, Snapshot& snapshot) {
  std::string value;
  if (RE2::FullMatch(line.text, form, &value))
    add_symptom(snapshot, {noted, subject}, line.row, line.text).details[detail] = value;
}

// What a line that holds this form speaks of.
void speak_of(const Line& line, const RE2& form, const char* subject, Snapshot& snapshot) {
  if (RE2::PartialMatch(line.text, form)) add_symptom(snapshot, {noted, subject}, line.row, line.text);
}

void state_capability(const Line& line, Snapshot& snapshot) {
  if (!line.has({"compute capability"})) return;
  static const LazyRegex form(R"((?i)\s*[-*]? ?(?:my |the )?(?:gpu(?:'s)? |card(?:'s)? |device(?:'s)? )?(?:cuda )?)"
                              R"(compute capability(?: version)?(?: is| of| =|:)? *(\d{1,2}\.\d)\b.{0,40})",
                              RE2::Latin1);
  state(line, form, "stated-gpu", "capability", snapshot);
}

// "  0: Tesla V100-SXM2-32GB (sm_70, 27.902 GiB / 32.000 GiB available)" of CUDA.jl.
void state_julia_device(const Line& line, Snapshot& snapshot) {
  static const LazyRegex form(R"(\s*\d+: ([^(]{3,60}) \(sm_(\d{1,2})(\d), [\d.]+ .{0,60})", RE2::Latin1);
  std::string name, major, minor;
  if (contains(line.low, "(sm_") && RE2::FullMatch(line.text, form, &name, &major, &minor))
    add_symptom(snapshot, {noted, "stated-gpu"}, line.row, line.text).details = {{"name", name},
                                                                                 {"capability", major + "." + minor}};
}

// "CUDA: 11.2", "CUDA/cuDNN version: 11.1.1", "- CUDA version 12.4"; CUDA.jl's "- runtime 13.0, artifact installation"
void state_toolkit(const Line& line, Snapshot& snapshot) {
  const std::size_t first = std::min(line.low.find_first_of("abcdefghijklmnopqrstuvwxyz0123456789_"), line.low.size());
  const std::string_view words = std::string_view(line.low).substr(first);
  static const LazyRegex of_julia(R"(\W{0,4}runtime (\d{1,2}\.\d), (?:artifact|local) installation)", RE2::Latin1);
  if (words.starts_with("runtime ") && contains(words, "installation"))
    state(line, of_julia, "stated-cuda", "version", snapshot);
  if ((!words.starts_with("cuda") && !words.starts_with("nvidia cuda")) || !contains(words, ".")) return;
  static const LazyRegex form(
      R"((?i)\W{0,6}(?:nvidia )?cuda(?:[ /]?(?:cudnn|toolkit|version|runtime))*\s*(?:[:=]|\bis\b)?\s*)"
      R"(v?(\d{1,2}\.\d)(?:\.\d+)*\b.{0,40})",
      RE2::Latin1);
  state(line, form, "stated-cuda", "version", snapshot);
}

// The container toolkit says on every host that it looks for WSL; others that it is none.
void state_wsl(const Line& line, Snapshot& snapshot) {
  if (!line.has({"wsl"})) return;
  static const LazyRegex named(R"(\bWSL ?2?\b)", RE2::Latin1);
  static const LazyRegex no_wsl(R"((?i)dxcore|\b(?:not?|non|without|isn't|instead of|if)[ -](?:\w{1,9} ){0,2}wsl)",
                                RE2::Latin1);
  if (!RE2::PartialMatch(line.text, no_wsl) && RE2::PartialMatch(line.text, named))
    add_symptom(snapshot, {noted, "wsl-named"}, line.row, line.text);
}

void state_container(const Line& line, Snapshot& snapshot) {
  if (!line.has({"container", "pod", "docker", "kubernetes", "k8s", "kubectl"})) return;
  static const LazyRegex form(
      R"((?i)\b(?:in|inside|within|into|of|from) (?:(?:a|an|the|my|our|this|that|its|each|every) )?)"
      R"((?:[\w-]{1,12} )?(?:container|pod)s?\b|\b(?:in|inside|within) (?:docker|podman|kubernetes|k8s)\b)"
      R"(|\bkubectl +(?:logs|exec)\b|^Container image \S)",
      RE2::Latin1);
  speak_of(line, form, "container-named", snapshot);
}

void state_suspend(const Line& line, Snapshot& snapshot) {
  if (!line.has({"suspend", "sleep", "slept", "hibernat", "standby", "wake", "woke", "rmmod", "modprobe"})) return;
  static const LazyRegex form(
      R"((?i)\b(?:after|since|upon|following|(?:waking|wakes?|woke) (?:up )?from|return\w* from) )"
      R"((?:[\w' ]{0,20} )?(?:suspend\w*|sleep(?:ing)?|hibernat\w+|standby)(?:$|[^\w(]))"
      R"(|\b(?:laptop|pc|computer|machine|system|desktop|host)\b[^.;\n]{0,24}\b(?:suspended|hibernated|slept))"
      R"(|\b(?:laptop|pc|computer|machine|system|desktop|host)\b[^.;\n]{0,24}\b(?:wakes?|woke) up)"
      R"(|\bsuspend(?:ed|s)? ?(?:and|then|->|=>|/) ?(?:resume|wake))"
      R"(|\b(?:rmmod|modprobe -r|modprobe) nvidia[_-]uvm)",
      RE2::Latin1);
  speak_of(line, form, "suspend", snapshot);
}

void state_intel_gpu(const Line& line, Snapshot& snapshot) {
  if (!line.has({"arc ", "arc(", " arc", "a380", "a580", "a750", "a770", "b570", "b580", "iris xe", "data center gpu",
                 "xpu"}))
    return;
  static const LazyRegex form(
      R"((?i)\bArc(?:\(TM\)|\(R\))? [AB]\d{3}\b|\b(?:A380|A580|A750|A770|B570|B580)\b|\bIris Xe\b)"
      R"(|\bIntel(?:\(R\))? Arc\b|Data Center GPU (?:Max|Flex)|torch[./]xpu\b|\+xpu\b)",
      RE2::Latin1);
  speak_of(line, form, "intel-gpu-asked", snapshot);
}

// Where the program runs and since when it fails, as people write it.
void state_circumstances(const Line& line, Snapshot& snapshot) {
  state_wsl(line, snapshot);
  state_container(line, snapshot);
  state_suspend(line, snapshot);
  state_intel_gpu(line, snapshot);
}

// "AMD RX 6750 XT", "Radeon Pro W6800", "gfx1100": a card that no program for CUDA can use.
void state_amd_card(const Line& line, Snapshot& snapshot) {
  if (!line.has({"rx", "radeon", "instinct", "gfx"})) return;
  static const LazyRegex name(
      R"((?i)\b((?:amd )?(?:radeon(?:\(tm\))? )?rx ?[5-9]\d{2,3} ?(?:xtx?|gre|m)?\b)"
      R"(|radeon (?:pro|vii|hd|r[579])\b[\w ]{0,12}|instinct mi\d{2,3}\w?|gfx(?:9|10|11|12)[0-9a-f]{2}\b))",
      RE2::Latin1);
  std::string found;
  if (RE2::PartialMatch(line.text, name, &found))
    add_symptom(snapshot, {noted, "stated-amd-gpu"}, line.row, line.text).details["name"] = found;
}

// "Windows 11, tensorflow 2.12.0, RTX 2060", "tf 2.16"
void state_tensorflow(const Line& line, Snapshot& snapshot) {
  if (!line.has({"2."}) || !line.has({"tensorflow", "tf"})) return;
  static const LazyRegex form(
      R"((?i)(?:^|.*[\s,;(])(?:tensorflow|tf)(?:-gpu)?(?: version)?[ :=v]{1,3}(2\.\d{1,2}(?:\.\d{1,2})?)\b.*)",
      RE2::Latin1);
  state(line, form, "stated-tensorflow", "version", snapshot);
}

// "Driver: 525.105.12", "NVIDIA driver version 470.82.01", and the same in Chinese.
void state_driver(const Line& line, Snapshot& snapshot) {
  if (!line.has({"driver", "\xe9\xa9\xb1\xe5\x8a\xa8"}) || !line.has({"."}) ||
      line.low.find_first_of("0123456789") == line.low.npos)
    return;
  static const LazyRegex form(
      R"((?i)(?:.*\W)?(?:driver(?: version)?s?|\xe9\xa9\xb1\xe5\x8a\xa8(?:\xe7\x89\x88\xe6\x9c\xac)?)\W{1,3}(?:is )?)"
      R"((\d{3}\.\d{2,3}(?:\.\d{2})?)\b.*)",
      RE2::Latin1);
  state(line, form, "stated-driver", "version", snapshot);
}

// "4 GPUs were requested, only 2 are available", "world size 8 is greater than the number of GPUs 4", "cannot use GPU
// #3: this host has 2 GPUs": more than there are, or a number that none has.
void state_too_many_gpus(const Line& line, Snapshot& snapshot) {
  if (!line.has({"gpu", "device", "accelerator"}) || line.has({"mib", "gib", " gb", "memory", "cpu"}) ||
      !line.has({"only", "exceed", "greater", "more than", "larger", "request", "ask", "cannot", "can't"}))
    return;
  static const LazyRegex count(
      R"((?i)(?:\b(\d{1,3}) (?:gpus?|devices?|accelerators?) (?:was |were |are |is )?(?:requested|needed|required|asked for|configured)|)"
      R"(\b(?:request(?:ed|s|ing)?|asks? for|asked for|needs?|requires?|world[ _]?size|\w+parallel\w*|\w+_size)\b[^0-9;.]{0,16}(\d{1,3})))"
      R"(\b[^0-9]{0,40}\b(?:only|exceeds?|greater than|more than|larger than|but)\b([^0-9]{0,50}\d{1,3}\b.{0,24}))",
      RE2::Latin1);
  static const LazyRegex number(
      R"((?i)\b(?:gpu|device|accelerator) ?(?:#|id |index |number )?(\d{1,3})\b[^0-9]{0,60}\b(?:only|has|have|there are|there is)\b[^0-9]{0,12}(\d{1,3}) (?:\w+ )?(gpu|device|accelerator)s?\b)",
      RE2::Latin1);
  static const LazyRegex of_gpus(
      R"((?i)(?:gpu|device|accelerator)s?[ :=(]{0,3}(\d{1,3})\b|(\d{1,3}) (?:gpu|device|accelerator)s?\b|)"
      R"((\d{1,3}) (?:is |are |was |were )?(?:available|visible|found|detected|present)\b)",
      RE2::Latin1);
  std::string first, second, behind;
  int asked = 0, there = 0;
  if (RE2::PartialMatch(line.text, count, &first, &second, &behind)) {
    std::string a, b, c;
    if (!RE2::PartialMatch(behind, of_gpus, &a, &b, &c)) return;
    there = std::atoi((a + b + c).c_str());
    asked = std::atoi((first.empty() ? second : first).c_str());
    if (there < 1 || asked <= there) return;
  } else if (!RE2::PartialMatch(line.text, number, &asked, &there, &behind) || there < 1 || asked < there) {
    return;
  }
  add_symptom(snapshot, {missing, "any-gpu-index"}, line.row, line.text).details["count"] = std::to_string(there);
}

// "highest matmul precision: 1.0e-07": the setting of JAX and PyTorch, and the error with it.
void state_error_of_setting(const Line& line, Snapshot& snapshot) {
  if (!line.has({"e-"}) || !line.has({"precision"})) return;
  static const LazyRegex form(
      R"((?i)\W*(default|medium|high|highest)\W+(?:\w+ )?precision\W+(\d(?:\.\d+)?e-\d{1,2})\W*)", RE2::Latin1);
  std::string setting, error;
  if (!RE2::FullMatch(line.text, form, &setting, &error)) return;
  const bool full = setting == "highest" || setting == "Highest";
  add_symptom(snapshot, {noted, "error-of-precision"}, line.row, line.text).details = {
      {"precision", full ? "full" : "fp32"}, {"value", error}};
}

// "3090/float32  ~3e-4": a precision and its error.
void state_error(const Line& line, Snapshot& snapshot) {
  if (!line.has({"e-"}) || !line.has({"32", "64", "single", "double"})) return;
  static const LazyRegex form(R"((?i)(?:.*\W)?(float32|fp32|single|float64|fp64|double)\b[^\d\n]*~?)"
                              R"((\d(?:\.\d+)?e-\d{1,2})\b.*)",
                              RE2::Latin1);
  std::string precision, error;
  if (!RE2::FullMatch(line.text, form, &precision, &error)) return;
  const bool single = precision[0] == 's' || precision[0] == 'S' || contains(precision, "32");
  Symptom& symptom = add_symptom(snapshot, {noted, "error-of-precision"}, line.row, line.text);
  symptom.details = {{"precision", single ? "fp32" : "fp64"}, {"value", error}};
  static const LazyRegex number(R"(\b([1-5]0[5-9]0|1[06][5-8]0)\b)", RE2::Latin1);
  std::string name = card_in(line), bare;
  if (name.empty() && RE2::PartialMatch(line.text, number, &bare)) name = bare;
  const std::string capability = name.empty() ? "" : knowledge::capability_of_name(name);
  if (!capability.empty()) symptom.details["capability"] = capability;
}

// Whether a unit of time or of a rate may stand behind a number: "17 minutes", "3.2k samples/s".
bool may_hold_time_or_rate(std::string_view low) {
  constexpr std::array units{"ms",  "milli", "s",       "sec",    "min",   "h",      "hour",
                             "it/", "fps",   "samples", "images", "steps", "tokens", "iterations"};
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t at = 1; at < low.size(); ++at) {
    if (!is_digit(low[at - 1]) || is_digit(low[at])) continue;
    std::string_view rest = low.substr(at);
    if (rest.starts_with('k')) rest.remove_prefix(1);
    if (rest.starts_with(' ')) rest.remove_prefix(1);
    if (std::ranges::any_of(units, [&](std::string_view unit) {
          const bool letter_behind = rest.size() > 1 && std::isalnum(static_cast<unsigned char>(rest[1])) != 0;
          return rest.starts_with(unit) && (unit.size() > 1 || !letter_behind);
        }))
      return true;
  }
  return false;
}

// "On my CPU (i7) it took about 17 minutes. The GPU took 35": each time or rate belongs to the device that its sentence
// names last before it.
void state_speeds(const Line& line, Snapshot& snapshot) {
  if (!line.has({"cpu", "gpu"}) || !may_hold_time_or_rate(line.low)) return;
  static const LazyRegex word(
      R"((?i)\b(cpu|gpu)s?\b|\b(\d{1,9}(?:\.\d{1,4})?)(k?) ?)"
      R"((ms|milliseconds?|s|secs?|seconds?|mins?|minutes?|h|hours?|it/s|fps|(?:samples|images|steps|)"
      R"(tokens|iterations)(?: per |/)s(?:ec(?:ond)?)?)\b|([.!?;]) )",
      RE2::Latin1);
  re2::StringPiece rest(line.text.data(), line.text.size());
  std::string device, name, number, thousands, unit, end;
  while (RE2::FindAndConsume(&rest, word, &name, &number, &thousands, &unit, &end)) {
    if (!name.empty()) device = name[0] == 'c' || name[0] == 'C' ? "CPU" : "GPU";
    if (!end.empty()) device.clear();
    if (number.empty() || device.empty()) continue;
    const bool is_rate = contains(unit, "/") || contains(unit, " per ") || unit[0] == 'f' || unit[0] == 'F';
    double value = std::atof(number.c_str()) * (thousands.empty() ? 1 : 1000);
    if (!is_rate) {
      constexpr double minute = 60, hour = 3600;
      if (contains(unit, "ms") || contains(unit, "milli"))
        value /= 1000;
      else if (unit[0] == 'm' || unit[0] == 'M')
        value *= minute;
      else if (unit[0] == 'h' || unit[0] == 'H')
        value *= hour;
    }
    add_symptom(snapshot, {noted, is_rate ? "stated-rate" : "stated-time"}, line.row, line.text).details = {
        {"on", device}, {"value", fmt::format("{}", value)}};
  }
}

}  // namespace

bool starts_stated_facts(std::string_view line) { return line.size() < longest_sentences; }

Snapshot parse_stated_facts(const std::string& text) {
  constexpr std::size_t most_statements = 64;
  Snapshot snapshot;
  std::size_t row = 0;
  for (const std::string_view one : lines_of(text)) {
    const std::size_t at = row++;
    if (one.size() >= longest_sentences || snapshot.log.or_empty().size() >= most_statements) continue;
    const Line line{.text = one, .low = lower_case(one), .row = at};
    state_speeds(line, snapshot);
    state_circumstances(line, snapshot);
    if (one.size() >= longest_statement) continue;
    state_card(line, snapshot);
    state_capability(line, snapshot);
    state_julia_device(line, snapshot);
    state_toolkit(line, snapshot);
    state_amd_card(line, snapshot);
    state_tensorflow(line, snapshot);
    state_driver(line, snapshot);
    state_too_many_gpus(line, snapshot);
    state_error(line, snapshot);
    state_error_of_setting(line, snapshot);
  }
  return snapshot;
}

}  // namespace envdoctor
