// Reads expectations from TOML, and writes a host's as TOML. Errors name the file and line.
#include <fmt/format.h>
#include <cctype>

#include <toml++/toml.h>

#include <sstream>

#include "checks/engine/verdict.h"

namespace envdoctor {
namespace {

constexpr std::size_t size_limit_kib = 1024;

struct Reader {
  std::string source;
  Expectations found{};

  [[nodiscard]] std::string place(const toml::node& node) const {
    return fmt::format("{}:{}", source, node.source().begin.line);
  }
  [[noreturn]] void reject(const toml::node& node, const std::string& what) const {
    throw BadExpectation(place(node) + ": " + what);
  }

  void take(const std::string& key, const toml::node& node) {
    if (const auto* table = node.as_table()) {
      for (const auto& [name, inner] : *table)
        take(key.empty() ? std::string(name) : key + "." + std::string(name), inner);
      return;
    }
    const auto* flag = node.as_boolean();
    if (!node.is_string() && !node.is_integer() && !flag)
      reject(node, fmt::format("{}: a text or a whole number belongs here (a version in quotes)", key));
    const std::string value = node.is_string()    ? node.as_string()->get()
                              : node.is_integer() ? std::to_string(node.as_integer()->get())
                                                  : (flag->get() ? "true" : "false");
    try {
      found.wanted.push_back(read_expectation(key + "=" + value));
    } catch (const BadExpectation& error) {
      reject(node, error.what());
    }
  }

  std::string text_of(const toml::table& waiver, const char* key, const std::string& why) const {
    const toml::node* node = waiver.get(key);
    if (!node) reject(waiver, fmt::format("a waiver without {}: {}", key, why));
    const auto* text = node->as_string();
    const bool blank = !text || text->get().find_first_not_of(" \t\n") == std::string::npos;
    if (blank) reject(*node, fmt::format("{}: a text belongs here", key));
    return text->get();
  }

  std::string day_of(const toml::table& waiver) const {
    const toml::node* node = waiver.get("last_day");
    if (!node) reject(waiver, "a waiver without last_day: nothing is borne for ever");
    const auto* date = node->as_date();
    if (!date) reject(*node, "last_day: a date belongs here, such as 2026-12-31 (no quotes)");
    return fmt::format("{:04}-{:02}-{:02}", date->get().year, date->get().month, date->get().day);
  }

  void take_waiver(const toml::node& node) {
    const auto* table = node.as_table();
    if (!table) reject(node, "waiver: write [[waiver]] with id, subject, reason and last_day");
    for (const auto& [name, inner] : *table) {
      if (name != "id" && name != "subject" && name != "reason" && name != "last_day")
        reject(inner, fmt::format("{}: a waiver has id, subject, reason and last_day", std::string_view(name)));
    }
    Waiver waiver{.id = text_of(*table, "id", "which finding?"),
                  .reason = text_of(*table, "reason", "why is it borne?"),
                  .last_day = day_of(*table),
                  .place = place(node)};
    if (table->contains("subject")) waiver.subject = text_of(*table, "subject", "");
    if (!find_diagnosis(waiver.id))
      reject(*table->get("id"), fmt::format("{}: no such diagnosis; 'envdoctor list' names them", waiver.id));
    if (waiver.id.starts_with("expect.waiver")) reject(*table->get("id"), "a waiver can't be waived");
    found.waivers.push_back(std::move(waiver));
  }
};

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

// toml++ takes for granted that a table's name follows its bracket, and asserts it.
void require_names_of_tables(std::string_view text, const std::string& source) {
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    std::size_t at = line.find_first_not_of(" \t");
    if (at == line.npos || line[at] != '[') continue;
    at = line.find_first_not_of("[ \t", at);
    const bool named = at != line.npos && (std::isalnum(static_cast<unsigned char>(line[at])) != 0 ||
                                           std::string_view("_-\"']").find(line[at]) != std::string_view::npos);
    if (!named) throw BadExpectation(fmt::format("{}:{}: a table's name expected after '['", source, number));
  }
}

}  // namespace

Expectations read_expectations(std::string_view text, const std::string& source) {
  if (text.size() > size_limit_kib << 10)
    throw BadExpectation(fmt::format("{}: larger than {} KiB", source, size_limit_kib));
  require_names_of_tables(text, source);
  Reader reader{.source = source};
  try {
    const toml::table document = toml::parse(text, source);
    for (const auto& [name, node] : document) {
      if (name != "waiver") {
        reader.take(std::string(name), node);
      } else if (const auto* list = node.as_array()) {
        for (const auto& waiver : *list) reader.take_waiver(waiver);
      } else {
        reader.take_waiver(node);
      }
    }
  } catch (const toml::parse_error& error) {
    throw BadExpectation(fmt::format("{}:{}: {}", source, error.source().begin.line, error.description()));
  }
  if (reader.found.wanted.empty() && reader.found.waivers.empty())
    throw BadExpectation(source + ": asks nothing; write a line such as gpus = 8, or see 'envdoctor expect'");
  return std::move(reader.found);
}

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
