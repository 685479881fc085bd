#pragma once
// The rows of `envdoctor show`.
#include <fmt/format.h>

#include <initializer_list>

#include "evidence/lines.h"
#include "evidence/snapshot.h"

namespace envdoctor {

// "label  text"; empty for an empty text.
inline std::string row(std::string_view label, const std::string& text) {
  return text.empty() ? "" : wrap(fmt::format("  {:<14}", label), text);
}

// Why there is no value, in brackets; empty if there is one, or if it was not probed.
template <class T>
std::string unknown(const Reading<T>& reading) {
  if (reading.get() || reading.outcome() == Outcome::not_probed) return {};
  return fmt::format("({}: {})", reading.outcome() == Outcome::absent ? "none" : "unknown", reading.why());
}

// The value, or why there is none.
template <class T>
std::string plain(const Reading<T>& reading) {
  return reading.get() ? fmt::format("{}", *reading.get()) : unknown(reading);
}

// Only what has a value.
template <class T>
std::string value(const Reading<T>& reading, std::string_view before = "", std::string_view after = "") {
  return reading.get() ? fmt::format("{}{}{}", before, *reading.get(), after) : std::string();
}

inline std::string joined(std::initializer_list<std::string> parts, std::string_view between = ", ") {
  std::string out;
  for (const std::string& part : parts) {
    if (!part.empty()) out += (out.empty() ? "" : std::string(between)) + part;
  }
  return out;
}

std::string show_python(const Snapshot& snapshot);  // reports/show_python.cpp

}  // namespace envdoctor
