#include "evidence/merge.h"

namespace envdoctor {
namespace {

template <class T>
void fill(Reading<T>& into, const Reading<T>& from);

template <Fields T>
void fill(T& into, const T& from);

template <class T>
void fill(std::map<std::string, T>& into, const std::map<std::string, T>& from) {
  for (const auto& [key, value] : from) into.emplace(key, value);
}

template <class T>
void fill(Reading<T>& into, const Reading<T>& from) {
  if (into.get() && from.get()) {
    if constexpr (Fields<T> || requires { typename T::mapped_type; }) fill(*into.get(), *from.get());
  } else if (from.get() || into.outcome() == Outcome::not_probed) {
    into = from;
  }
}

// Two structs of one type are walked in step: the fields of `from`, in order, against those of `into`.
template <Fields T>
void fill(T& into, const T& from) {
  std::vector<const void*> sources;
  T::each(from, [&](std::string_view, const auto& field) { sources.push_back(&field); });
  std::size_t next = 0;
  T::each(into, [&](std::string_view, auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    fill(field, *static_cast<const Field*>(sources[next++]));
  });
}

}  // namespace

void fill_in(Snapshot& into, const Snapshot& from) {
  List<LogEvent> log = into.log;
  if (log.get() && from.log.get()) log.get()->insert(log.get()->end(), from.log.get()->begin(), from.log.get()->end());
  fill(into, from);
  if (log.get()) into.log = log;
}

}  // namespace envdoctor
