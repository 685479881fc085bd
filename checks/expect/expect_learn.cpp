// What a host is, written down as what it must be.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include <toml++/toml.h>

#include "checks/engine/report.h"
#include "checks/engine/verdict.h"
#include "checks/expect/expectations.h"

namespace envdoctor {
namespace {

// A dotted key becomes a table in a table.
void put(toml::table& table, std::string_view key, const std::string& value) {
  const auto dot = key.find('.');
  if (dot != key.npos) {
    auto [entry, fresh] = table.emplace<toml::table>(key.substr(0, dot));
    put(*entry->second.as_table(), key.substr(dot + 1), value);
  } else if (value.find_first_not_of("0123456789") == value.npos && value.size() < 7) {
    table.emplace<std::int64_t>(key, std::stoll(value));
  } else {
    table.emplace<std::string>(key, value);
  }
}

}  // namespace

std::string learn_expectations(const Report& report) {
  toml::table table;
  for (const ExpectKey& key : expect_keys()) {
    if (!key.learn) continue;
    const std::string value = key.learn(report);
    if (!value.empty() && key.valid(value)) put(table, key.key, value);
  }
  std::ostringstream out;
  out << "# What this host must be, for 'envdoctor --expect FILE'. Edit and commit it.\n";
  if (const std::string day = captured_day(report.snapshot); !day.empty()) out << "# Learned on " << day << ".\n";
  if (report.verdict != Verdict::pass)
    out << "# The host was not in order then (" << text(report.verdict) << "): only what was seen to hold is here.\n";
  out << "\n" << toml::toml_formatter{table, toml::format_flags::indentation} << "\n";
  out << "\n# A finding that is borne for a while:\n# [[waiver]]\n# id = \"hardware.pcie-degraded\"\n"
         "# subject = \"gpu:0000:65:00.0\"\n# reason = \"the riser is ordered\"\n# last_day = 2026-12-31\n";
  return out.str();
}

}  // namespace envdoctor
