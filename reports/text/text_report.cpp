// The report for people: verdict, stacks, findings with the root first, then other observations.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "checks/facts/gpus.h"
#include "evidence/lines.h"
#include "reports/reports.h"
#include "reports/summary.h"
#include "reports/text/kernel_tables.h"

namespace envdoctor {
namespace {

Color color_of(Verdict verdict) {
  return verdict == Verdict::pass ? Color::green : verdict == Verdict::fail ? Color::red : Color::yellow;
}

Color color_of(Severity severity) {
  return severity == Severity::error ? Color::red : severity == Severity::warning ? Color::yellow : Color::dim;
}

std::string upper(std::string_view word) {
  std::string text(word);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// Highlights the label and wraps the text after it with a hanging indent.
std::string painted_wrap(const std::string& label, std::string_view text, Color color, bool on) {
  std::string out = wrap(label, text);
  const auto word = label.find_first_not_of(' ');
  if (word == label.npos) return out;
  const auto end = label.find_last_not_of(' ') + 1;
  return out.substr(0, word) + paint(out.substr(word, end - word), color, on) + out.substr(end);
}

constexpr Marks marks = {"+", "x", "?", "-"};

std::string stack_line(const GpuStack& gpu_stack) {
  std::string layers;
  for (const LayerResult& layer : gpu_stack.layers)
    layers += fmt::format("{}{} ", mark(layer.state, marks), text(layer.layer));
  std::string out = wrap(fmt::format("    {:<11}", gpu_stack.stack), layers);
  if (const LayerResult* broken = gpu_stack.first_broken())
    out += wrap("               ", fmt::format("broken at {}: {}", text(broken->layer), broken->why));
  return out;
}

bool granted(const GpuStack& gpu_stack) {
  return std::ranges::none_of(gpu_stack.layers, [](const LayerResult& r) { return r.why == "not granted here"; });
}

std::string stacks_text(const std::vector<GpuStack>& stacks) {
  std::string out;
  for (const GpuGroup& group : groups_of(stacks)) {
    const GpuStack& first = *group.stacks.front();
    const std::string count = group.subjects.size() > 1 ? fmt::format("{} x ", group.subjects.size()) : "";
    std::string subjects;
    for (const std::string& subject : group.subjects)
      subjects += (subjects.empty() ? "" : ", ") + (subject.starts_with("gpu:") ? subject.substr(4) : subject);
    out += wrap("  ", fmt::format("{}{}{} ({})", count, first.name.empty() ? "GPU" : first.name,
                                  granted(first) ? "" : ", not granted here", subjects));
    if (!granted(first)) continue;
    for (const GpuStack* gpu_stack : group.stacks) out += stack_line(*gpu_stack);
  }
  return out;
}

std::string evidence_text(const Evidence& evidence) {
  const std::string place = evidence.source.empty() ? "" : place_of(evidence) + "  ";
  if (evidence.path == "log") return place + evidence.value;
  return place + evidence.path + " = " + (evidence.value.empty() ? "\"\"" : evidence.value);
}

std::string finding_text(const Finding& finding, const std::vector<Finding>& all, const ReportStyle& style) {
  std::string out = painted_wrap(fmt::format("{:<8}", upper(text(finding.severity))), finding.title,
                                 color_of(finding.severity), style.color);
  out += wrap("        ", fmt::format("{}, {}, {}", finding.id, finding.subject, text(finding.confidence)));
  std::string_view label = "why";
  const auto part = [&](const std::string& text) {
    out += painted_wrap(fmt::format("  {:<6}", label), text, Color::bold, style.color);
    label = " ";
  };
  if (!finding.explanation.empty()) part(finding.explanation);
  label = "seen";
  const std::size_t shown = style.verbose ? finding.evidence.size() : std::min<std::size_t>(finding.evidence.size(), 4);
  for (std::size_t i = 0; i < shown; ++i) part(evidence_text(finding.evidence[i]));
  if (shown < finding.evidence.size()) part(fmt::format("and {} more (-v)", finding.evidence.size() - shown));
  label = "fix";
  for (const Fix& fix : finding.fix) {
    part(fix.text);
    if (!fix.command.empty()) out += fmt::format("        $ {}\n", printable(fix.command));
  }
  label = "hence";
  std::set<std::string> printed;
  for (const Finding* other : consequences_of(finding, all)) {
    const std::string consequence = fmt::format("{} ({})", other->title, other->id);
    if (printed.insert(consequence).second) part(consequence);
  }
  return out;
}

// What is known and what is not where no cause was found, in words.
std::string undetermined_text(const Undetermined& one, const ReportStyle& style) {
  std::string out = painted_wrap("        ", no_known_cause(one), Color::bold, style.color);
  std::string_view label = "seen";
  const auto part = [&](const std::string& text) {
    out += painted_wrap(fmt::format("  {:<9}", label), text, Color::bold, style.color);
    label = " ";
  };
  for (const Evidence& line : one.decisive) part(place_of(line) + "  " + line.value);
  label = "excluded";
  std::map<std::string, std::string> ruled_out;
  for (const std::string& id : one.excluded) {
    const auto dot = id.find('.');
    std::string& names = ruled_out[id.substr(0, dot)];
    names += (names.empty() ? "" : ", ") + id.substr(dot + 1);
  }
  for (const auto& [family, names] : ruled_out) part(family + ": " + names);
  label = "missing";
  for (const std::string& fact : one.missing) part(fact);
  label = "next";
  part("the command whose output would decide most:");
  return out + fmt::format("        $ {}\n", printable(one.next_command));
}

// Parts of the run that timed out, which explains why it took so long and reports so little.
std::string hung_text(const Snapshot& snapshot) {
  std::string out;
  for (const auto& [name, probe] : snapshot.probes.or_empty()) {
    const ProbeError error = probe.error.or_empty();
    if (error.kind.is("timeout"))
      out += wrap("note    ",
                  fmt::format("{} hung: {}", error.culprit.value_or(name), error.message.value_or("no answer")));
  }
  return out;
}

std::string states_text(const Report& report, bool verbose) {
  std::string out = wrap("", check_counts(report));
  if (!verbose) return out;
  for (const CheckResult& check : report.checks) {
    if (check.state == CheckState::unknown) out += wrap("  ?     ", check.id + ": " + check.why);
  }
  for (const auto& [name, probe] : report.snapshot.probes.or_empty()) {
    const auto* ms = probe.duration_ms.get();
    const Text message = probe.error.or_empty().message;
    out += wrap("  probe ", fmt::format("{:<14}{:>6}  {}{}", name, ms ? fmt::format("{} ms", *ms) : "-",
                                        probe.status.value_or("?"), message.get() ? ": " + *message.get() : ""));
  }
  return out;
}

}  // namespace

std::string render_text(const Report& report, const ReportStyle& style) {
  std::string out = painted_wrap(fmt::format("{:<12}", upper(text(report.verdict))), report.verdict_why,
                                 color_of(report.verdict), style.color);
  if (const std::string summary = host_summary(report.snapshot); !summary.empty()) out += "\n" + summary;
  if (!report.stacks.empty()) {
    out += "\n" + paint("GPUs", Color::bold, style.color) + "  (+ ok, x broken, ? unknown, - not applicable)\n";
    out += stacks_text(report.stacks);
  }
  std::string notes = hung_text(report.snapshot);
  for (const Finding& finding : report.findings) {
    if (finding.severity == Severity::info && !style.verbose) {
      if (finding.root)
        notes += wrap("note    ", fmt::format("{} ({}, {})", finding.title, finding.id, finding.subject));
    } else if (finding.root || style.verbose) {
      out += "\n" + finding_text(finding, report.findings, style);
    }
  }
  if (report.undetermined) out += "\n" + undetermined_text(*report.undetermined, style);
  for (const auto& [title, part] :
       {std::pair("Speed", speed_text(report.snapshot)),
        std::pair("Faster than this host's CPU", crossover_text(report.snapshot)),
        std::pair("Arithmetic", arithmetic_text(report.snapshot, style.verbose || style.arithmetic)),
        std::pair("Model", model_text(report.snapshot))})
    if (!part.empty()) out += "\n" + paint(title, Color::bold, style.color) + "\n" + part;
  for (const Contradiction& other : report.snapshot.contradictions.or_empty())
    notes += wrap("note    ", fmt::format("{}:{} says otherwise: {} = {}", other.source.or_empty(),
                                          other.line.or_empty(), other.path.or_empty(), other.value.or_empty()));
  for (const Waived& waived : report.waived)
    notes += wrap("waived  ", fmt::format("{} ({}, {}) until {}: {}", waived.finding.title, waived.finding.id,
                                          waived.finding.subject, waived.waiver.last_day, waived.waiver.reason));
  if (!notes.empty()) out += "\n" + notes;
  return out + "\n" + states_text(report, style.verbose);
}

}  // namespace envdoctor
