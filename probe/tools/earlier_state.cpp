#include "probe/tools/earlier_state.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <vector>

#include "host/text.h"
#include "probe/tools/shell_session.h"
#include "probe/transcript/transcript.h"

namespace envdoctor {
namespace {

constexpr std::array<std::string_view, 9> asking = {"nvidia-smi", "rocm-smi", "rocminfo",  "clinfo", "lspci",
                                                    "lsmod",      "python -", "python3 -", "amd-smi"};
constexpr std::array<std::string_view, 4> asking_in_python = {"cuda.is_available()", "cuda.device_count()",
                                                              "list_physical_devices(", "jax.devices()"};

constexpr std::size_t longest_typed = 1000;

// What was typed at prompts of Python, and what it answered.
std::vector<ShellCommand> python_session(std::string_view text) {
  std::vector<ShellCommand> session;
  bool inside = false;
  std::size_t row = 0;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    const std::size_t prompt = line.size() < longest_typed ? python_prompt(line) : 0;
    if (prompt > 0)
      session.push_back({.typed = {at, trimmed(line.substr(prompt))}, .prompt = ">>> "});
    else if (inside && line.size() < longest_typed && shell_prompt(line) == 0)
      session.back().output.push_back({at, line});
    inside = prompt > 0 || (inside && line.size() < longest_typed && shell_prompt(line) == 0);
  }
  return session;
}

// "sudo lspci -nnk" -> "lspci -nnk"; empty: it doesn't ask for the state of the machine alone.
std::string_view asked(const ShellCommand& command) {
  std::string_view typed = command.typed.text;
  if (command.prompt == ">>> ") {
    const bool asks =
        std::ranges::any_of(asking_in_python, [typed](std::string_view end) { return contains(typed, end); });
    return asks && typed.find('=') == typed.npos ? typed : std::string_view();
  }
  if (typed.starts_with("sudo ")) typed = trimmed(typed.substr(5));
  const bool asks = std::ranges::any_of(asking, [typed](std::string_view start) { return typed.starts_with(start); }) &&
                    (!typed.starts_with("python") || contains(typed, " -c "));
  return asks && command.engine.empty() ? typed : std::string_view();
}

bool is_blank_line(const ShellLine& line) { return trimmed(line.text).empty(); }

// A program that finds no driver or no GPU, as these commands say it.
bool finds_nothing(const ShellCommand& command) {
  return std::ranges::any_of(command.output, [&](const ShellLine& line) {
    const std::string_view text = trimmed(line.text);
    const std::string_view word = text.substr(text.rfind(' ') + 1);
    const bool in_python = command.prompt == ">>> " || contains(command.typed.text, "python");
    const bool no_devices = text == "0" && !contains(command.typed.text, "cuInit(");  // of which it means success
    const bool told_by_python =
        in_python && (word == "False" || word == "[]" || no_devices || text.starts_with("[CpuDevice"));
    return told_by_python || contains(text, "has failed because") || contains(text, "Failed to initialize NVML") ||
           contains(text, "No devices were found") || contains(text, "ommand not found") ||
           contains(text, "ROCk module is NOT loaded") ||
           (contains(text, "Number of platforms") && text.ends_with(" 0"));
  });
}

// These list what is there, and print no error where something is gone.
bool lists(std::string_view typed) { return typed.starts_with("lspci") || typed.starts_with("lsmod"); }

// "Mon Nov 30 10:00:00 2026", above nvidia-smi's table.
bool is_date(std::string_view text) { return text.size() > 16 && text[3] == ' ' && text[13] == ':' && text[16] == ':'; }

// How many lines belong to the command: a person may have written on below them.
std::size_t length_of_output(const ShellCommand& command, std::string_view typed) {
  const auto belongs = [&](const ShellLine& line) {
    const std::string_view text = line.text;
    if (is_blank_line(line)) return typed.starts_with("nvidia-smi") || typed.starts_with("lspci");
    if (typed.starts_with("nvidia-smi"))
      return text[0] == '|' || text[0] == '+' || text.starts_with("GPU ") || text.starts_with("  ") || is_date(text);
    if (typed.starts_with("lspci"))
      return text[0] == ' ' || text[0] == '\t' || (text.size() > 12 && (text[2] == ':' || text[4] == ':'));
    return true;
  };
  return static_cast<std::size_t>(std::ranges::find_if_not(command.output, belongs) - command.output.begin());
}

bool is_answered(const ShellCommand& command) { return !std::ranges::all_of(command.output, is_blank_line); }

}  // namespace

bool may_ask_twice(std::string_view text) {
  const auto twice = [text](std::string_view word) {
    const std::size_t first = text.find(word);
    return first != std::string_view::npos && text.find(word, first + word.size()) != std::string_view::npos;
  };
  return std::ranges::any_of(asking, twice) || std::ranges::any_of(asking_in_python, twice);
}

std::string without_earlier_state(std::string_view text) {
  std::string current(text);
  std::map<std::pair<std::string_view, std::string_view>, const ShellCommand*> earlier;  // by prompt and command
  const auto empty = [&](const ShellLine& line) {
    const auto at = static_cast<std::size_t>(line.text.data() - text.data());
    std::fill_n(current.begin() + static_cast<std::ptrdiff_t>(at), line.text.size(), ' ');
  };
  std::vector<ShellCommand> session = shell_session(text);
  std::ranges::move(python_session(text), std::back_inserter(session));
  for (const ShellCommand& command : session) {
    const std::string_view typed = asked(command);
    if (typed.empty() || !is_answered(command)) continue;
    const ShellCommand*& before = earlier[{command.prompt, typed}];
    if (before != nullptr && !finds_nothing(*before) && (finds_nothing(command) || lists(typed))) {
      empty(before->typed);
      std::for_each_n(before->output.begin(), length_of_output(*before, typed), empty);
    }
    before = &command;
  }
  return current;
}

}  // namespace envdoctor
