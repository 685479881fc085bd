#include "evidence/symptom.h"

#include <algorithm>
#include <array>

namespace envdoctor {
namespace {

constexpr std::array class_names = {"missing",   "mismatch",     "refused", "exhausted", "busy",        "crashed",
                                    "timed-out", "wrong-result", "failed",  "too-old",   "unsupported", "ignored",
                                    "limited",   "hidden",       "lost",    "slow",      "duplicate",   "used",
                                    "present",   "noted",        "harmless"};
static_assert(class_names.size() == static_cast<std::size_t>(SymptomClass::harmless) + 1);

}  // namespace

std::string_view text(SymptomClass value) { return class_names.at(static_cast<std::size_t>(value)); }

std::optional<SymptomClass> symptom_class(std::string_view text) {
  const auto found = std::ranges::find(class_names, text);
  if (found == class_names.end()) return std::nullopt;
  return static_cast<SymptomClass>(found - class_names.begin());
}

bool Symptom::is(const Kind& kind) const {
  return class_.get() && subject.get() && *class_.get() == envdoctor::text(kind.class_) &&
         *subject.get() == kind.subject;
}

std::string Symptom::detail(const std::string& name) const {
  if (name == "code" && code.get()) return *code.get();
  if (name == "program" && program.get()) return *program.get();
  const auto found = details.find(name);
  return found == details.end() ? std::string() : found->second;
}

}  // namespace envdoctor
