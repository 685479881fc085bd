// pip list, freeze and show, uv pip, conda list and info.
#include <re2/re2.h>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"

namespace envdoctor {
namespace {

// A package's name and version in a line of such a list.
struct Row {
  std::string name{}, version{};
};

bool read_row(std::string_view line, const RE2& form, Row& row) {
  return RE2::FullMatch(line, form, &row.name, &row.version);
}

// "torch==2.4.1"; after uv's mark for installed or changed packages, not after its mark for removed ones.
bool read_requirement(std::string_view line, Row& row) {
  if (!contains(line, "==")) return false;
  static const LazyRegex form(R"(\s*(?:[+~] )?([\w.-]+)==\s*(\d[^][(){}:,;'"/\s]*)\s*)", RE2::Latin1);
  return read_row(line, form, row);
}

// A framework's package is the framework's own version as well.
void add(Snapshot& snapshot, const Row& row) {
  if (!snapshot.python.fill().packages.fill().emplace(row.name, row.version).second) return;
  if (row.name == "torch") snapshot.torch.fill().version = row.version;
}

// A conda package's build string names what it was built for: "py3.11_cuda12.1_cudnn8.9.2_0", "py3.11_cpu_0".
void add_build(Snapshot& snapshot, const Row& row, const std::string& build) {
  static const LazyRegex cuda(R"((?:^|_)cuda_?(\d{2})\.?(\d))", RE2::Latin1), cpu(R"((?:^|_)cpu(?:_|$))", RE2::Latin1);
  if (row.name != "pytorch" || snapshot.torch.or_empty().version.get()) return;
  Torch& torch = snapshot.torch.fill();
  torch.version = row.version;
  std::string major, minor;
  if (RE2::PartialMatch(build, cuda, &major, &minor))
    torch.cuda_version = major + "." + minor;
  else if (RE2::PartialMatch(build, cpu))
    torch.cuda_version = absent("conda's build " + build.substr(0, 80));
}

bool dashes(std::string_view text) {
  return text.size() >= 5 && text.find_first_not_of("- ") == std::string_view::npos;
}

}  // namespace

bool starts_pip_freeze(std::string_view line) {
  Row row;
  return read_requirement(line, row);
}

Snapshot parse_pip_freeze(const std::string& text) {
  Snapshot snapshot;
  Row row;
  for (const std::string_view line : lines_of(text))
    if (read_requirement(line, row)) add(snapshot, row);
  return snapshot;
}

bool starts_pip_list(std::string_view line) { return line.starts_with("Package ") && contains(line, " Version"); }

Snapshot parse_pip_list(const std::string& text) {
  Snapshot snapshot;
  static const LazyRegex form(R"(\s*([\w.-]+)\s+(\d[^][(){}:,;'"/\s]*)(?:\s+\S+)?\s*)", RE2::Latin1);
  bool inside = false;
  std::string_view last;
  Row row;
  for (const std::string_view line : lines_of(text)) {
    const bool begins = dashes(line) && starts_pip_list(last);
    inside = begins || (inside && read_row(line, form, row));
    if (inside && !begins) add(snapshot, row);
    last = line;
  }
  return snapshot;
}

// "Name: torch", "Version: 2.4.1" and "Summary: …" of pip show, one after the other.
bool starts_pip_show(std::string_view line) { return line.starts_with("Summary: "); }

Snapshot parse_pip_show(const std::string& text) {
  Snapshot snapshot;
  static const LazyRegex name(R"(Name: ([\w.-]+)\s*)", RE2::Latin1), version(R"(Version: (\d\S*)\s*)", RE2::Latin1);
  Row row;
  for (const std::string_view line : lines_of(text)) {
    if (starts_pip_show(line) && !row.version.empty()) add(snapshot, row);
    if (!row.name.empty() && row.version.empty() && RE2::FullMatch(line, version, &row.version)) continue;
    row = {};
    if (line.starts_with("Name: ")) RE2::FullMatch(line, name, &row.name);
  }
  return snapshot;
}

// conda info: "python version : 3.11.5.final.0", "virtual packages : __cuda=12.2=0".
bool starts_conda_info(std::string_view line) { return contains(line, "conda version : "); }

Snapshot parse_conda_info(const std::string& text) {
  static const LazyRegex cuda(R"(__cuda=(\d+\.\d+))", RE2::Latin1);
  Snapshot snapshot;
  std::string number;
  for (const std::string_view line : lines_of(text)) {
    if (contains(line, "__cuda=") && RE2::PartialMatch(line, cuda, &number))
      snapshot.nvidia.fill().cuda_driver_version = number;
  }
  return snapshot;
}

bool starts_conda_list(std::string_view line) { return line.starts_with("# packages in environment"); }

Snapshot parse_conda_list(const std::string& text) {
  Snapshot snapshot;
  static const LazyRegex form(R"(\s*([\w.-]+)\s+(\d[^][(){}:,;'"/\s]*)\s+(\S+)(?:\s+\S+)?\s*)", RE2::Latin1);
  bool inside = false, tensorflow = false, names_another = false;
  Row row;
  std::string build;
  for (const std::string_view line : lines_of(text)) {
    if (starts_conda_list(line)) {
      inside = true;
      snapshot.python.fill().kind = "conda";
    } else if (inside && !line.starts_with("#")) {
      inside = RE2::FullMatch(line, form, &row.name, &row.version, &build);
      if (inside) add(snapshot, row);
      if (inside) add_build(snapshot, row, build);
      const bool of_pip = build.starts_with("pypi");
      if (inside && row.name == "tensorflow") tensorflow = !of_pip;
      if (inside && row.name == "tensorflow-gpu") names_another = !of_pip;
    }
  }
  // conda's own tensorflow-gpu holds no files: it asks for a build of tensorflow.
  if (tensorflow && names_another) snapshot.python.fill().packages.fill().erase("tensorflow-gpu");
  return snapshot;
}

// "pytorch-1.12.1 | py3.8_cpu_0  133.8 MB  pytorch": the packages that conda is about to install.
bool starts_conda_plan(std::string_view line) { return contains(line, "## Package Plan ##"); }

Snapshot parse_conda_plan(const std::string& text) {
  static const LazyRegex form(R"(\s+([\w.-]+)-(\d[\w.]*)\s+\|\s+(\S+)\s.*)", RE2::Latin1);
  Snapshot snapshot;
  Row row;
  std::string build;
  for (const std::string_view line : lines_of(text)) {
    if (!contains(line, " | ") || !RE2::FullMatch(piece_of(line), form, &row.name, &row.version, &build)) continue;
    add(snapshot, row);
    add_build(snapshot, row, build);
  }
  return snapshot;
}

}  // namespace envdoctor
