#include "probe/os/kernel_events.h"

#include <algorithm>
#include <array>
#include <deque>

#include "knowledge/wordings/wordings.h"
#include "probe/text.h"

namespace envdoctor {
namespace {

constexpr std::size_t most_lines = 200;
constexpr std::size_t longest_line = std::size_t{16} * 1024;

// Words of which a line must hold one before the patterns are tried: most hosts then never load that table.
constexpr std::array<std::string_view, 20> words = {
    "NVRM",     "nvidia", "Xid",         "nouveau",    "amdgpu",        "kfd",       "radeon",
    "i915",     "[drm]",  " xe ",        "BAR ",       "Bus E",         "OVMF",      "unsigned",
    "Lockdown", "signat", "unavailable", "ecure boot", "Out of memory", "fallen off"};

struct Line {
  std::int64_t number = 0;
  std::string_view text{};
};

bool is_wanted(std::string_view line) {
  return std::ranges::any_of(words, [&](std::string_view word) { return line.find(word) != std::string_view::npos; });
}

std::deque<Line> lines_about_gpus(std::string_view text) {
  std::deque<Line> lines;
  std::int64_t number = 0;
  for (const auto whole : lines_of(text)) {
    ++number;
    const auto line = whole.substr(0, longest_line);
    if (line.find("Linux version ") != std::string_view::npos) lines.clear();
    if (!is_wanted(line)) continue;
    lines.push_back({number, line});
    if (lines.size() > most_lines) lines.pop_front();
  }
  return lines;
}

// The kernel module leaves out the function: "0000:41:00".
std::string full_address(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c; });
  if (text.size() == 15) text = text.substr(4);  // an eight-digit domain
  if (text.find('.') == std::string::npos) text += ".0";
  return text;
}

void note_xid(const Symptom& event, std::vector<Xid>& xids) {
  const auto number = number_of(event.detail("code"));
  if (!number) return;
  const std::string gpu = event.detail("gpu");
  const Xid xid{.code = *number, .gpu = gpu.empty() ? Text(absent("the line names no GPU")) : Text(full_address(gpu))};
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

}  // namespace envdoctor
