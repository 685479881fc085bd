#include "evidence/merge.h"

#include <algorithm>
#include <cctype>

namespace envdoctor {
namespace {

std::string pointer_to(const std::string& parent, std::string_view key) {
  std::string pointer = parent + '/';
  for (const char c : key) pointer += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return pointer;
}

std::string as_text(const std::string& value) { return value; }
std::string as_text(bool value) { return value ? "true" : "false"; }
std::string as_text(std::int64_t value) { return std::to_string(value); }
std::string as_text(double value) { return std::to_string(value); }

// "0000:65:00.0" from an address, however its domain is written.
std::string short_address(const Text& address) {
  std::string text = address.or_empty();
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text.size() > 12 && text.starts_with("0000") ? text.substr(text.size() - 12) : text;
}

// Whether two rows describe one GPU: by address, by UUID, which may be truncated, or, where a row has neither,
// by number.
template <class Device>
bool same_device(const Device& a, const Device& b) {
  if (a.pci_address.get() && b.pci_address.get()) return short_address(a.pci_address) == short_address(b.pci_address);
  if constexpr (requires { a.uuid; }) {
    if (const auto* one = a.uuid.get(), *other = b.uuid.get(); one && other)
      return one->starts_with(*other) || other->starts_with(*one);
  }
  return a.index.get() && b.index.get() && *a.index.get() == *b.index.get();
}

// Tools truncate a name that is too long for their table: "NVIDIA RTX 6000 Ada Gene...".
bool is_cut_form(const std::string& text, const std::string& whole) {
  return text.size() > 6 && text.ends_with("...") &&
         whole.starts_with(std::string_view(text).substr(0, text.size() - 3));
}

// Fills one value from another of its type, and records the JSON pointer of each value that it took as a whole, and of
// each that it kept because it was already known.
struct Filler {
  std::vector<std::string> taken{};
  std::vector<std::pair<std::string, std::string>> left{};  // and its value

  template <class T>
  void fill(std::map<std::string, T>& into, const std::map<std::string, T>& from, const std::string& at) {
    for (const auto& [key, value] : from) {
      if (into.emplace(key, value).second) taken.push_back(pointer_to(at, key));
    }
  }

  template <class T>
  void fill(Reading<T>& into, const Reading<T>& from, const std::string& at) {
    if (into.get() && from.get()) {
      if constexpr (std::is_same_v<T, std::string>) {
        if (is_cut_form(*from.get(), *into.get())) return;
        if (is_cut_form(*into.get(), *from.get())) {
          into = from;
          taken.push_back(at);
          return;
        }
      }
      if constexpr (std::is_same_v<T, std::vector<NvidiaDevice>> || std::is_same_v<T, std::vector<RocmDevice>>)
        fill_devices(*into.get(), *from.get(), at);
      else if constexpr (std::is_same_v<T, std::vector<NvidiaProcess>>)
        fill_processes(into, from, at);
      else if constexpr (Fields<T> || requires { typename T::mapped_type; })
        fill(*into.get(), *from.get(), at);
      else if constexpr (requires { as_text(*from.get()); })
        if (*into.get() != *from.get()) left.emplace_back(at, as_text(*from.get()));
    } else if (from.get() || into.outcome() == Outcome::not_probed) {
      into = from;
      if (from.get()) taken.push_back(at);
    }
  }

  // Fills each device from the other list's row for it; a device that only one list has is not added to the other.
  template <class Device>
  void fill_devices(std::vector<Device>& into, const std::vector<Device>& from, const std::string& at) {
    const std::size_t known = left.size();
    for (std::size_t i = 0; i < into.size(); ++i) {
      const auto same = std::ranges::find_if(from, [&](const Device& one) { return same_device(into[i], one); });
      if (same != from.end()) fill(into[i], *same, pointer_to(at, std::to_string(i)));
    }
    left.resize(known);  // a GPU's memory use and temperature change all the time
  }

  // A table printed before a program started lists none; what counts is who uses the GPU while it is used.
  void fill_processes(List<NvidiaProcess>& into, const List<NvidiaProcess>& from, const std::string& at) {
    if (!into.get()->empty() || from.get()->empty()) return;
    into = from;
    taken.push_back(at);
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

// The entries that apply to what was taken: those at or below its pointer, and the nearest one above it.
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

// The entry that applies to this pointer: its own, or the nearest one above it.
const TextSource* nearest(const std::map<std::string, TextSource>& sources, std::string pointer) {
  for (; !pointer.empty(); pointer.resize(pointer.rfind('/'))) {
    if (const auto found = sources.find(pointer); found != sources.end()) return &found->second;
  }
  return nullptr;
}

template <class T>
List<T> appended(List<T> list, const List<T>& more) {
  if (list.get() && more.get()) list.get()->insert(list.get()->end(), more.get()->begin(), more.get()->end());
  return list;
}

}  // namespace

bool environment_is_whole(const Snapshot& snapshot) {
  if (!snapshot.env.get()) return false;
  const auto& sources = snapshot.sources.or_empty();
  const auto first = sources.lower_bound("/env");
  return first == sources.end() || !first->first.starts_with("/env/");
}

void fill_in(Snapshot& into, const Snapshot& from) {
  constexpr std::size_t most_contradictions = 32;
  List<Symptom> log = appended(into.log, from.log);
  List<ReadText> texts = appended(into.texts, from.texts);
  List<Contradiction> contradictions = appended(into.contradictions, from.contradictions);
  Map<TextSource> sources = into.sources;
  const Map<Text> whole_env = environment_is_whole(into) ? into.env : Map<Text>{};
  Filler filler;
  filler.fill(into, from, "");
  if (log.get()) into.log = log;
  if (texts.get()) into.texts = texts;
  if (contradictions.get()) into.contradictions = contradictions;
  if (whole_env.get()) {
    into.env = whole_env;
    std::erase_if(filler.taken, [](const std::string& pointer) { return is_below(pointer, "/env"); });
  }
  for (const auto& [path, value] : filler.left) {
    const TextSource* place = from.sources.get() ? nearest(*from.sources.get(), path) : nullptr;
    if (!place || into.contradictions.or_empty().size() >= most_contradictions) continue;
    into.contradictions.fill().push_back({.path = path, .value = value, .source = place->source, .line = place->line});
  }
  into.sources = sources;
  if (from.sources.get()) take_sources(into.sources, *from.sources.get(), filler.taken);
}

void set_sources(Snapshot& snapshot, const std::string& source, std::int64_t line) {
  std::map<std::string, TextSource> sources;
  Snapshot::each(snapshot, [&](std::string_view key, const auto& section) {
    if (key != "log" && key != "texts" && key != "contradictions" && key != "sources")
      set_source_of(section, pointer_to("", key), {.source = source, .line = line}, sources);
  });
  if (!sources.empty()) snapshot.sources = sources;
}

}  // namespace envdoctor
