// The ladder as a picture: a rail for each stack, its rungs as stations; behind a broken one the rail is dashed.
#include <fmt/format.h>

#include <algorithm>

#include "reports/html_page.h"

namespace envdoctor::html {
namespace {

constexpr double left = 96, step = 92, row = 46, top = 26;

const char* mark(RungState state) {
  switch (state) {
    case RungState::holds:
      return "✓";
    case RungState::broken:
      return "✕";
    case RungState::unknown:
      return "?";
    case RungState::not_applicable:
      return "–";
  }
  return "?";
}

std::string told(const Ladder& ladder) {
  std::string out = ladder.stack + ":";
  for (const RungResult& rung : ladder.rungs) out += fmt::format(" {} {},", text(rung.rung), text(rung.state));
  if (!out.empty()) out.pop_back();
  return out;
}

// GPUs whose ladders look alike are drawn once.
struct Group {
  std::vector<std::string> subjects{};
  std::vector<const Ladder*> ladders{};
  std::string told{}, name{};
};

std::vector<Group> groups_of(const std::vector<Ladder>& ladders) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < ladders.size();) {
    Group group{.subjects = {ladders[i].subject}, .name = ladders[i].name};
    for (const std::string subject = ladders[i].subject; i < ladders.size() && ladders[i].subject == subject; ++i) {
      group.ladders.push_back(&ladders[i]);
      group.told += told(ladders[i]) + ". ";
    }
    const auto same =
        std::ranges::find_if(groups, [&](const Group& g) { return g.name == group.name && g.told == group.told; });
    if (same == groups.end()) {
      groups.push_back(std::move(group));
    } else {
      same->subjects.push_back(group.subjects.front());
    }
  }
  return groups;
}

void draw(Node svg, const Ladder& ladder, double y) {
  add_text(svg, left - 40, y + 4, "end name", ladder.stack, 12);
  bool carries = true;
  for (std::size_t i = 0; i < ladder.rungs.size(); ++i) {
    const RungResult& rung = ladder.rungs[i];
    const double x = left + static_cast<double>(i) * step;
    carries = carries && rung.state != RungState::broken && rung.state != RungState::unknown;
    if (i + 1 < ladder.rungs.size()) {
      const RungState after = ladder.rungs[i + 1].state;
      const bool on = carries && after != RungState::unknown;
      add_line(svg, x, y, x + step, y, on ? "rail" : "rail off");
    }
  }
  for (std::size_t i = 0; i < ladder.rungs.size(); ++i) {
    const RungResult& rung = ladder.rungs[i];
    const double x = left + static_cast<double>(i) * step;
    Node station = add(svg, "circle", text(rung.state));
    set(station, "cx", x);
    set(station, "cy", y);
    set(station, "r", 10);
    add(station, "title", "",
        fmt::format("{}: {}{}{}", text(rung.rung), text(rung.state), rung.why.empty() ? "" : ", ", rung.why), 200);
    add_text(svg, x, y + 4, "mark", mark(rung.state));
  }
}

}  // namespace

void add_ladders(Node body, const Report& report, const Limits& limits) {
  if (report.ladders.empty()) return;
  Node section = add(body, "section");
  add(section, "h2", "", "From silicon to training");
  auto groups = groups_of(report.ladders);
  const std::size_t all = groups.size();
  if (groups.size() > limits.ladders) groups.resize(limits.ladders);
  for (const Group& group : groups) {
    std::string subjects;
    for (std::size_t i = 0; i < std::min<std::size_t>(group.subjects.size(), 16); ++i)
      subjects += (i ? ", " : "") + group.subjects[i];
    Node name = add(section, "h3", "",
                    fmt::format("{}{}", group.subjects.size() > 1 ? fmt::format("{} × ", group.subjects.size()) : "",
                                group.name.empty() ? "GPU" : group.name),
                    160);
    add(name, "span", "dim", " " + subjects, 400);
    const double width = left + 9 * step - 30, height = top + row * static_cast<double>(group.ladders.size());
    Node svg = add_drawing(section, width, height, group.told);
    for (std::size_t i = 0; i < group.ladders.front()->rungs.size(); ++i)
      add_text(svg, left + static_cast<double>(i) * step, 12, "mid dim", text(group.ladders.front()->rungs[i].rung));
    for (std::size_t i = 0; i < group.ladders.size(); ++i)
      draw(svg, *group.ladders[i], top + row / 2 + row * static_cast<double>(i) - 6);
  }
  if (all > groups.size()) add(section, "p", "dim", fmt::format("and {} more GPUs", all - groups.size()));
  add(section, "p", "dim", "✓ holds, ✕ broken, ? not known, – does not apply");
}

}  // namespace envdoctor::html
