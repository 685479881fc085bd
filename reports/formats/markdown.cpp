// Markdown for a pull request's comment or an issue: short enough for both, text from the host is always escaped.
#include <fmt/format.h>

#include <algorithm>

#include "evidence/lines.h"
#include "reports/reports.h"
#include "reports/summary.h"

namespace envdoctor {
namespace {

constexpr std::size_t size_limit = 60'000;  // GitHub takes 65 536 characters
constexpr std::size_t evidence_shown = 6;

constexpr std::size_t code_limit = 300, text_limit = 2000;

// The longest run of backticks: a fence must be longer.
std::size_t longest_run(std::string_view text) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

// Escapes text from the host: it must not become emphasis, a link, HTML, a mention or a heading.
std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : shortened(clean(text), text_limit)) {
    if (std::ispunct(static_cast<unsigned char>(c)) &&
        std::string_view(".,;:'()%/+=-").find(c) == std::string_view::npos)
      out += '\\';
    out += c;
    if (c == '@' || c == '#') out += "\u2060";  // a word joiner: nobody is mentioned, no issue is linked
  }
  return out;
}

// As a code span, truncated after 300 characters.
std::string markdown_code(std::string_view text) {
  std::string inside = shortened(clean(text), code_limit);
  // GitHub splits table cells at a bar even inside code.
  std::ranges::replace(inside, '|', '/');
  const std::string fence(longest_run(inside) + 1, '`');
  const bool pad = inside.empty() || inside.starts_with('`') || inside.ends_with('`');
  return fence + (pad ? " " : "") + inside + (pad ? " " : "") + fence;
}

// As a fenced block.
std::string markdown_block(std::string_view text, std::string_view language) {
  std::string inside = clean_lines(text);
  if (!inside.ends_with('\n')) inside += '\n';
  const std::string fence(std::max<std::size_t>(longest_run(inside) + 1, 3), '`');
  return fence + std::string(language) + "\n" + inside + fence + "\n";
}

constexpr Marks marks = {"✅", "❌", "❔", "–"};

const char* mark(Severity severity) {
  return severity == Severity::error ? "❌" : severity == Severity::warning ? "⚠️" : "ℹ️";
}

std::string stacks(const std::vector<GpuStack>& all) {
  if (all.empty()) return {};
  std::string out = "| GPU | stack |", line = "| --- | --- |";
  for (const LayerResult& layer : all.front().layers) {
    out += fmt::format(" {} |", text(layer.layer));
    line += " :-: |";
  }
  out += "\n" + line + "\n";
  for (const GpuStack& gpu_stack : all) {
    out +=
        fmt::format("| {} {} | {} |", markdown_text(gpu_stack.name), markdown_code(gpu_stack.subject), gpu_stack.stack);
    for (const LayerResult& layer : gpu_stack.layers) out += fmt::format(" {} |", mark(layer.state, marks));
    out += "\n";
  }
  return out + "\n✅ ok, ❌ broken, ❔ unknown, – not applicable\n\n";
}

std::string finding_text(const Finding& finding, const std::vector<Finding>& all) {
  std::string out = fmt::format("### {} {}\n\n{} on {}, {}\n\n", mark(finding.severity), markdown_text(finding.title),
                                markdown_code(finding.id), markdown_code(finding.subject), text(finding.confidence));
  if (!finding.explanation.empty()) out += markdown_text(finding.explanation) + "\n\n";
  for (std::size_t i = 0; i < std::min(finding.evidence.size(), evidence_shown); ++i) {
    const Evidence& e = finding.evidence[i];
    out += fmt::format("- {} {}\n", markdown_code(place_of(e)), markdown_code(e.value));
  }
  if (finding.evidence.size() > evidence_shown)
    out += fmt::format("- and {} more\n", finding.evidence.size() - evidence_shown);
  if (!finding.evidence.empty()) out += "\n";
  for (const Fix& fix : finding.fix) {
    out += fmt::format("**Fix:** {}\n\n", markdown_text(fix.text));
    if (!fix.command.empty()) out += markdown_block(fix.command, "sh") + "\n";
  }
  for (const Finding* other : consequences_of(finding, all))
    out += fmt::format("- hence: {} ({})\n", markdown_text(other->title), markdown_code(other->id));
  return out + "\n";
}

std::string undetermined_text(const Undetermined& one) {
  std::string out = "### " + markdown_text(no_known_cause(one)) + "\n\n";
  for (const Evidence& line : one.decisive)
    out += fmt::format("- {} {}\n", markdown_code(place_of(line)), markdown_code(line.value));
  for (const std::string& fact : one.missing) out += "- missing: " + markdown_text(fact) + "\n";
  if (!one.excluded.empty()) {
    out += "- excluded:";
    for (const std::string& id : one.excluded) out += " " + markdown_code(id);
    out += "\n";
  }
  return out + "\n**Next:** the command whose output would decide most\n\n" + markdown_block(one.next_command, "sh") +
         "\n";
}

}  // namespace

std::string render_markdown(const Report& report, const ReportStyle& style) {
  std::string verdict(text(report.verdict));
  std::ranges::transform(verdict, verdict.begin(), [](char c) { return static_cast<char>(c - 'a' + 'A'); });
  std::string out = fmt::format("## envdoctor: {}\n\n{}\n\n", verdict, markdown_text(report.verdict_why));
  out += stacks(report.stacks);
  std::string notes;
  std::size_t left_out = 0;
  for (const Finding& finding : report.findings) {
    if (!finding.root && !style.verbose) continue;
    if (finding.severity == Severity::info) {
      notes += fmt::format("- ℹ️ {} ({} on {})\n", markdown_text(finding.title), markdown_code(finding.id),
                           markdown_code(finding.subject));
      continue;
    }
    const std::string section = finding_text(finding, report.findings);
    if (out.size() + section.size() > size_limit / 2) {
      ++left_out;
    } else {
      out += section;
    }
  }
  if (report.undetermined) out += undetermined_text(*report.undetermined);
  if (left_out > 0) out += fmt::format("{} more findings are omitted.\n\n", left_out);
  for (const Contradiction& other : report.snapshot.contradictions.or_empty())
    notes += fmt::format("- {} says otherwise: {} = {}\n", markdown_code(other.source.or_empty()),
                         markdown_code(other.path.or_empty()), markdown_code(other.value.or_empty()));
  for (const Waived& waived : report.waived)
    notes += fmt::format("- waived until {}: {} ({} on {}): {}\n", waived.waiver.last_day,
                         markdown_text(waived.finding.title), markdown_code(waived.finding.id),
                         markdown_code(waived.finding.subject), markdown_text(waived.waiver.reason));
  if (notes.size() < size_limit / 4 && !notes.empty()) out += notes + "\n";
  const std::string summary = host_summary(report.snapshot);
  if (!summary.empty() && summary.size() < size_limit / 5)
    out += "<details><summary>This host</summary>\n\n" + markdown_block(summary, "text") + "\n</details>\n\n";
  return out + fmt::format("{} · envdoctor {}\n", check_counts(report), report.options.tool_version);
}

}  // namespace envdoctor
