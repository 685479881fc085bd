#pragma once
// The requirements between installed packages, and the modules that a program did not find.
#include "checks/engine/diagnosis.h"
#include "checks/facts/facts.h"

namespace envdoctor {

// The version of a package in the list of packages, by the list's own spelling; empty: not listed.
std::string listed_version(const Snapshot& snapshot, const std::string& name);

// "2.5.1" of "2.5.1+cpu"; empty: unknown, or a build between releases.
std::string release_of(const std::string& version);

// Installs this with the environment's own Python, for a fix; empty: that Python is unknown.
std::string pip_install(const Snapshot& snapshot, const std::string& what);
// What a fix installs: its command, or in its text where that Python is unknown, as in a report. `first` stands before
// pip's words there.
void install_by_pip(const Snapshot& snapshot, const std::string& what, Fix& fix, const std::string& first = {});
// The versions that the first message of this kind to name any asks for, as `read` finds them in its text.
std::string versions_asked_for(const Facts& facts, Kind kind, std::string (*read)(const std::string& text));
// As install_by_pip, after the packages `removed`, one or several with blanks between, are uninstalled.
void exchange_by_pip(const Snapshot& snapshot, const std::string& removed, const std::string& what, Fix& fix);

// A requirement of one package on another, from its metadata or from a line of pip that says that it is not met.
struct Requirement {
  std::string by{};
  std::string name{};
  std::string range{};      // empty: reported by pip
  std::string installed{};  // empty: not installed, or reported by pip
  Flag met{};
  std::vector<Evidence> evidence{};
  const Symptom* symptom = nullptr;  // pip's line; null: the metadata
};

// Requirements in metadata, then pip's conflicts unless metadata shows that they are solved; a conflict in both is
// further evidence for the first.
std::vector<Requirement> requirements(const Facts& facts);

// Judges the frameworks' requirements on this package. False: the answer is only passed or not applicable.
bool judge_requirements(const Facts& facts, std::initializer_list<std::string_view> packages,
                        const std::string& consequence, Answers& answers);

// pip's line that it finds no TensorFlow, where the releases that it sees end before those whose wheels only pip 19.0
// and later take (1.15 and 2.0: manylinux2010). Null: no such line.
const Symptom* passed_over_by_old_pip(const Facts& facts);

// pip's line asks for a release before all those that it lists: these begin with the first that have wheels for this
// Python, and no other pip finds it.
bool asks_for_older_release(const Symptom& line);

// The first module of a framework that a program did not find, and the diagnosis that it belongs to.
struct MissingModule {
  const Symptom* symptom = nullptr;
  std::string_view diagnosis{};
  Confidence confidence = Confidence::likely;
};
std::optional<MissingModule> missing_module(const Facts& facts);
// Adds a finding of this diagnosis if the first missing module is its own.
void report_missing_module(const Facts& facts, Answers& answers);

}  // namespace envdoctor
