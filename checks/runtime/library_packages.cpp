// Which package of PyPI holds a library that a program lacks.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <set>

#include "checks/runtime/library_facts.h"
#include "knowledge/codes/names.h"
#include "knowledge/lazy_regex.h"

namespace envdoctor {

namespace {

// The CUDA that the installed framework was built for: "12"; empty: unknown.
std::string cuda_of_framework(const Snapshot& snapshot) {
  const std::string of_torch = cuda_of_torch(snapshot);
  const std::string cuda = of_torch.empty() ? of(snapshot.tensorflow, &Tensorflow::cuda_version).or_empty() : of_torch;
  return cuda.substr(0, cuda.find('.'));
}

struct Packages {
  std::vector<std::string> names{};  // one for each CUDA that may be meant
  std::string cuda{};                // that one; empty: several
  std::string folder{};
};

// "10" of "10.0", "10.x" and "10.1-10.2"; empty: several, or any.
std::string one_major(const std::string& range) {
  static const LazyRegex form(R"((\d+)\.[\dx]+(?:-(\d+)\.[\dx]+)?)", RE2::Latin1);
  std::string first, last;
  return RE2::FullMatch(range, form, &first, &last) && (last.empty() || last == first) ? first : "";
}

// "libcudnn_ops.so.9.1.0" is one of libcudnn.so.9's. A range of CUDAs ("10.1-13.x") leaves the choice to `cuda`.
Packages packages_of(const std::string& name, const std::string& cuda) {
  static const LazyRegex form(R"(lib([A-Za-z]+)(?:_\w+)?\.so\.((\d+)(?:\..*)?))", RE2::Latin1);
  std::string library, release, version, soname;
  if (!RE2::FullMatch(name, form, &library, &release, &version)) return {};
  const std::string whole = "lib" + library + ".so." + release;
  std::set<std::string> majors;
  for (const knowledge::Soname& row : knowledge::sonames()) {
    if (row.soname.size() < soname.size() || (row.soname != whole && !whole.starts_with(row.soname + "."))) continue;
    if (row.soname != soname) majors.clear();  // the longest name counts
    soname = row.soname;
    majors.insert(one_major(row.cuda));
  }
  if (majors.empty()) return {};
  const bool one = majors.size() == 1 && !majors.begin()->empty();
  Packages found{.cuda = one ? *majors.begin() : cuda};
  std::set<std::string> names;
  for (const knowledge::PipPackage& row : knowledge::pip_packages()) {
    const bool fits = found.cuda.empty() ? std::atoi(row.cuda.c_str()) >= 12 : row.cuda == found.cuda;
    if (row.library != library || !fits) continue;
    names.insert(library == "cudnn" ? fmt::format("\"{}=={}.*\"", row.package, version) : row.package);
    found.folder = row.directory;
  }
  found.names.assign(names.begin(), names.end());
  return found;
}

}  // namespace

void name_library_packages(const Facts& facts, Answers& answers) {
  constexpr std::string_view prefix = "library:";
  each_without_command(answers, [&](Finding& finding) {
    if (!finding.subject.starts_with(prefix)) return;
    const std::string name = finding.subject.substr(prefix.size());
    const Packages from = packages_of(name, cuda_of_framework(facts));
    if (from.names.empty()) return;
    finding.fix.push_back(
        {.text = fmt::format("PyPI's {}{} holds {}{} (libraries.json): install it with pip into the program's "
                             "environment. PyTorch and TensorFlow look there themselves; another program needs the "
                             "folder in LD_LIBRARY_PATH.",
                             fmt::join(from.names, " or "),
                             from.cuda.empty() ? ", by the CUDA that the program was built for," : "", name,
                             from.folder.empty() ? "" : ", in " + from.folder)});
  });
}

}  // namespace envdoctor
