// One self-contained page: no script, no network, light and dark, printable.
#include "reports/html/html_page.h"

#include <fmt/format.h>

#include <sstream>

#include "evidence/lines.h"
#include "reports/reports.h"
#include "reports/summary.h"

namespace envdoctor {
namespace html {

void set(Node node, const char* name, std::string_view value) {
  node.append_attribute(name).set_value(clean(value).c_str());
}
void set(Node node, const char* name, double value) { set(node, name, fmt::format("{:.5g}", value)); }

Node add(Node parent, const char* tag, std::string_view css, std::string_view text, std::size_t limit) {
  Node node = parent.append_child(tag);
  if (!css.empty()) set(node, "class", css);
  if (!text.empty()) node.text().set(shortened(clean(text), limit).c_str());
  return node;
}

Node add_drawing(Node parent, double width, double height, std::string_view description) {
  Node svg = add(add(parent, "div", "drawing"), "svg");
  set(svg, "viewBox", fmt::format("0 0 {:.5g} {:.5g}", width, height));
  set(svg, "width", width);
  set(svg, "role", "img");
  set(svg, "aria-label", shortened(std::string(description), 400));
  return svg;
}

Node add_shape(Node svg, const char* tag, std::string_view css,
               std::initializer_list<std::pair<const char*, double>> place) {
  Node node = add(svg, tag, css);
  for (const auto& [name, value] : place) set(node, name, value);
  return node;
}

void add_text(Node svg, double x, double y, std::string_view css, std::string_view text, std::size_t limit) {
  Node node = add_shape(svg, "text", css, {{"x", x}, {"y", y}});
  node.text().set(shortened(clean(text), limit).c_str());
}

Node add_box(Node svg, double x, double y, double width, double height, std::string_view css) {
  return add_shape(svg, "rect", css, {{"x", x}, {"y", y}, {"width", width}, {"height", height}, {"rx", 3}});
}

void add_line(Node svg, double x1, double y1, double x2, double y2, std::string_view css) {
  add_shape(svg, "line", css, {{"x1", x1}, {"y1", y1}, {"x2", x2}, {"y2", y2}});
}

namespace {

void add_meta(Node head, const char* kind, const char* name, const char* content) {
  Node meta = add(head, "meta");
  set(meta, kind, name);
  set(meta, "content", content);
}

void add_head(Node page, const Report& report) {
  Node head = page.append_child("head");
  set(add(head, "meta"), "charset", "utf-8");
  add_meta(head, "http-equiv", "Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
  add_meta(head, "name", "viewport", "width=device-width, initial-scale=1");
  add(head, "title", "", fmt::format("envdoctor: {}", text(report.verdict)));
  add(head, "style").text().set(style);
}

void add_summary(Node body, const Report& report) {
  Node header = add(body, "header");
  Node line = add(header, "h1");
  add(line, "span", fmt::format("badge {}", text(report.verdict)), text(report.verdict));
  add(line, "span", "", " " + report.verdict_why, 300);
  std::istringstream rows(host_summary(report.snapshot));
  Node list = add(header, "pre", "host");
  std::string shown;
  for (std::string row; std::getline(rows, row) && shown.size() < 3000;) shown += shortened(clean(row), 400) + "\n";
  list.text().set(shown.c_str());
}

void add_expectations(Node body, const Report& report) {
  if (report.expected.empty()) return;
  Node section = add(body, "section");
  add(section, "h2", "", "Expectations");
  Node table = add(section, "table");
  for (const Expected& expected : report.expected) {
    Node row = add(table, "tr");
    add(row, "td", "", expected.met == Met::yes ? "✓ met" : expected.met == Met::no ? "✕ not met" : "? not checked");
    add(row, "td", "code", expected.wanted.key + " = " + expected.wanted.value, 200);
    add(row, "td", "", expected.explanation, 400);
  }
}

void add_undetermined(Node body, const Report& report, const Limits& limits) {
  if (!report.undetermined) return;
  const Undetermined& one = *report.undetermined;
  Node section = add(body, "section");
  add(section, "h2", "", no_known_cause(one));
  Node table = add(section, "table");
  const auto row = [&](const std::string& what, const std::string& text) {
    Node line = add(table, "tr");
    add(line, "td", "code", what, limits.text);
    add(line, "td", "", text, limits.text);
  };
  for (const Evidence& line : one.decisive) row(place_of(line), line.value);
  for (const std::string& words : excluded_words(one)) row("excluded", words);
  for (const std::string& fact : one.missing) row("missing", fact);
  row("next command", one.next_command);
}

void add_checks(Node body, const Report& report, const Limits& limits) {
  Node section = add(body, "section");
  Node all = add(section, "details");
  add(all, "summary", "", check_counts(report));
  Node table = add(all, "table");
  for (const CheckResult& check : report.checks) {
    if (check.state != CheckState::unknown) continue;
    Node row = add(table, "tr");
    add(row, "td", "code", check.id);
    add(row, "td", "", "unknown: " + check.why, limits.text);
  }
}

std::string page(const Report& report, const Limits& limits) {
  pugi::xml_document document;
  document.append_child(pugi::node_doctype).set_value("html");
  Node root = document.append_child("html");
  set(root, "lang", "en");
  add_head(root, report);
  Node body = root.append_child("body");
  add_summary(body, report);
  add_stacks(body, report, limits);
  add_findings(body, report, limits);
  add_undetermined(body, report, limits);
  add_expectations(body, report);
  add_model(body, report, limits);
  add_kernels(body, report, limits);
  add_topology(body, report, limits);
  add_checks(body, report, limits);
  const std::string when = report.snapshot.captured.or_empty().at.value_or("an unknown time");
  add(body, "footer", "", fmt::format("envdoctor {}, evidence captured at {}", report.options.tool_version, when), 200);
  std::ostringstream out;
  document.save(out, "", pugi::format_raw | pugi::format_no_declaration | pugi::format_no_empty_element_tags);
  return out.str() + "\n";
}

}  // namespace
}  // namespace html

std::string render_html(const Report& report, const ReportStyle&) {
  constexpr std::size_t size_limit = 200'000;
  std::string page = html::page(report, {});
  if (page.size() > size_limit) page = html::page(report, {.kernels = 60});
  if (page.size() > size_limit)
    page = html::page(report, {.stacks = 8, .findings = 12, .evidence = 4, .kernels = 16, .gpus = 8, .text = 120});
  return page;
}

}  // namespace envdoctor
