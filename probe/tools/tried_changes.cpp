#include "probe/tools/tried_changes.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "host/text.h"
#include "knowledge/lazy_regex.h"
#include "knowledge/wordings/helping_changes.h"
#include "probe/text_piece.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

using enum SymptomClass;
constexpr std::size_t most_attempts = 40, most_tokens = 64, longest_line = 400;

// The commands of a line that run one after the other: "cd x && python y", "(unset A; python y)".
std::vector<std::string_view> pieces_of(std::string_view typed) {
  typed = trimmed(typed.substr(0, 1000));
  if (typed.size() > 2 && typed.front() == '(' && typed.back() == ')') typed = typed.substr(1, typed.size() - 2);
  std::vector<std::string_view> pieces;
  std::size_t begin = 0;
  char quote = 0;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    if (quote) {
      if (typed[i] == quote) quote = 0;
    } else if (typed[i] == '"' || typed[i] == '\'') {
      quote = typed[i];
    } else if (typed[i] == ';' || typed.substr(i, 2) == "&&") {
      pieces.push_back(trimmed(typed.substr(begin, i - begin)));
      begin = i + (typed[i] == ';' ? 1 : 2);
    }
  }
  pieces.push_back(trimmed(typed.substr(begin)));
  for (std::string_view& piece : pieces) {
    if (piece.starts_with("do ")) piece = trimmed(piece.substr(3));  // of a loop
  }
  std::erase_if(pieces, [](std::string_view piece) { return piece.empty(); });
  return pieces;
}

// What only prepares the program that is run behind it.
bool only_prepares(std::string_view piece) {
  static const LazyRegex form(
      R"((?:sudo )?(?:cd|source|\.|conda|mamba|module|export|unset|pip3?|uv|(?:python3? -m )?pip3?|apt|apt-get|mkdir|make|cmake|ninja|git|nvcc|hipcc|gcc|g\+\+|clang\+*|rm|clear|set|ulimit|for)\b.*)",
      RE2::Latin1);
  return RE2::FullMatch(piece_of(piece), form);
}

// What was typed, in the words of the shell: without quotes, and only the first command of a piece.
std::vector<std::string> tokens_of(std::string_view typed) {
  std::vector<std::string> tokens;
  std::string token;
  bool any = false;
  char quote = 0;
  const auto end = [&] {
    if (any && tokens.size() < most_tokens) tokens.push_back(token);
    token.clear();
    any = false;
  };
  for (const char c : typed.substr(0, 1000)) {
    if (quote) {
      if (c == quote)
        quote = 0;
      else
        token += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      any = true;
    } else if (c == ' ' || c == '\t') {
      end();
    } else if (c == '|' || c == ';' || c == '>' || c == '&') {
      break;
    } else {
      token += c;
      any = true;
    }
  }
  if (token == "2") any = false;  // of "2>"
  end();
  return tokens;
}

bool is_assignment(std::string_view token) {
  static const LazyRegex form(R"([A-Z][A-Z0-9_]{2,}=.*)", RE2::Latin1);
  return RE2::FullMatch(piece_of(token), form);
}

// Without the assignment to the variable that "NAME" or "NAME=value" names.
void unset(std::string_view named, std::set<std::string>& assignments) {
  const std::string name = std::string(named.substr(0, named.find('='))) + "=";
  std::erase_if(assignments, [&](const std::string& one) { return one.starts_with(name); });
}

enum class Ending { unknown, failed, worked };

struct Attempt {
  const ShellCommand* command = nullptr;
  std::size_t index = 0;  // in the session
  std::string program{};  // "train.py", "all_reduce_perf"
  std::multiset<std::string> tokens{};
  std::set<std::string> parts{};  // what can be a change
  Ending ending = Ending::unknown;
  double seconds = 0;    // per step, token or item; 0: not printed
  double gbps = 0;       // of copies
  double error = 0;      // a small number at the end of a line, such as a relative error
  int failed_tests = 0;  // as pytest counts them
  bool prints_nan = false;
  bool says_cpu = false;  // "Using cpu device"
};

