// The report for people: verdict, ladders, findings with the root first, then what else was seen.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "checks/gpus.h"
#include "reports/arithmetic.h"
#include "reports/crossover.h"
#include "reports/lines.h"
#include "reports/reports.h"
#include "reports/speed.h"
#include "reports/summary.h"

namespace envdoctor {
namespace {

Color color_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return Color::green;
    case Verdict::fail:
      return Color::red;
    case Verdict::warn:
    case Verdict::incomplete:
      return Color::yellow;
  }
  return Color::plain;
}

Color color_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return Color::red;
    case Severity::warning:
      return Color::yellow;
    case Severity::info:
      return Color::dim;
  }
  return Color::plain;
}

std::string upper(std::string_view word) {
  std::string text(word);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// The label stands out, the text behind it is wrapped under itself.
std::string painted_wrap(const std::string& label, std::string_view text, Color color, bool on) {
  std::string out = wrap(label, text);
  const auto word = label.find_first_not_of(' ');
  if (word == label.npos) return out;
  const auto end = label.find_last_not_of(' ') + 1;
  return out.substr(0, word) + paint(out.substr(word, end - word), color, on) + out.substr(end);
}

char mark(RungState state) {
  switch (state) {
    case RungState::holds:
      return '+';
    case RungState::broken:
      return 'x';
    case RungState::unknown:
      return '?';
    case RungState::not_applicable:
      return '-';
  }
  return '?';
}

std::string ladder_line(const Ladder& ladder) {
  std::string rungs;
  for (const RungResult& rung : ladder.rungs) rungs += fmt::format("{}{} ", mark(rung.state), text(rung.rung));
  std::string out = wrap(fmt::format("    {:<11}", ladder.stack), rungs);
  const RungResult* broken = ladder.first_broken();
  if (broken) out += wrap("               ", fmt::format("broken at {}: {}", text(broken->rung), broken->why));
  return out;
}

bool granted(const Ladder& ladder) {
  return std::ranges::none_of(ladder.rungs, [](const RungResult& r) { return r.why == "not granted here"; });
}

// GPUs of one name whose ladders look alike are told once.
std::string ladders_text(const std::vector<Ladder>& ladders) {
  struct Group {
    std::vector<std::string> subjects{};
    std::string name{};
    std::string lines{};
    bool given = true;
  };
  std::vector<Group> groups;
  for (std::size_t i = 0; i < ladders.size();) {
    Group group{.subjects = {ladders[i].subject}, .name = ladders[i].name, .given = granted(ladders[i])};
    for (const std::string subject = ladders[i].subject; i < ladders.size() && ladders[i].subject == subject; ++i)
      group.lines += ladder_line(ladders[i]);
    const auto same =
        std::ranges::find_if(groups, [&](const Group& g) { return g.name == group.name && g.lines == group.lines; });
    if (same == groups.end()) {
      groups.push_back(std::move(group));
    } else {
      same->subjects.push_back(group.subjects.front());
    }
  }
  std::string out;
  for (const Group& group : groups) {
    const std::string count = group.subjects.size() > 1 ? fmt::format("{} x ", group.subjects.size()) : "";
    std::string subjects;
    for (const std::string& subject : group.subjects)
      subjects += (subjects.empty() ? "" : ", ") + (subject.starts_with("gpu:") ? subject.substr(4) : subject);
    out += wrap("  ", fmt::format("{}{}{} ({})", count, group.name.empty() ? "GPU" : group.name,
                                  group.given ? "" : ", not granted here", subjects));
    if (group.given) out += group.lines;
  }
  return out;
}

std::string evidence_text(const Evidence& evidence) {
  if (!evidence.source.empty()) return fmt::format("{}:{}  {}", evidence.source, evidence.line, evidence.value);
  return evidence.path + " = " + (evidence.value.empty() ? "\"\"" : evidence.value);
}

std::string finding_text(const Finding& finding, const std::vector<Finding>& all, const ReportStyle& style) {
  std::string out = painted_wrap(fmt::format("{:<8}", upper(text(finding.severity))), finding.title,
                                 color_of(finding.severity), style.color);
  out += wrap("        ", fmt::format("{}, {}, {}", finding.id, finding.subject, text(finding.confidence)));
  const auto part = [&](std::string_view label, const std::string& text) {
    out += painted_wrap(fmt::format("  {:<6}", label), text, Color::bold, style.color);
  };
  if (!finding.explanation.empty()) part("why", finding.explanation);
  std::string_view label = "seen";
  const std::size_t shown = style.verbose ? finding.evidence.size() : std::min<std::size_t>(finding.evidence.size(), 4);
  for (std::size_t i = 0; i < shown; ++i, label = " ") part(label, evidence_text(finding.evidence[i]));
  if (shown < finding.evidence.size()) part(" ", fmt::format("and {} more (-v)", finding.evidence.size() - shown));
  label = "fix";
  for (const Fix& fix : finding.fix) {
    part(label, fix.text);
    if (!fix.command.empty()) out += fmt::format("        $ {}\n", printable(fix.command));
    label = " ";
  }
  label = "hence";
  std::set<std::string> told;
  for (const Finding& other : all) {
    if (std::ranges::find(other.caused_by, finding.id) == other.caused_by.end()) continue;
    const std::string consequence = fmt::format("{} ({})", other.title, other.id);
    if (!told.insert(consequence).second) continue;
    part(label, consequence);
    label = " ";
  }
  return out;
}

std::string states_text(const Report& report, bool verbose) {
  const auto count = [&](CheckState state) { return std::ranges::count(report.checks, state, &CheckResult::state); };
  std::string out = wrap("", fmt::format("{} diagnoses checked: {} found, {} sound, {} unknown, {} not applicable",
                                         report.checks.size(), count(CheckState::found), count(CheckState::sound),
                                         count(CheckState::unknown), count(CheckState::not_applicable)));
  if (!verbose) return out;
  for (const CheckResult& check : report.checks) {
    if (check.state == CheckState::unknown) out += wrap("  ?     ", check.id + ": " + check.why);
  }
  if (const auto* probes = report.snapshot.probes.get()) {
    for (const auto& [name, probe] : *probes) {
      const auto* ms = probe.duration_ms.get();
      const auto* error = probe.error.get();
      out += wrap("  probe ", fmt::format("{:<14}{:>6}  {}{}", name, ms ? fmt::format("{} ms", *ms) : "-",
                                          probe.status.get() ? *probe.status.get() : "?",
                                          error && error->message.get() ? ": " + *error->message.get() : ""));
    }
  }
  return out;
}

}  // namespace

