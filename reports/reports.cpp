#include <algorithm>

#include "reports/reports.h"

namespace envdoctor {

const std::vector<Format>& all_formats() {
  static const std::vector<Format> formats = {
      {"text", ".txt", render_text},
      {"json", ".json", render_json},
      {"junit", ".xml", render_junit},
      {"sarif", ".sarif", render_sarif},
      {"markdown", ".md", render_markdown},
      {"html", ".html", render_html},
      {"prometheus", ".prom", render_prometheus},
      {"github", "", render_github},
      {"reason", "", render_reason},
      {"gitlab", "", render_gitlab},
      {"agent", "", render_agent},
  };
  return formats;
}

const Format* format_named(std::string_view name) {
  const auto found = std::ranges::find(all_formats(), name, &Format::name);
  return found == all_formats().end() ? nullptr : &*found;
}

const Format& format_for_file(std::string_view path) {
  const auto found =
      std::ranges::find_if(all_formats(), [&](const Format& f) { return *f.extension && path.ends_with(f.extension); });
  return found == all_formats().end() ? all_formats().front() : *found;
}

}  // namespace envdoctor