bool reads_as_failure(std::string_view line) {
  static const LazyRegex form(
      R"((?:^|[\s.])\w*(?:Error|Exception|Failure)\b(?::|$)|\^C$|core dumped|Segmentation fault|^Aborted|^Killed|\bFAILED\b|(?i:\berror:|\bfatal\b|\bfailed\b|\b(?:loss|logprob|prob)\w*\b\W{1,4}nan\b|: nan\b|= ?nan\b|timed out|timing out|unknown error|not available|no (?:gpu|cuda|device)s?\b|call failure at|cannot|could not|couldn't|unable to)|!{12,}|^Number of platforms +0$|^Traceback |CUDA error|cudaError[A-Z]|hipError[A-Z]|NCCL WARN|CL_[A-Z_]*(?:NOT|INVALID)|^False$|^\[\]$|cudaGetDevice\w* returned)",
      RE2::Latin1);
  // Programs for screens say so wherever nobody is logged in, and go on.
  if (contains(line, "XDG_RUNTIME_DIR") || contains(line, "connect to X server")) return false;
  return RE2::PartialMatch(piece_of(line.substr(0, longest_line)), form);
}

// The time that one item takes, from "117.66 ms per token", "8.5 tokens/s", "41ms/step", "1.32 s/it"; 0: none.
double seconds_of(std::string_view line) {
  static const LazyRegex takes(
      R"(([0-9]+(?:\.[0-9]+)?) ?(us|ms|s|sec)(?:onds?)?(?:/| per )(?:it|iter|step|token|image|batch|epoch|fold|call|run|game|episode|frame|update|sample|request)\w*)",
      RE2::Latin1);
  static const LazyRegex rate(
      R"(([0-9]+(?:\.[0-9]+)?) ?(?:it|iter|step|token|tok|image|img|sample|batch|item)\w*(?:/| per )s)", RE2::Latin1);
  // "fps 212.4", "|    fps    | 5048 |"
  static const LazyRegex frames(
      R"((?i)^[\s|]*(?:\w+/)?(?:fps|throughput|(?:it|steps|samples|images|tokens)_per_s\w*)[ :=|]+([0-9]+\.?[0-9]*)\W*$)",
      RE2::Latin1);
  static const LazyRegex whole(R"(^real\s+(\d+)m(\d+\.\d+)s)", RE2::Latin1);  // of a command that was timed
  static const LazyRegex of_all(
      R"((?i)\b(?:total|train(?:ing)?|fit|elapsed|run) ?time ?[:=] *([0-9]+\.[0-9]+)(?: ?s(?:ec(?:ond)?s?)?)?\s*$)",
      RE2::Latin1);
  double value = 0, minutes = 0;
  std::string unit;
  const re2::StringPiece text = piece_of(line.substr(0, longest_line));
  if (RE2::PartialMatch(text, whole, &minutes, &value)) return 60 * minutes + value;
  if (RE2::PartialMatch(text, takes, &value, &unit)) return value * (unit == "us" ? 1e-6 : unit == "ms" ? 1e-3 : 1);
  if (RE2::PartialMatch(text, rate, &value) && value > 0) return 1 / value;
  if (RE2::PartialMatch(text, frames, &value) && value > 0) return 1 / value;
  if (RE2::PartialMatch(text, of_all, &value)) return value;
  return 0;
}

// "H2D 11.6 GB/s": the first rate.
double gbps_of(std::string_view line) {
  static const LazyRegex form(R"(\b([0-9]+\.[0-9]+) ?(?:GB|GiB)/s)", RE2::Latin1);
  double rate = 0;
  return RE2::PartialMatch(piece_of(line.substr(0, longest_line)), form, &rate) ? rate : 0;
}

// "rel. error 3.1e-07"
double error_of(std::string_view line) {
  constexpr double largest = 0.05;
  static const LazyRegex form(R"((?:^|[\s=:])([0-9](?:\.[0-9]+)?(?:e-[0-9]+)?)\s*$)", RE2::Latin1);
  double number = 0;
  if (!RE2::PartialMatch(piece_of(line.substr(0, longest_line)), form, &number)) return 0;
  return number < largest ? number : 0;
}

