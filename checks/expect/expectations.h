#pragma once
// The user's expectations of a host, and the findings that the user accepts for a while.
#include <span>
#include <stdexcept>

#include "checks/engine/diagnosis.h"

namespace envdoctor {

struct Report;

struct Expectation {
  std::string key{};    // "driver.min"
  std::string value{};  // already validated for the key
};

// An accepted finding: it stays visible, but doesn't affect the verdict.
struct Waiver {
  std::string id{};
  std::string subject{};  // empty: wherever it is found
  std::string reason{};
  std::string last_day{};  // "2026-12-31", still waived on that day
  std::string place{};     // "host.toml:7"
  bool operator==(const Waiver&) const = default;
};

struct Expectations {
  std::vector<Expectation> wanted{};
  std::vector<Waiver> waivers{};
};

// An invalid text. `what()` names the file and line, and what is expected there.
class BadExpectation : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "gpus=8". Throws BadExpectation.
Expectation read_expectation(const std::string& text);
// A TOML document: keys as above ([driver] min = "550"), and [[waiver]] tables. Throws BadExpectation.
Expectations read_expectations(std::string_view toml, const std::string& source);

// Expectations that this host meets, as a file: only observed facts. Never empty; begins with a comment.
std::string learn_expectations(const Report& report);

// The result of one expectation.
enum class Met { yes, no, unknown };
struct Judged {
  Met met = Met::unknown;
  std::string explanation{};  // the expected and the actual value, in a sentence
  std::vector<Evidence> evidence{};
};

// A key of --expect.
struct ExpectKey {
  const char* key;    // "driver.min"; "*.min" stands for a kernel's speed
  const char* id;     // the diagnosis if it isn't met
  const char* takes;  // in words: "a version, such as 550.54"
  bool (*valid)(const std::string& value);
  Judged (*judge)(const Report&, const Expectation&);
  std::string (*learn)(const Report&);  // the value that this host meets; empty: none. May be null
};
std::span<const ExpectKey> expect_keys();
const ExpectKey* expect_key(std::string_view key);  // null: no such key

// Kernels' results, of checks/expect_compute.cpp.
Judged judge_compute(const Report& report, const Expectation& expectation);
Judged judge_speed(const Report& report, const Expectation& expectation);
bool valid_speed(const std::string& value);
std::string learn_compute(const Report& report);

}  // namespace envdoctor
