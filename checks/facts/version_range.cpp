#include "checks/facts/version_range.h"

#include <string>

#include "knowledge/frameworks/frameworks.h"
#include "knowledge/gpus/drivers.h"

namespace envdoctor {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// "2.15" of "2.15.1", with as many parts as `parts`.
std::string_view front_parts(std::string_view version, std::size_t parts) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < parts && at != version.npos; ++i) at = version.find('.', i == 0 ? 0 : at + 1);
  return version.substr(0, at);
}

std::size_t parts_of(std::string_view version) {
  std::size_t parts = 1;
  for (const char c : version) parts += c == '.' ? 1 : 0;
  return parts;
}

Reading<bool> holds(std::string_view version, std::string_view clause) {
  const auto digits = clause.find_first_of("0123456789");
  if (digits == clause.npos) return failed("no version in " + std::string(clause));
  const std::string_view how = trim(clause.substr(0, digits));
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
  while (!range.empty()) {
    const auto comma = range.find(',');
    const std::string_view clause = trim(range.substr(0, comma));
    range = comma == range.npos ? std::string_view{} : range.substr(comma + 1);
    if (clause.empty()) continue;
    const Reading<bool> one = holds(version, clause);
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