bool prints_nan(std::string_view line) {
  static const LazyRegex form(R"((?i)[\s=:(]-?nan\W*$)", RE2::Latin1);
  return RE2::PartialMatch(piece_of(line.substr(0, longest_line)), form);
}

void judge_output(Attempt& attempt) {
  static const LazyRegex tests(R"(^=* ?(\d{1,6}) failed, \d+ passed)", RE2::Latin1);
  static const LazyRegex cpu(R"((?i)\b(?:using|running on|device[:=]?) (?:the )?cpu\b|falling back to cpu\b)",
                             RE2::Latin1);
  bool any = false, failure = false;
  for (const ShellLine& line : attempt.command->output) {
    any = any || !trimmed(line.text).empty();
    failure = failure || reads_as_failure(line.text);
    attempt.prints_nan = attempt.prints_nan || prints_nan(line.text);
    if (const double seconds = seconds_of(line.text); seconds > 0) attempt.seconds = seconds;
    if (const double gbps = gbps_of(line.text); gbps > 0) attempt.gbps = gbps;
    if (const double error = error_of(line.text); error > 0) attempt.error = error;
    const re2::StringPiece text = piece_of(line.text.substr(0, longest_line));
    RE2::PartialMatch(text, tests, &attempt.failed_tests);
    attempt.says_cpu = attempt.says_cpu || RE2::PartialMatch(text, cpu);
  }
  // What the driver's start returns.
  if (attempt.program == "cuInit(0)" && !attempt.command->output.empty())
    failure = failure || trimmed(attempt.command->output.front().text) != "0";
  if (any) attempt.ending = failure ? Ending::failed : Ending::worked;
}

// "lmp" of "mpirun -np 4 lmp -in run.in": the first word that is neither an option nor an option's number.
std::size_t launched_program(const std::vector<std::string>& tokens) {
  std::size_t at = 1;
  while (at < tokens.size() &&
         (tokens[at].starts_with('-') || tokens[at].find_first_not_of("0123456789") == std::string::npos))
    ++at;
  return at;
}

// The assignments that are in force, from the exports before; then the command's own words.
std::optional<Attempt> attempt_of(const ShellCommand& command, std::string_view piece, std::size_t index,
                                  const std::set<std::string>& exported) {
  std::vector<std::string> tokens = tokens_of(piece);
  Attempt attempt{.command = &command, .index = index, .parts = exported};
  std::size_t at = 0;
  while (at < tokens.size() && (is_assignment(tokens[at]) || tokens[at] == "env" || tokens[at] == "sudo" ||
                                tokens[at] == "time" || tokens[at] == "-E" || tokens[at] == "-u")) {
    if (is_assignment(tokens[at])) {
      unset(tokens[at], attempt.parts);
      attempt.parts.insert(tokens[at]);
    }
    if (tokens[at] == "-u" && at + 1 < tokens.size()) unset(tokens[++at], attempt.parts);  // of env
    ++at;
  }
  if (at < tokens.size() && tokens[at] == "numactl") {
    while (++at < tokens.size() && tokens[at].starts_with('-')) attempt.parts.insert("numactl " + tokens[at]);
  }
  if (at == tokens.size()) return std::nullopt;
  tokens.erase(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(at));
  std::size_t program = 0;
  if (tokens[0].starts_with("python") || contains(tokens[0], "/python") || tokens[0] == "torchrun" ||
      tokens[0] == "accelerate" || tokens[0] == "srun" || tokens[0] == "mpirun") {
    program = 1;
    while (program < tokens.size() &&
           (tokens[program].starts_with('-') ||
            (!tokens[program].ends_with(".py") && !contains(tokens[program - 1], "-m"))) &&
           tokens[program - 1] != "-c")
      ++program;
    const bool launches = tokens[0] == "srun" || tokens[0] == "mpirun";
    if (program >= tokens.size() && launches) program = launched_program(tokens);
    if (program >= tokens.size()) return std::nullopt;
  }
  static const std::set<std::string> engines = {"docker",  "nvidia-docker", "podman",
                                                "nerdctl", "singularity",   "apptainer"};
  const std::string of_engine = engines.contains(tokens[0]) ? "container " : "";
  attempt.program = tokens[program].substr(tokens[program].rfind('/') + 1);
  // Two lines of code that ask the same question, whatever else they print.
  for (const char* question : {"cuda.is_available", "cuda.device_count", "list_physical_devices", "jax.devices",
                               "get_platforms", "xpu.is_available", "cuInit(0)"}) {
    if (program > 0 && tokens[program - 1] == "-c" && contains(tokens[program], question)) attempt.program = question;
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string& token = tokens[i];
    attempt.tokens.insert(token);
    if (token.starts_with('-')) {
      attempt.parts.insert((i < program ? "python " : of_engine) + token);  // the interpreter's own option
    } else if (i > program && !tokens[i - 1].starts_with('-')) {
      attempt.parts.insert("word " + token);
    } else if (i > 0 && tokens[i - 1].starts_with('-') && !contains(tokens[i - 1], "=")) {
      attempt.parts.insert(of_engine + tokens[i - 1] + "=" + token);
      if ((tokens[i - 1] == "-e" || tokens[i - 1] == "--env" || tokens[i - 1] == "-x") && is_assignment(token))
        attempt.parts.insert(token);
    }
  }
  return attempt;
}

