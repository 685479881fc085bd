#pragma once
// A fact from a line of text that has no field of its own in the snapshot.
#include <compare>
#include <optional>
#include <string_view>

#include "evidence/fields.h"

namespace envdoctor {

enum class SymptomClass {
  missing,       // something needed does not exist, or is not found
  mismatch,      // two things do not fit each other
  refused,       // denied: by permissions, a policy or an API
  exhausted,     // all of it is used up
  busy,          // another process holds it
  crashed,       // it ended or hung abnormally
  timed_out,     // it took longer than allowed
  wrong_result,  // it ran, and what it computed is wrong
  failed,        // it was tried and did not succeed
  too_old,       // it is older than what is asked
  unsupported,   // it cannot be done here at all
  ignored,       // it exists or was requested, and is not used
  limited,       // there is less of it than there could be
  hidden,        // something hides it
  lost,          // it was there and is gone
  slow,          // it works, slower than it should
  duplicate,     // it exists twice
  used,          // a program says that it works on a device
  present,       // it exists or is enabled; no fault by itself
  noted,         // a value or a name that other facts are compared with; no fault by itself
  harmless,      // it reads like a fault and is none; the subject says what it is
};

std::string_view text(SymptomClass value);  // "timed-out", as the file format spells it
std::optional<SymptomClass> symptom_class(std::string_view text);

// What a symptom is: {missing, "kernel-module"}. The subjects are those of knowledge/wordings/wordings.json.
struct Kind {
  SymptomClass class_;
  std::string_view subject;
  auto operator<=>(const Kind&) const = default;
};

// One line of a log that a row of knowledge/wordings/wordings.json matches.
struct Symptom {
  Text class_{};
  Text subject{};
  Text code{};                                   // the vendor's name or number of the error
  Text program{};                                // which program printed it: tensorflow, torch, …
  Text source{};                                 // "kernel", or the log's file name
  Number line{};                                 // from 1
  Text text{};                                   // the line itself, shortened
  std::map<std::string, std::string> details{};  // other values in the line; flattened into the object in the file
  ENVDOCTOR_FIELDS(Symptom, class_, subject, code, program, source, line, text)

  [[nodiscard]] bool is(const Kind& kind) const;
  // The code, the program or a detail by its name; empty: the line does not contain it.
  [[nodiscard]] std::string detail(const std::string& name) const;
};

}  // namespace envdoctor
