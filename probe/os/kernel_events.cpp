#include "probe/os/kernel_events.h"

#include <algorithm>
#include <array>
#include <deque>

#include "host/files/kernel_queries.h"
#include "host/text.h"
#include "knowledge/lower_case.h"
#include "knowledge/wordings/wordings.h"
#include "probe/probes.h"

namespace envdoctor {
namespace {

constexpr std::size_t most_lines = 200;
constexpr std::size_t longest_line = std::size_t{16} * 1024;

// A line must contain one of these words before the patterns are tried, so most hosts never load that table.
constexpr std::array<std::string_view, 20> words = {
    "NVRM",     "nvidia", "Xid",         "nouveau",    "amdgpu",        "kfd",       "radeon",
    "i915",     "[drm]",  " xe ",        "BAR ",       "Bus E",         "OVMF",      "unsigned",
    "Lockdown", "signat", "unavailable", "ecure boot", "Out of memory", "fallen off"};

struct Line {
  std::int64_t number = 0;
  std::string_view text{};
};

bool is_about_gpus(std::string_view line) {
  return std::ranges::any_of(words, [&](std::string_view word) { return contains(line, word); });
}

std::deque<Line> lines_about_gpus(std::string_view text) {
  std::deque<Line> lines;
  std::int64_t number = 0;
  for (const auto whole : lines_of(text)) {
    ++number;
    const auto line = whole.substr(0, longest_line);
    if (contains(line, "Linux version ")) lines.clear();
    if (!is_about_gpus(line)) continue;
    lines.push_back({number, line});
    if (lines.size() > most_lines) lines.pop_front();
  }
  return lines;
}

// The kernel module omits the function: "0000:41:00".
std::string with_function(const std::string& printed) {
  std::string text = lower_case(printed);
  if (text.size() == 15) text = text.substr(4);  // an eight-digit domain
  if (text.find('.') == std::string::npos) text += ".0";
  return text;
}

void note_xid(const Symptom& event, std::vector<Xid>& xids) {
  const auto number = number_of(event.detail("code"));
  if (!number) return;
  const std::string gpu = event.detail("gpu");
  const Xid xid{.code = *number, .gpu = gpu.empty() ? Text(absent("the line names no GPU")) : Text(with_function(gpu))};
  if (std::ranges::find(xids, xid) == xids.end()) xids.push_back(xid);
}

}  // namespace

KernelEvents parse_kernel_log(std::string_view text) {
  KernelEvents found;
  for (const Line& line : lines_about_gpus(text)) {
    for (knowledge::LogMatch& match : knowledge::match_log_line(line.text)) {
      if (!match.program.empty()) continue;  // programs may write there too
      Symptom event{.class_ = match.class_,
                    .subject = match.subject,
                    .source = std::string("kernel"),
                    .line = line.number,
                    .details = match.details};
      if (!match.code.empty()) event.code = match.code;
      if (event.is({SymptomClass::noted, "xid"})) note_xid(event, found.xid);
      found.events.push_back(std::move(event));
    }
  }
  return found;
}

// The kernel's own log: read if this user may; otherwise no error.

namespace {

constexpr std::size_t file_limit = 16 << 20;
constexpr std::size_t tail = 1 << 20;

Reading<std::string> from_files(const Files& files, std::initializer_list<const char*> paths) {
  Reading<std::string> last = absent("no kernel log among the files");
  for (const char* path : paths) {
    const auto text = files.read(path, file_limit);
    if (text.get()) return text.get()->substr(text.get()->size() - std::min(text.get()->size(), tail));
    if (text.outcome() == Outcome::failed) last = text;
  }
  return last;
}

Reading<std::string> kernel_log(const Host& host) {
  if (!host.live) return from_files(host.files, {"/dev/kmsg", "/var/log/dmesg", "/var/log/kern.log"});
  const auto text = kernel_messages();
  const auto file = text.get() ? text : from_files(host.files, {"/var/log/dmesg", "/var/log/kern.log"});
  return file.get() ? file : text;
}

}  // namespace

void probe_kernel_log(Session& session) {
  const auto text = kernel_log(session.host);
  if (!text.get()) {
    ProbeStatus status{.status = std::string("failed")};
    status.error = ProbeError{.kind = std::string(text.outcome() == Outcome::absent ? "missing" : "denied"),
                              .message = text.why()};
    session.record("kernel-log", status);
    return;
  }
  KernelEvents events = parse_kernel_log(*text.get());
  Snapshot part;
  part.log = std::move(events.events);
  part.nvidia.fill().xid = std::move(events.xid);
  session.add(part);
}

}  // namespace envdoctor