std::string render_text(const Report& report, const ReportStyle& style) {
  std::string out = painted_wrap(fmt::format("{:<12}", upper(text(report.verdict))), report.verdict_why,
                                 color_of(report.verdict), style.color);
  if (const std::string summary = host_summary(report.snapshot); !summary.empty()) out += "\n" + summary;
  if (!report.ladders.empty()) {
    out += "\n" + paint("GPUs", Color::bold, style.color) + "  (+ holds, x broken, ? not known, - does not apply)\n";
    out += ladders_text(report.ladders);
  }
  if (const std::string speed = speed_text(report.snapshot); !speed.empty())
    out += "\n" + paint("Speed", Color::bold, style.color) + "\n" + speed;
  if (const std::string crossover = crossover_text(report.snapshot); !crossover.empty())
    out += "\n" + paint("Faster than this host's CPU", Color::bold, style.color) + "\n" + crossover;
  if (const std::string arithmetic = arithmetic_text(report.snapshot); !arithmetic.empty())
    out += "\n" + paint("Arithmetic", Color::bold, style.color) + "\n" + arithmetic;
  std::string notes;
  for (const Finding& finding : report.findings) {
    if (finding.severity == Severity::info && !style.verbose) {
      if (finding.root)
        notes += wrap("note    ", fmt::format("{} ({}, {})", finding.title, finding.id, finding.subject));
    } else if (finding.root || style.verbose) {
      out += "\n" + finding_text(finding, report.findings, style);
    }
  }
  for (const Waived& waived : report.waived)
    notes += wrap("waived  ", fmt::format("{} ({}, {}) until {}: {}", waived.finding.title, waived.finding.id,
                                          waived.finding.subject, waived.waiver.last_day, waived.waiver.reason));
  if (!notes.empty()) out += "\n" + notes;
  return out + "\n" + states_text(report, style.verbose);
}

}  // namespace envdoctor