// A few words may differ, such as sizes and numbers of steps, not most of them.
bool same_program(const Attempt& one, const Attempt& other) {
  constexpr std::size_t most_different = 5;
  if (one.program != other.program) return false;
  std::vector<std::string> apart;
  std::ranges::set_symmetric_difference(one.tokens, other.tokens, std::back_inserter(apart));
  // Each node of a device that is passed to a container is two words.
  std::erase_if(apart, [](const std::string& word) { return word == "--device" || word.starts_with("/dev/"); });
  return apart.size() <= most_different;
}

bool only_looks(std::string_view typed) {
  static const LazyRegex form(
      R"((?:sudo )?nvidia-smi(?: -(?:[lLq]|-query).*)?|(?:sudo )?(?:ls|cat|grep|head|tail|echo|which|lspci|dmesg|lsmod|uname|pip3? (?:list|show|freeze)|conda list|free|nproc|lscpu|journalctl|rocminfo|rocm-smi|clinfo|df|id|groups|ldconfig -p|sleep|wc|find|file|ps|top|git (?:diff|log|status))\b.*)",
      RE2::Latin1);
  return RE2::FullMatch(piece_of(typed), form) && !contains(typed, "/sys/bus/pci/drivers/");
}

// What was done between the failure and the run that works.
std::set<std::string> done_between(const std::vector<ShellCommand>& session, std::size_t from, std::size_t to) {
  std::set<std::string> done;
  for (std::size_t i = from + 1; i < to; ++i) {
    const std::string_view typed = session[i].typed.text.substr(0, longest_line);
    if (contains(typed, "diff")) {
      for (const ShellLine& line : session[i].output) {
        if (line.text.size() < longest_line && line.text.starts_with('+') && !line.text.starts_with("++"))
          done.insert(std::string(trimmed(line.text)));
      }
    } else if (!only_looks(typed)) {
      done.insert("$ " + std::string(typed));
    }
  }
  return done;
}

// The one known change that leads from the failing to the working attempt; null: none, or several.
const knowledge::HelpingChange* change_between(const Attempt& failing, const Attempt& working,
                                               const std::vector<ShellCommand>& session) {
  std::set<const knowledge::HelpingChange*> changes;
  const auto take = [&](const std::string& part) {
    if (const auto* change = knowledge::helping_change(part)) changes.insert(change);
  };
  for (const std::string& part : working.parts) {
    if (!failing.parts.contains(part)) take(part);
  }
  for (const std::string& part : failing.parts) {
    if (!working.parts.contains(part)) take("without " + part);
  }
  if (failing.index < working.index) {
    for (const std::string& part : done_between(session, failing.index, working.index)) take(part);
  }
  return changes.size() == 1 ? *changes.begin() : nullptr;
}

