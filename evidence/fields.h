#pragma once
// One list of fields per struct, from which reading and writing are generated: ENVDOCTOR_FIELDS(Type, a, b, c).
// A member named after a keyword carries a trailing underscore (`class_`), which the file format omits.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/reading.h"

namespace envdoctor {

using Text = Reading<std::string>;
using Number = Reading<std::int64_t>;
using Real = Reading<double>;
using Flag = Reading<bool>;
template <class T>
using List = Reading<std::vector<T>>;
template <class T>
using Map = Reading<std::map<std::string, T>>;

// A struct whose fields are listed with ENVDOCTOR_FIELDS.
template <class T>
concept Fields = T::has_fields;

// Walks two structs of one type in step: visit(key, field of `into`, field of `from`).
template <Fields T, class Visit>
void each_pair(T& into, const T& from, Visit visit) {
  std::vector<const void*> fields;
  T::each(from, [&](std::string_view, const auto& field) { fields.push_back(&field); });
  auto next = fields.begin();
  T::each(into, [&](std::string_view key, auto& field) {
    visit(key, field, *static_cast<const std::remove_reference_t<decltype(field)>*>(*next++));
  });
}

constexpr std::string_view field_key(std::string_view member) {
  return member.ends_with('_') ? member.substr(0, member.size() - 1) : member;
}

}  // namespace envdoctor

#define ENVDOCTOR_PARENS ()
#define ENVDOCTOR_EXPAND(...) ENVDOCTOR_EXPAND3(ENVDOCTOR_EXPAND3(ENVDOCTOR_EXPAND3(__VA_ARGS__)))
#define ENVDOCTOR_EXPAND3(...) ENVDOCTOR_EXPAND2(ENVDOCTOR_EXPAND2(ENVDOCTOR_EXPAND2(__VA_ARGS__)))
#define ENVDOCTOR_EXPAND2(...) ENVDOCTOR_EXPAND1(ENVDOCTOR_EXPAND1(ENVDOCTOR_EXPAND1(__VA_ARGS__)))
#define ENVDOCTOR_EXPAND1(...) __VA_ARGS__
#define ENVDOCTOR_EACH(field, ...)                 \
  visit(envdoctor::field_key(#field), self.field); \
  __VA_OPT__(ENVDOCTOR_AGAIN ENVDOCTOR_PARENS(__VA_ARGS__))
#define ENVDOCTOR_AGAIN() ENVDOCTOR_EACH

#define ENVDOCTOR_FIELDS(Type, ...)               \
  static constexpr bool has_fields = true;        \
  template <class Self, class Visit>              \
  static void each(Self& self, Visit&& visit) {   \
    ENVDOCTOR_EXPAND(ENVDOCTOR_EACH(__VA_ARGS__)) \
  }                                               \
  bool operator==(const Type&) const = default;
