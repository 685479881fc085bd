// Prometheus text for node_exporter's textfile collector.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "evidence/lines.h"
#include "reports/reports.h"

namespace envdoctor {
namespace {

using Labels = std::vector<std::pair<const char*, std::string>>;

// Without control characters, JSON's quoting equals that of the exposition format.
std::string label_value(std::string_view text) { return nlohmann::json(clean(text)).dump(); }

std::string sample(std::string_view name, const Labels& labels, double value) {
  std::string inside;
  for (const auto& [label, text] : labels)
    inside += fmt::format("{}{}={}", inside.empty() ? "" : ",", label, label_value(text));
  return fmt::format("{}{} {}\n", name, inside.empty() ? "" : "{" + inside + "}", value);
}

std::string head(std::string_view name, std::string_view help) {
  return fmt::format("# HELP {} {}\n# TYPE {} gauge\n", name, help, name);
}

}  // namespace

std::string render_prometheus(const Report& report, const ReportStyle&) {
  std::string out = head("envdoctor_verdict", "1 for the verdict on this host, 0 for the others.");
  for (const Verdict verdict : {Verdict::pass, Verdict::warn, Verdict::fail, Verdict::incomplete})
    out += sample("envdoctor_verdict", {{"verdict", std::string(text(verdict))}}, report.verdict == verdict ? 1 : 0);

  if (!report.stacks.empty())
    out += head("envdoctor_layer", "State of a layer between the silicon and training; always 1.");
  for (const GpuStack& gpu_stack : report.stacks) {
    for (const LayerResult& layer : gpu_stack.layers)
      out += sample("envdoctor_layer",
                    {{"subject", gpu_stack.subject},
                     {"stack", gpu_stack.stack},
                     {"layer", std::string(text(layer.layer))},
                     {"state", std::string(text(layer.state))}},
                    1);
  }

  out += head("envdoctor_findings", "Number of findings.");
  for (const Severity severity : {Severity::error, Severity::warning, Severity::info})
    out += sample("envdoctor_findings", {{"severity", std::string(text(severity))}},
                  static_cast<double>(std::ranges::count(report.findings, severity, &Finding::severity)));
  if (!report.findings.empty() || !report.waived.empty())
    out += head("envdoctor_finding", "1 for each finding, 0 if it is waived.");
  const auto finding = [&](const Finding& f, bool waived) {
    out += sample("envdoctor_finding",
                  {{"id", f.id},
                   {"subject", f.subject},
                   {"severity", std::string(text(f.severity))},
                   {"confidence", std::string(text(f.confidence))},
                   {"root", f.root ? "true" : "false"}},
                  waived ? 0 : 1);
  };
  for (const Finding& f : report.findings) finding(f, false);
  for (const Waived& w : report.waived) finding(w.finding, true);

  std::string agrees, rates;
  std::set<std::string> seen;
  for (const ComputeResult& result : report.snapshot.compute.or_empty()) {
    const Labels labels = {{"device", result.device.value_or("?")},
                           {"kernel", result.kernel.value_or("?")},
                           {"precision", result.precision.value_or("?")},
                           {"size", full_size(result.size.or_empty())},
                           {"variant", result.variant.or_empty()}};
    if (!seen.insert(sample("", labels, 0)).second) continue;  // a collector refuses a duplicate series
    if (const auto* agreement = result.agreement.get(); agreement && agreement->outcome.get())
      agrees += sample("envdoctor_kernel_agrees", labels,
                       agreement->outcome.is("same-bits") || agreement->outcome.is("within-bound") ? 1 : 0);
    if (result.share_of_peak.get())
      rates += sample("envdoctor_kernel_share_of_peak", labels, *result.share_of_peak.get());
  }
  if (!agrees.empty()) out += head("envdoctor_kernel_agrees", "1 if the result is within its error bound.") + agrees;
  if (!rates.empty()) out += head("envdoctor_kernel_share_of_peak", "Rate divided by the peak of the device.") + rates;

  if (!report.expected.empty()) out += head("envdoctor_expectation_met", "1 if the host meets the expectation.");
  for (const Expected& e : report.expected)
    out += sample("envdoctor_expectation_met", {{"key", e.wanted.key}, {"value", e.wanted.value}},
                  e.met == Met::yes ? 1 : 0);
  return out;
}

}  // namespace envdoctor