// "JAX_PLATFORMS" of "JAX_PLATFORMS=cpu python train.py": set for one command, and the same program ran without it.
void note_variables_of_one(const Attempt& one, const Attempt& other, std::set<std::string>& seen, Snapshot& snapshot) {
  for (const std::string& part : one.parts) {
    const std::string name = is_assignment(part) ? part.substr(0, part.find('=')) : "";
    const bool elsewhere =
        std::ranges::any_of(other.parts, [&](const std::string& p) { return p.starts_with(name + "="); });
    if (name.empty() || elsewhere || !seen.insert(name).second) continue;
    add_symptom(snapshot, {noted, "variable-of-one-command"}, one.command->typed.row, one.command->typed.text)
        .details["name"] = name;
  }
}

// A program that fails works with another search path for libraries: the loader takes the wrong copy without it.
void note_library_path(const Attempt& failing, const Attempt& working, std::set<std::string>& seen,
                       Snapshot& snapshot) {
  const auto path = std::ranges::find_if(working.parts, [](const std::string& part) {
    return part.starts_with("LD_LIBRARY_PATH=/") || part.starts_with("LD_PRELOAD=/");
  });
  if (failing.ending != Ending::failed || working.ending != Ending::worked || path == working.parts.end() ||
      failing.parts.contains(*path) || !seen.insert("library path").second)
    return;
  add_symptom(snapshot, {noted, "works-with-library-path"}, working.command->typed.row, working.command->typed.text);
}

bool much_faster(const Attempt& fast, const Attempt& slow) {
  constexpr double several_times = 3;
  return fast.seconds > 0 && slow.seconds > several_times * fast.seconds;
}

bool copies_faster(const Attempt& fast, const Attempt& slow) {
  constexpr double clearly = 1.5;
  return slow.gbps > 0 && fast.gbps > clearly * slow.gbps;
}

// The same numbers, of which those of one run are as far from the right ones as narrower products make them.
bool errs_less(const Attempt& exact, const Attempt& other) {
  constexpr double of_bits = 30, least = 1e-5;
  return exact.error > 0 && other.error > least && other.error > of_bits * exact.error;
}

// Whether variables hide all GPUs from an attempt.
bool hides_gpus(const Attempt& attempt) {
  return std::ranges::any_of(attempt.parts, [](const std::string& part) {
    return part == "CUDA_VISIBLE_DEVICES=" || part == "CUDA_VISIBLE_DEVICES=-1" || part == "JAX_PLATFORMS=cpu" ||
           part == "HIP_VISIBLE_DEVICES=" || part == "HIP_VISIBLE_DEVICES=-1";
  });
}

// What names the processor to a program, and what the GPU.
bool is_cpu_word(const std::string& word) {
  return word == "cpu" || word == "hist" || word == "--cpu" || word == "--no-cuda" || word.ends_with("=cpu");
}

bool is_gpu_word(const std::string& word) {
  static const LazyRegex form(R"((?:.*=)?(?:gpu|cuda)(?::\d)?|gpu_hist|--(?:gpu|cuda))", RE2::Latin1);
  return RE2::FullMatch(piece_of(word), form);
}

// The same program on the GPU takes clearly longer than on the CPU.
void note_slower_gpu(const Attempt& gpu, const Attempt& cpu, std::set<std::string>& seen, Snapshot& snapshot) {
  constexpr double clearly = 1.5;
  std::vector<std::string> of_gpu, of_cpu;
  std::ranges::set_difference(gpu.tokens, cpu.tokens, std::back_inserter(of_gpu));
  std::ranges::set_difference(cpu.tokens, gpu.tokens, std::back_inserter(of_cpu));
  const bool hidden = hides_gpus(cpu) && !hides_gpus(gpu);
  const bool said = cpu.says_cpu && !gpu.says_cpu;
  const bool switched = of_gpu.size() <= 1 && of_cpu.size() <= 1 &&
                        (hidden || said || of_gpu.size() + of_cpu.size() > 0) &&
                        std::ranges::all_of(of_gpu, is_gpu_word) && std::ranges::all_of(of_cpu, is_cpu_word);
  if (!switched || cpu.seconds <= 0 || gpu.seconds < clearly * cpu.seconds || gpu.ending == Ending::failed ||
      !seen.insert("gpu " + gpu.program).second)
    return;
  add_symptom(snapshot, {slow, "gpu"}, gpu.command->typed.row, gpu.command->typed.text).details = {
      {"cpu", fmt::format("{:.4g}", cpu.seconds)},
      {"cpu_unit", "s"},
      {"gpu", fmt::format("{:.4g}", gpu.seconds)},
      {"gpu_unit", "s"}};
}

