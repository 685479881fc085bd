// docker inspect with a template, and kubectl get with a path: which devices a container or a pod was given.
#include <re2/re2.h>

#include <algorithm>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/asked_command.h"
#include "probe/tools/tool_symptom.h"
#include "probe/transcript/transcript.h"

namespace envdoctor {
namespace {

using enum SymptomClass;

bool asks_for_nothing(std::string_view value) {
  return value == "null" || value == "[]" || value == "<nil>" || value == "<no value>";
}

// "{{.HostConfig.Runtime}} {{json .HostConfig.DeviceRequests}}": the fields that the template prints, and an expression
// for what it prints.
void inspected_container(const AskedCommand& asked, Snapshot& snapshot) {
  static const LazyRegex command(R"re((?:docker|podman|nerdctl)(?: container)? inspect .*(?:-f|--format)[ =])re"
                                 R"re((?:'([^']+)'|"([^"]+)"|(\S+)).*)re",
                                 RE2::Latin1);
  static const LazyRegex place(R"(([^{]*)\{\{ *(?:json +|println +)?([^{}]*?) *\}\})", RE2::Latin1);
  std::string single, quoted, bare;
  if (!contains(asked.typed, "DeviceRequests") || asked.answers.size() != 1 ||
      !RE2::FullMatch(piece_of(asked.typed), command, &single, &quoted, &bare))
    return;
  const std::string form = single + quoted + bare;
  std::string expression, words, field;
  std::vector<std::string> fields;
  re2::StringPiece rest = piece_of(form);
  while (fields.size() < 8 && RE2::Consume(&rest, place, &words, &field)) {
    expression += RE2::QuoteMeta(words) + "(.*?)";
    fields.push_back(field.substr(field.rfind('.') + 1));
  }
  expression += RE2::QuoteMeta(rest);
  const RE2 printed(expression, RE2::Latin1);
  std::vector<std::string> values(fields.size());
  std::vector<RE2::Arg> arguments;
  std::vector<const RE2::Arg*> pointers;
  for (std::string& value : values) arguments.emplace_back(&value);
  for (const RE2::Arg& argument : arguments) pointers.push_back(&argument);
  const std::string_view line = asked.answers.front();
  if (line.size() > 1000 ||
      !RE2::FullMatchN(piece_of(line), printed, pointers.data(), static_cast<int>(pointers.size())))
    return;
  bool none = false, otherwise = false;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i] == "DeviceRequests") none = asks_for_nothing(values[i]);
    if (fields[i] == "Devices") otherwise = otherwise || contains(values[i], "/dev/");
    if (fields[i] == "Runtime") otherwise = otherwise || contains(values[i], "nvidia");
    if (fields[i] == "Privileged") otherwise = otherwise || values[i] == "true";
  }
  if (none && !otherwise) add_symptom(snapshot, {missing, "device-request-of-container"}, asked.row, line);
}

// {"limits":{"cpu":"8"},"requests":{"cpu":"8"}} of a pod's container: no key of a GPU among them.
void pod_resources(const AskedCommand& asked, Snapshot& snapshot) {
  static const LazyRegex command(
      R"((?:kubectl|oc|k) (?:-n \S+ )?get (?:pods?|po)\b.*-o ?[ =]?["']?jsonpath=.*\.resources.*)", RE2::Latin1);
  if (!contains(asked.typed, ".resources") || asked.answers.size() != 1 ||
      !RE2::FullMatch(piece_of(asked.typed), command))
    return;
  const std::string_view line = asked.answers.front();
  const bool object = line == "{}" || line.starts_with("{\"") || line.starts_with("map[");
  if (object && line.size() < 1000 && !contains(line, "gpu") && !contains(line, ".com/"))
    add_symptom(snapshot, {missing, "gpu-limit-of-pod"}, asked.row, line);
}

// The block "resources:" of a pod's containers in YAML. grep may cut it: its limits are whole where the requests
// follow.
void pod_in_yaml(const AskedCommand& asked, Snapshot& snapshot) {
  static const LazyRegex command(R"((?:kubectl|oc|k) (?:-n \S+ )?get (?:pods?|po)\b.*-o ?[ =]?yaml\b.*)", RE2::Latin1);
  static const LazyRegex resource(R"((?:cpu|memory|ephemeral-storage|hugepages-\w+): \S+)", RE2::Latin1);
  if (!contains(asked.typed, "yaml") || !RE2::FullMatch(piece_of(asked.typed), command)) return;
  std::string_view block;
  std::size_t row = 0;
  bool limits = false, whole = false;
  for (const std::string_view line : asked.answers) {
    if (line.starts_with("resources:"))
      block = line, row = asked.row, limits = line.ends_with("{}"), whole = whole || limits;
    if (contains(line, ".com/") && contains(line, "gpu")) return;
    if (block.empty()) continue;
    if (line == "limits:") limits = true;
    if (line == "requests:") whole = whole || limits;
    if (line == "resources:" || line == "limits:" || line == "requests:" || RE2::FullMatch(piece_of(line), resource))
      continue;
    limits = false;
  }
  if (whole) add_symptom(snapshot, {missing, "gpu-limit-of-pod"}, row, block);
}

}  // namespace

bool starts_engine_answers(std::string_view line) { return line.size() < 2000 && shell_prompt(line) > 0; }

Snapshot parse_engine_answers(const std::string& text) {
  Snapshot snapshot;
  for (const AskedCommand& asked : asked_commands(text)) {
    inspected_container(asked, snapshot);
    pod_resources(asked, snapshot);
    pod_in_yaml(asked, snapshot);
  }
  return snapshot;
}

}  // namespace envdoctor
