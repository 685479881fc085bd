#include "checks/facts/version_range.h"

#include <algorithm>

#include "checks/facts/selection.h"
#include "knowledge/frameworks/frameworks.h"
#include "knowledge/gpus/drivers.h"

namespace envdoctor {
namespace {

// "2.15" of "2.15.1", with as many parts as `parts`.
std::string_view front_parts(std::string_view version, std::ptrdiff_t parts) {
  std::size_t at = 0;
  for (std::ptrdiff_t i = 0; i < parts && at != version.npos; ++i) at = version.find('.', i == 0 ? 0 : at + 1);
  return version.substr(0, at);
}

std::ptrdiff_t parts_of(std::string_view version) { return std::ranges::count(version, '.') + 1; }

Reading<bool> holds(std::string_view version, std::string_view clause) {
  const auto digits = clause.find_first_of("0123456789");
  if (digits == clause.npos) return failed("no version in " + std::string(clause));
  std::string how(clause.substr(0, digits));
  std::erase(how, ' ');
  std::string_view bound = clause.substr(digits);
  bound = bound.substr(0, bound.find('+'));
  const bool any_end = bound.ends_with(".*");
  if (any_end) bound.remove_suffix(2);
  const int order = knowledge::compare_versions(any_end ? front_parts(version, parts_of(bound)) : version, bound);
  if (how == "==" || how == "===") return order == 0;
  if (how == "!=") return order != 0;
  if (any_end) return failed("a * in " + std::string(clause));
  if (how == "<") return order < 0;
  if (how == "<=") return order <= 0;
  if (how == ">") return order > 0;
  if (how == ">=") return order >= 0;
  if (how != "~=" || parts_of(bound) < 2) return failed("not a range: " + std::string(clause));
  const std::string_view series = front_parts(bound, parts_of(bound) - 1);
  return order >= 0 && knowledge::compare_versions(front_parts(version, parts_of(series)), series) == 0;
}

}  // namespace

Reading<bool> in_range(std::string_view version, std::string_view range) {
  version = version.substr(0, version.find('+'));
  bool all = true;
  for (const std::string& clause : entries_of(range)) {
    const Reading<bool> one = clause.empty() ? true : holds(version, clause);
    if (!one.get()) return one;
    all = all && *one.get();
  }
  return all;
}

std::string rule_for(std::string_view framework, const char* list, std::string_view version) {
  for (const knowledge::VersionRule& rule : knowledge::version_rules(framework, list)) {
    if (rule.versions.empty() || in_range(version, rule.versions).is(true)) return rule.what;
  }
  return {};
}

}  // namespace envdoctor
