#include "evidence/merge.h"

namespace envdoctor {
namespace {

std::string pointer_to(const std::string& parent, std::string_view key) {
  std::string pointer = parent + '/';
  for (const char c : key) pointer += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return pointer;
}

// Fills one value from another of its type, and notes the JSON pointer of each value it took as a whole.
struct Filler {
  std::vector<std::string> taken{};

  template <class T>
  void fill(std::map<std::string, T>& into, const std::map<std::string, T>& from, const std::string& at) {
    for (const auto& [key, value] : from) {
      if (into.emplace(key, value).second) taken.push_back(pointer_to(at, key));
    }
  }

  template <class T>
  void fill(Reading<T>& into, const Reading<T>& from, const std::string& at) {
    if (into.get() && from.get()) {
      if constexpr (Fields<T> || requires { typename T::mapped_type; }) fill(*into.get(), *from.get(), at);
    } else if (from.get() || into.outcome() == Outcome::not_probed) {
      into = from;
      if (from.get()) taken.push_back(at);
    }
  }

  template <Fields T>
  void fill(T& into, const T& from, const std::string& at) {
    each_pair(into, from,
              [&](std::string_view key, auto& field, const auto& more) { fill(field, more, pointer_to(at, key)); });
  }
};

bool is_below(std::string_view pointer, std::string_view ancestor) {
  return pointer.starts_with(ancestor) && (pointer.size() == ancestor.size() || pointer[ancestor.size()] == '/');
}

// The entries that speak of what was taken: those at or below its pointer, and the nearest one above it.
void take_sources(Map<TextSource>& into, const std::map<std::string, TextSource>& from,
                  const std::vector<std::string>& taken) {
  for (const std::string& pointer : taken) {
    const TextSource* above = nullptr;
    for (const auto& [place, source] : from) {  // sorted: the nearest comes last
      if (is_below(pointer, place)) above = &source;
      if (is_below(place, pointer)) into.fill().emplace(place, source);
    }
    if (above) into.fill().emplace(pointer, *above);
  }
}

template <class T>
void set_source_of(const Reading<T>& reading, const std::string& at, const TextSource& source,
                   std::map<std::string, TextSource>& sources) {
  if (!reading.get()) return;
  if constexpr (Fields<T>) {
    T::each(*reading.get(), [&](std::string_view key, const auto& field) {
      set_source_of(field, pointer_to(at, key), source, sources);
    });
  } else {
    sources.emplace(at, source);
  }
}

}  // namespace

bool environment_is_whole(const Snapshot& snapshot) {
  if (!snapshot.env.get()) return false;
  const auto& sources = snapshot.sources.or_empty();
  const auto first = sources.lower_bound("/env");
  return first == sources.end() || !first->first.starts_with("/env/");
}

void fill_in(Snapshot& into, const Snapshot& from) {
  List<Symptom> log = into.log;
  if (log.get() && from.log.get()) log.get()->insert(log.get()->end(), from.log.get()->begin(), from.log.get()->end());
  Map<TextSource> sources = into.sources;
  const Map<Text> whole_env = environment_is_whole(into) ? into.env : Map<Text>{};
  Filler filler;
  filler.fill(into, from, "");
  if (log.get()) into.log = log;
  if (whole_env.get()) {
    into.env = whole_env;
    std::erase_if(filler.taken, [](const std::string& pointer) { return is_below(pointer, "/env"); });
  }
  into.sources = sources;
  if (from.sources.get()) take_sources(into.sources, *from.sources.get(), filler.taken);
}

void set_sources(Snapshot& snapshot, const std::string& source, std::int64_t line) {
  std::map<std::string, TextSource> sources;
  Snapshot::each(snapshot, [&](std::string_view key, const auto& section) {
    if (key != "log" && key != "sources")
      set_source_of(section, pointer_to("", key), {.source = source, .line = line}, sources);
  });
  if (!sources.empty()) snapshot.sources = sources;
}

}  // namespace envdoctor
