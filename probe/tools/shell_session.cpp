#include "probe/tools/shell_session.h"
#include "knowledge/lazy_regex.h"
#include "probe/text_piece.h"

#include <re2/re2.h>

#include <algorithm>

#include "host/text.h"
#include "probe/transcript/transcript.h"

namespace envdoctor {
namespace {

constexpr std::size_t most_commands = 2000, longest_command = 1000;

bool begins_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::ranges::any_of(starts, [text](std::string_view start) { return text.starts_with(start); });
}

bool holds_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [text](std::string_view word) { return contains(text, word); });
}

// A line without a prompt that is only a command.
bool reads_as_command(std::string_view line) {
  if (line.starts_with("sudo ")) line.remove_prefix(5);
  return line == "nvidia-smi" || line == "rocminfo" || line == "lsmod" ||
         begins_with_any(
             line, {"docker run ", "docker exec ", "docker compose ", "docker info", "podman run ", "podman exec ",
                    "kubectl exec ", "kubectl describe ", "apptainer exec ", "singularity exec ", "nvidia-smi -",
                    "lsmod | ", "uname -", "dkms status", "ls -l /dev", "ls /dev"});
}

struct Engine {
  const char* name;
  std::initializer_list<std::string_view> starts;
};

// "sudo docker run --gpus all IMAGE CMD": which engine runs it; empty: none.
std::string engine_of(std::string_view command) {
  static const Engine engines[] = {
      {"docker",
       {"docker run ", "docker exec ", "docker container run ", "docker container exec ", "nvidia-docker run ",
        "docker compose run ", "docker compose exec ", "docker-compose run ", "docker-compose exec ", "nerdctl run ",
        "nerdctl exec ", "distrobox enter ", "toolbox enter ", "docker logs "}},
      {"podman", {"podman run ", "podman exec ", "podman container run "}},
      {"kubernetes", {"kubectl exec ", "kubectl run ", "kubectl logs ", "oc exec ", "oc rsh ", "oc logs ", "k exec "}},
      {"singularity",
       {"apptainer exec ", "apptainer run ", "apptainer shell ", "singularity exec ", "singularity run ",
        "singularity shell ", "enroot start "}},
      {"lxc", {"pct enter ", "pct exec ", "lxc exec ", "lxc-attach ", "incus exec ", "machinectl shell "}}};
  std::string narrow(command);  // "kubectl  logs"
  narrow.erase(std::unique(narrow.begin(), narrow.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
               narrow.end());
  command = narrow;
  for (const std::string_view before : {"sudo ", "time ", "srun ", "k0s ", "k3s ", "microk8s "}) {
    if (command.starts_with(before)) command = trimmed(command.substr(before.size()));
  }
  // containerd's and CRI's own tools have options before the verb: "ctr -n k8s.io run --gpus 0 IMAGE NAME sh".
  static const LazyRegex direct(
      R"((?:ctr|nerdctl|crictl)(?: +-\S+(?: [\w./:]+)?)* +(?:run|exec|tasks? exec|t exec) .*)", RE2::Latin1);
  if ((command.starts_with("ctr ") || command.starts_with("nerdctl ") || command.starts_with("crictl ")) &&
      RE2::FullMatch(piece_of(command), direct))
    return "docker";
  for (const Engine& engine : engines) {
    if (std::ranges::any_of(engine.starts, [&](std::string_view start) { return command.starts_with(start); }))
      return engine.name;
  }
  return {};
}

// Whether that command asks for a GPU; empty: it enters a container that was started before.
std::string option_of(std::string_view command) {
  if (holds_one_of(command, {"--gpus", "--runtime", "--device", " --nv ", " --rocm ", "nvidia-docker", "nvidia.com/gpu",
                             "--privileged", "NVIDIA_VISIBLE_DEVICES", "/dev/nvidia", "/dev/kfd", "/dev/dri"}))
    return "given";
  const bool starts = holds_one_of(command, {" run ", "apptainer ", "singularity "}) && !contains(command, "compose");
  return starts ? "none" : "";
}

// A shell inside the container, which prints the next prompts.
bool opens_a_shell(std::string_view command) {
  static const LazyRegex shell(R"(.*\s(?:(?:/bin/|/usr/bin/)?(?:ba|z|da)?sh|-it?|-ti)\s*)", RE2::Latin1);
  return contains(command, " shell ") || contains(command, " enter ") || contains(command, " rsh ") ||
         contains(command, "lxc-attach") || RE2::FullMatch(piece_of(command), shell);
}

// "docker run -it --rm IMAGE": the image's own program, a shell where another prompt follows.
bool may_open_a_shell(std::string_view command) {
  static const LazyRegex terminal(R"(.* run\s(?:.*\s)?(?:-it|-ti|-i -t|-t -i|--interactive --tty)\s.*)", RE2::Latin1);
  return RE2::FullMatch(piece_of(command), terminal);
}

// "kim@box" of a prompt; the whole prompt if it has no user and host.
std::string_view whose(std::string_view prompt) {
  const std::size_t at = prompt.find('@');
  if (at == std::string_view::npos) return trimmed(prompt);
  std::size_t begin = prompt.find_last_of(" (["), end = prompt.find_first_of(": ]", at);
  begin = prompt.substr(0, at).find_last_of(" ([)");
  begin = begin == std::string_view::npos ? 0 : begin + 1;
  return prompt.substr(begin, std::min(end, prompt.size()) - begin);
}

bool prompt_of_container(std::string_view prompt) {
  static const LazyRegex form(R"((?:\(.+\) ?)?\w+@[0-9a-f]{12}:.*|(?:Apptainer|Singularity)\S*> ?)", RE2::Latin1);
  return RE2::FullMatch(piece_of(prompt), form);
}

// Where a paste lost the end of the line, the first line of the output stands behind the command.
std::string_view output_behind(std::string_view typed) {
  static const LazyRegex form(R"([\w"'] ((?:ERROR|Error|FATAL): \S.*|Traceback \(most recent.*))", RE2::Latin1);
  re2::StringPiece found;
  return RE2::PartialMatch(piece_of(typed), form, &found)
             ? typed.substr(static_cast<std::size_t>(found.data() - typed.data()))
             : std::string_view();
}

}  // namespace

std::vector<ShellCommand> shell_session(std::string_view text) {
  std::vector<ShellCommand> session{{}};
  std::string inside, option;  // of the shell that is open inside a container
  std::string_view outside;    // whose prompt started it
  std::size_t row = 0;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    const std::size_t length = line.size() < longest_command ? shell_prompt(line) : 0;
    const std::string_view typed = trimmed(line.substr(length));
    const bool comment = length > 0 && line.starts_with("# ") && engine_of(typed).empty() && !reads_as_command(typed);
    if ((length == 0 && !reads_as_command(typed)) || comment || session.size() >= most_commands) {
      session.back().output.push_back({at, line});
      continue;
    }
    ShellCommand command{.typed = {at, typed}, .prompt = line.substr(0, length)};
    if (const std::string_view behind = output_behind(typed); !behind.empty()) {
      command.typed.text = trimmed(typed.substr(0, typed.size() - behind.size()));
      command.output.push_back({at, behind});
    }
    const std::string_view who = whose(command.prompt);
    if (!inside.empty() && (typed == "exit" || (length > 0 && who == outside && who.size() > 1))) inside.clear();
    if (prompt_of_container(command.prompt) && inside.empty()) inside = "docker", option.clear();
    command.engine = inside;
    command.option = inside.empty() ? "" : option;
    if (const std::string engine = engine_of(typed); !engine.empty() && inside.empty()) {
      command.engine = engine;
      command.option = option_of(typed);
      const bool named = who.find('@') != std::string_view::npos;
      if (opens_a_shell(typed) || (named && may_open_a_shell(typed))) {
        inside = engine;
        option = command.option;
        outside = who;
      }
    }
    session.push_back(std::move(command));
  }
  return session;
}

}  // namespace envdoctor