bool misses_a_device(std::string_view line) {
  static const LazyRegex form(
      R"((?i)\b(?:could not|couldn't|cannot|can't|unable to|failed to|fewer|only|no such|invalid|not enough|not available|out of range)\b[^\n]{0,60}\b(?:device|gpu|accelerator|ordinal)s?\b)",
      RE2::Latin1);
  return line.size() < longest_line && !contains(line, "emory") && RE2::PartialMatch(piece_of(line), form);
}

// The same program misses a device, and works when it is asked for fewer GPUs or for one of a lower number.
void note_fewer_gpus(const Attempt& failing, const Attempt& working, std::set<std::string>& seen, Snapshot& snapshot) {
  static const LazyRegex counted(R"((?i)--?(?:\w*[-_])?(?:n?gpus?|devices?|gpu[-_]ids?)=(\d{1,3}))", RE2::Latin1);
  std::vector<std::string> more, fewer;
  std::ranges::set_difference(failing.tokens, working.tokens, std::back_inserter(more));
  std::ranges::set_difference(working.tokens, failing.tokens, std::back_inserter(fewer));
  if (failing.ending != Ending::failed || working.ending != Ending::worked || more.size() != 1 || fewer.size() != 1)
    return;
  int asked = 0, served = 0;
  const bool named = RE2::FullMatch(more[0], counted, &asked) && RE2::FullMatch(fewer[0], counted, &served);
  static const LazyRegex behind(R"((?i)(?:^|[\s_-])n?(?:gpu|device)s?(?:[-_]?ids?|[-_]num(?:ber)?)? (\d{1,3})(?:\s|$))",
                                RE2::Latin1);
  const bool apart = !named && RE2::PartialMatch(piece_of(failing.command->typed.text), behind, &asked) &&
                     RE2::PartialMatch(piece_of(working.command->typed.text), behind, &served);
  if ((!named && !apart) || asked <= served) return;
  const auto& output = failing.command->output;
  const auto line = std::ranges::find_if(output, [](const ShellLine& one) { return misses_a_device(one.text); });
  if (line == output.end() || !seen.insert("fewer gpus").second) return;
  add_symptom(snapshot, {missing, "gpus-asked-for"}, line->row, line->text).details["count"] = std::to_string(asked);
}

// The same step of Slurm's fails, and works when it asks for a GPU.
void note_step_without_gpu(const Attempt& failing, const Attempt& working, Snapshot& snapshot) {
  static const LazyRegex asks(R"(python (?:--gres=gpu.*|--gpus(?:-per-\w+)?=.+|-G\d+))", RE2::Latin1);
  const auto asks_for_gpu = [](const Attempt& one) {
    return std::ranges::any_of(one.parts, [](const std::string& part) { return RE2::FullMatch(part, asks); });
  };
  if (failing.command->typed.text.starts_with("srun ") && failing.ending == Ending::failed &&
      working.ending == Ending::worked && asks_for_gpu(working) && !asks_for_gpu(failing))
    add_symptom(snapshot, {missing, "gpu-of-slurm-job"}, failing.command->typed.row, failing.command->typed.text);
}

bool stopped(const Attempt& attempt) {
  return std::ranges::any_of(attempt.command->output, [](const ShellLine& line) { return line.text.ends_with("^C"); });
}

// The same rows without a value that is no number.
void note_wider_precision(const Attempt& wider, const Attempt& other, std::set<std::string>& seen, Snapshot& snapshot) {
  if (!other.prints_nan || wider.prints_nan || wider.ending != Ending::worked || other.ending == Ending::failed) return;
  std::vector<std::string> apart;
  std::ranges::set_symmetric_difference(wider.parts, other.parts, std::back_inserter(apart));
  if (apart.size() != 1 || !wider.parts.contains(apart.front())) return;
  const auto* change = knowledge::helping_change(apart.front());
  if (!change || change->change != "double-precision" || !seen.insert(change->change).second) return;
  add_symptom(snapshot, {noted, "helping-change"}, wider.command->typed.row, wider.command->typed.text)
      .details["change"] = change->change;
}

