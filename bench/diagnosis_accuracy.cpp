// How often the diagnosis is right on the cases of fixtures/cases: counts the first and the first three
// roots, and any certain or likely finding where nothing is wrong.
//   bench_diagnosis FOLDER [NOTED]   with NOTED, a file of figures, fails if a figure is worse than recorded there;
//                                    UPDATE_GOLDEN=1 rewrites them
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "checks/engine/report.h"
#include "evidence/json.h"
#include "evidence/merge.h"
#include "probe/paste/log_reader.h"

namespace {

struct Case {
  std::string file{}, name{}, cause{}, snapshot{}, log{};
  std::vector<std::string> wrong{};  // ids that must not be claimed
};

// "=== name", lines of "key: value", "---", then the log up to the next case.
std::vector<Case> read_cases(const std::filesystem::path& path) {
  std::vector<Case> cases;
  std::ifstream file(path);
  bool in_log = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("=== ")) {
      cases.push_back({.file = path.stem().string(), .name = line.substr(4)});
      in_log = false;
    } else if (cases.empty()) {
      throw std::runtime_error(path.string() + ": text before the first case");
    } else if (in_log) {
      cases.back().log += line + "\n";
    } else if (line == "---") {
      in_log = true;
    } else if (line.starts_with("cause: ")) {
      cases.back().cause = line.substr(7);
    } else if (line.starts_with("snapshot: ")) {
      cases.back().snapshot = line.substr(10);
    } else if (line.starts_with("not: ")) {
      std::stringstream ids(line.substr(5));
      for (std::string id; ids >> id;) cases.back().wrong.push_back(id.substr(0, id.find(',')));
    } else {
      throw std::runtime_error(path.string() + ": what is this: " + line);
    }
  }
  return cases;
}

envdoctor::Report diagnose(const Case& one) {
  envdoctor::Snapshot snapshot;
  if (!one.snapshot.empty())
    snapshot =
        envdoctor::snapshot_from_json("{\"schema\": \"envdoctor.snapshot/1\", " + one.snapshot.substr(1), one.name);
  fill_in(snapshot, envdoctor::read_log(one.log, one.name));
  return judge(snapshot, {.from_files = true});
}

struct Figures {
  int cases = 0, top1 = 0, top3 = 0, quiet = 0, quiet_kept = 0, alarms = 0;
};

bool is_loud(const envdoctor::Finding& f) {
  return f.severity != envdoctor::Severity::info && f.confidence != envdoctor::Confidence::possible;
}

void count(const Case& one, Figures& figures, std::map<std::string, Figures>& families) {
  const envdoctor::Report report = diagnose(one);
  std::vector<std::string> roots, loud;
  for (const envdoctor::Finding& f : report.findings) {
    if (f.root && f.severity != envdoctor::Severity::info) roots.push_back(f.id);
    if (is_loud(f)) loud.push_back(f.id);
  }
  const bool quiet = one.cause == "healthy" || one.cause == "benign.message";
  if (quiet) {
    const bool benign_reported = one.cause == "healthy" || std::ranges::any_of(report.findings, [](const auto& f) {
                                   return f.id == "benign.message";
                                 });
    ++figures.quiet;
    figures.quiet_kept += loud.empty() && benign_reported;
    figures.alarms += !loud.empty();
    if (!loud.empty() || !benign_reported)
      fmt::print("{}: {}: not quiet: {}\n", one.file, one.name,
                 loud.empty() ? "benign line not reported" : loud.front());
    return;
  }
  Figures& family = families[one.cause.substr(0, one.cause.find('.'))];
  const auto at = std::ranges::find(roots, one.cause) - roots.begin();
  for (Figures* f : {&figures, &family}) {
    ++f->cases;
    f->top1 += !roots.empty() && at == 0;
    f->top3 += at < 3 && at < static_cast<std::ptrdiff_t>(roots.size());
  }
  const bool alarm = std::ranges::any_of(one.wrong, [&](const auto& id) { return std::ranges::count(loud, id) > 0; });
  figures.alarms += alarm;
  if (at != 0 || roots.empty() || alarm)
    fmt::print("{}: {}: {} expected, {} first{}\n", one.file, one.name, one.cause,
               roots.empty() ? "nothing" : roots.front(), alarm ? ", and a false alarm" : "");
}

// "top1 151" per line. Returns how many figures are worse.
int compare(const std::map<std::string, int>& figures, const std::string& path) {
  if (const char* update = std::getenv("UPDATE_GOLDEN"); update && std::string(update) == "1") {
    std::ofstream file(path);
    for (const auto& [name, value] : figures) file << name << " " << value << "\n";
    return 0;
  }
  std::ifstream file(path);
  int worse = 0, value = 0, seen = 0;
  for (std::string name; file >> name >> value; ++seen) {
    const bool less_is_worse = name != "alarms";
    const int now = figures.contains(name) ? figures.at(name) : 0;
    if (less_is_worse ? now >= value : now <= value) continue;
    fmt::print("{}: {} now, {} noted in {}\n", name, now, value, path);
    ++worse;
  }
  return seen == 0 ? 1 : worse;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) return fmt::print(stderr, "usage: bench_diagnosis FOLDER [NOTED]\n"), 2;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    if (entry.path().extension() == ".txt") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  Figures all;
  std::map<std::string, Figures> families;
  for (const auto& path : paths) {
    for (const Case& one : read_cases(path)) count(one, all, families);
  }
  fmt::print("\nfamily        cases  top1  top3\n");
  for (const auto& [name, f] : families) fmt::print("{:<13} {:5} {:5} {:5}\n", name, f.cases, f.top1, f.top3);
  const auto percent = [](int part, int whole) { return whole ? 100.0 * part / whole : 0.0; };
  fmt::print("\ntop1 {}/{} ({:.1f} %)  top3 {}/{} ({:.1f} %)  quiet {}/{}  alarms {}\n", all.top1, all.cases,
             percent(all.top1, all.cases), all.top3, all.cases, percent(all.top3, all.cases), all.quiet_kept, all.quiet,
             all.alarms);
  if (argc < 3) return 0;
  return compare({{"alarms", all.alarms},
                  {"cases", all.cases + all.quiet},
                  {"quiet", all.quiet_kept},
                  {"top1", all.top1},
                  {"top3", all.top3}},
                 argv[2]) == 0
             ? 0
             : 1;
} catch (const std::exception& error) {
  std::cerr << "bench_diagnosis: " << error.what() << "\n";
  return 2;
}
