#pragma once
// The parts of the HTML page. Every text goes through pugixml, which quotes it; no HTML is concatenated by hand.
#include <pugixml.hpp>

#include "checks/engine/report.h"

namespace envdoctor::html {

using Node = pugi::xml_node;

// How much of a large report is shown, so that the page stays below 200 KB.
struct Limits {
  std::size_t stacks = 24, findings = 40, evidence = 12, kernels = 120, gpus = 16, text = 400;
};

// An element with a class (may be empty) and text (may be empty; truncated after `limit` bytes).
Node add(Node parent, const char* tag, std::string_view css = {}, std::string_view text = {}, std::size_t limit = 2000);
void set(Node node, const char* name, std::string_view value);
void set(Node node, const char* name, double value);

// SVG: a drawing that scales, with a description for screen readers.
Node add_drawing(Node parent, double width, double height, std::string_view description);
Node add_shape(Node svg, const char* tag, std::string_view css,
               std::initializer_list<std::pair<const char*, double>> place);
void add_text(Node svg, double x, double y, std::string_view css, std::string_view text, std::size_t limit = 80);
Node add_box(Node svg, double x, double y, double width, double height, std::string_view css);
void add_line(Node svg, double x1, double y1, double x2, double y2, std::string_view css);

void add_stacks(Node body, const Report& report, const Limits& limits);
void add_findings(Node body, const Report& report, const Limits& limits);
void add_model(Node body, const Report& report, const Limits& limits);
void add_kernels(Node body, const Report& report, const Limits& limits);
void add_topology(Node body, const Report& report, const Limits& limits);

extern const char* const style;

}  // namespace envdoctor::html
