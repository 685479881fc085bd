// JUnit XML: a case per layer and GPU, per diagnosis, per layer of a model, per kernel, per expectation, and one for
// the verdict, so that what is unknown but needed turns the suite red as well.
#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>
#include <sstream>

#include "checks/compute/layer_bounds.h"
#include "evidence/lines.h"
#include "reports/reports.h"
#include "reports/summary.h"
#include "reports/text/kernel_tables.h"

namespace envdoctor {
namespace {

using Node = pugi::xml_node;

void set(Node node, const char* name, std::string_view value) {
  node.append_attribute(name).set_value(clean(value).c_str());
}

Node add_suite(Node root, std::string_view name) {
  Node suite = root.append_child("testsuite");
  set(suite, "name", name);
  return suite;
}

Node add_case(Node suite, std::string_view class_name, std::string_view name) {
  Node test = suite.append_child("testcase");
  set(test, "classname", class_name);
  set(test, "name", name);
  return test;
}

// The result of a case: "failure", "error" or "skipped".
void end(Node test, const char* kind, std::string_view type, std::string_view message, const std::string& body = {}) {
  Node node = test.append_child(kind);
  if (std::string_view(kind) != "skipped") set(node, "type", type);
  set(node, "message", message);
  if (!body.empty()) node.text().set(clean_lines(body).c_str());
}

std::string details(const Finding& finding) {
  std::string body = finding.explanation + "\n";
  for (const Evidence& e : finding.evidence) body += "evidence: " + place_of(e) + " = " + e.value + "\n";
  for (const Fix& fix : finding.fix)
    body += "fix: " + fix.text + (fix.command.empty() ? "" : "\n  $ " + fix.command) + "\n";
  for (const std::string& cause : finding.caused_by) body += "caused by: " + cause + "\n";
  return body;
}

void add_verdict(Node root, const Report& report) {
  Node test = add_case(add_suite(root, "verdict"), "envdoctor",
                       report.options.of_model ? "the model computes the same" : "the GPU will be used");
  if (report.verdict == Verdict::fail) end(test, "failure", "fail", report.verdict_why);
  if (report.verdict == Verdict::incomplete) end(test, "error", "incomplete", report.verdict_why);
}

void add_stacks(Node root, const Report& report) {
  for (const GpuStack& gpu_stack : report.stacks) {
    const std::string name = fmt::format("{} {}", gpu_stack.subject, gpu_stack.stack);
    Node suite = add_suite(root, "stack " + name);
    for (const LayerResult& layer : gpu_stack.layers) {
      Node test = add_case(suite, name, text(layer.layer));
      if (layer.state == LayerState::broken) end(test, "failure", "broken", layer.why);
      if (layer.state == LayerState::unknown) end(test, "skipped", "", "unknown: " + layer.why);
      if (layer.state == LayerState::not_applicable) end(test, "skipped", "", "not applicable: " + layer.why);
    }
  }
}

void add_checks(Node root, const Report& report) {
  Node suite = add_suite(root, "diagnoses");
  for (const CheckResult& check : report.checks) {
    if (check.state == CheckState::failed) continue;
    Node test = add_case(suite, check.id, "host");
    if (check.state == CheckState::unknown) end(test, "skipped", "", "unknown: " + check.why);
    if (check.state == CheckState::not_applicable) end(test, "skipped", "", "not applicable: " + check.why);
  }
  for (const Finding& finding : report.findings) {
    Node test = add_case(suite, finding.id, finding.subject);
    if (finding.severity == Severity::error) {
      end(test, "failure", fmt::format("error, {}", text(finding.confidence)), finding.title, details(finding));
    } else {
      test.append_child("system-out")
          .text()
          .set(clean_lines(fmt::format("{}: {}\n{}", text(finding.severity), finding.title, details(finding))).c_str());
    }
  }
  for (const Waived& waived : report.waived) {
    end(add_case(suite, waived.finding.id, waived.finding.subject), "skipped", "",
        fmt::format("waived until {}: {}", waived.waiver.last_day, waived.waiver.reason));
  }
}

// A case per call of a layer. A layer fails with the layers inside it, but only faults that no inner layer explains are
// named.
void add_model(Node root, const Report& report) {
  const ModelAgreement* model = report.snapshot.agree.get();
  if (!model || model->layers.or_empty().empty()) return;
  Node suite = add_suite(root, "model " + model->model.or_empty());
  const std::vector<std::size_t> faulty = compute::faulty_layers(*model);
  const auto& layers = model->layers.or_empty();
  for (std::size_t i = 0; i < layers.size(); ++i) {
    Node test = add_case(suite, layers[i].kind.or_empty(), layers[i].name.or_empty());
    const bool wrong = compute::is_error(compute::fault_of(*model, i));
    if (wrong && std::ranges::find(faulty, i) != faulty.end())
      end(test, "failure", "differs", layer_outcome(*model, i));
    else if (wrong)
      end(test, "skipped", "", "a layer inside it differs");
    else if (layers[i].not_compared.get())
      end(test, "error", "not compared", *layers[i].not_compared.get());
  }
}

// A case per kernel and device, with its result.
void add_kernels(Node root, const Report& report) {
  const auto& results = report.snapshot.compute.or_empty();
  const auto& missing = report.snapshot.compute_not_run.or_empty();
  if (results.empty() && missing.empty()) return;
  Node suite = add_suite(root, "kernels");
  const auto word = [](const Text& text) { return text.value_or("?"); };
  for (const ComputeResult& result : results) {
    const Agreement* agreement = result.agreement.get();
    if (!agreement) continue;  // timed only
    Node test = add_case(suite, word(result.device), problem_name(result));
    const std::string outcome = word(agreement->outcome);
    if (outcome == "outside") {
      end(test, "failure", "outside its bound", agreement->pattern.value_or("outside its bound"));
    } else if (outcome != "same-bits" && outcome != "within-bound") {
      end(test, "error", "not judged", outcome);
    }
  }
  for (const ComputeNotRun& row : missing)
    end(add_case(suite, word(row.device), word(row.kernel) + " " + word(row.precision)), "skipped", "",
        "not run: " + word(row.why));
}

void add_expectations(Node root, const Report& report) {
  if (report.expected.empty()) return;
  Node suite = add_suite(root, "expectations");
  for (const Expected& expected : report.expected) {
    Node test = add_case(suite, "expect", expected.wanted.key + " = " + expected.wanted.value);
    if (expected.met == Met::no) end(test, "failure", "not met", expected.explanation);
    if (expected.met == Met::unknown) end(test, "error", "not checked", expected.explanation);
  }
}

void count(Node node) {
  for (const auto& [name, cases] : {std::pair("tests", ".//testcase"), std::pair("failures", ".//failure"),
                                    std::pair("errors", ".//error"), std::pair("skipped", ".//skipped")})
    node.append_attribute(name) = static_cast<unsigned>(node.select_nodes(cases).size());
}

}  // namespace

std::string render_junit(const Report& report, const ReportStyle&) {
  pugi::xml_document document;
  Node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  Node root = document.append_child("testsuites");
  set(root, "name", "envdoctor");
  add_verdict(root, report);
  add_stacks(root, report);
  add_checks(root, report);
  add_model(root, report);
  add_kernels(root, report);
  add_expectations(root, report);
  for (Node suite : root.children("testsuite")) count(suite);
  count(root);
  std::ostringstream out;
  document.save(out, "  ");
  return out.str();
}

}  // namespace envdoctor