// Most of the tests that failed pass.
bool fails_less(const Attempt& working, const Attempt& other) {
  constexpr int several_times = 3;
  return working.failed_tests > 0 && working.failed_tests * several_times <= other.failed_tests;
}

// "export A=1", "unset A".
bool take_assignment(std::string_view piece, std::set<std::string>& exported) {
  const std::vector<std::string> tokens = tokens_of(piece);
  if (tokens.size() != 2 || (tokens[0] != "export" && tokens[0] != "unset")) return false;
  unset(tokens[1], exported);
  if (tokens[0] == "export" && is_assignment(tokens[1])) exported.insert(tokens[1]);
  return true;
}

// The variables that env or printenv shows before anything ran.
void take_environment(const ShellCommand& command, std::set<std::string>& exported) {
  static const LazyRegex form(R"((?:env|printenv)\s*(?:\|.*)?)", RE2::Latin1);
  if (!RE2::FullMatch(piece_of(command.typed.text), form)) return;
  for (const ShellLine& line : command.output) {
    if (line.text.size() < longest_line && is_assignment(line.text)) exported.insert(std::string(line.text));
  }
}

}  // namespace

void compare_attempts(const std::vector<ShellCommand>& session, Snapshot& snapshot) {
  std::vector<Attempt> attempts;
  std::set<std::string> exported, seen, of_one;
  for (std::size_t i = 0; i < session.size() && attempts.size() < most_attempts; ++i) {
    if (std::ranges::all_of(attempts, [](const Attempt& one) { return only_looks(one.command->typed.text); }))
      take_environment(session[i], exported);
    const bool subshell = session[i].typed.text.starts_with("(");
    const std::vector<std::string_view> pieces = pieces_of(session[i].typed.text);
    std::set<std::string> in_force = exported;
    std::size_t at = 0;
    for (; at < pieces.size(); ++at) {
      if (take_assignment(pieces[at], in_force)) continue;
      if (at + 1 == pieces.size() || !only_prepares(pieces[at])) break;
    }
    if (!subshell) exported = in_force;
    if (at == pieces.size()) continue;
    if (auto attempt = attempt_of(session[i], pieces[at], i, in_force)) attempts.push_back(std::move(*attempt));
  }
  std::map<std::string, int> runs;
  for (const Attempt& attempt : attempts) ++runs[attempt.program];
  for (Attempt& attempt : attempts) {
    if (runs[attempt.program] > 1) judge_output(attempt);  // what ran once has nothing to be compared with
  }
  for (const Attempt& working : attempts) {
    for (const Attempt& other : attempts) {
      if (!same_program(working, other)) continue;
      note_variables_of_one(working, other, of_one, snapshot);
      note_slower_gpu(working, other, seen, snapshot);
      note_library_path(other, working, seen, snapshot);
      note_fewer_gpus(other, working, seen, snapshot);
      note_step_without_gpu(other, working, snapshot);
      note_wider_precision(working, other, seen, snapshot);
      const bool slow = much_faster(working, other);
      const bool works = working.ending == Ending::worked && (other.ending == Ending::failed || slow);
      const bool copies = copies_faster(working, other), exact = errs_less(working, other);
      if (!works && !copies && !exact && !fails_less(working, other)) continue;
      const auto change = change_between(other, working, session);
      // Narrower than what failed: nothing that half precision would explain.
      const bool of_doubles = std::ranges::any_of(other.parts, [](const std::string& part) {
        return contains(part, "float64") || contains(part, "fp64") || contains(part, "double");
      });
      if (change && change->change == "single-precision" && of_doubles) continue;
      if (!change || (change->of_speed && !slow && !stopped(other)) ||
          (copies && !works && change->change != "near-memory") || (exact && !works && change->change != "tf32-off") ||
          !seen.insert(change->change).second) continue;
      Symptom& symptom =
          add_symptom(snapshot, {noted, "helping-change"}, working.command->typed.row, working.command->typed.text);
      symptom.details["change"] = change->change;
    }
  }
}

}  // namespace envdoctor
