#pragma once
// Shortcuts to facts that many checks need. An unknown section passes its reason on.
#include <string>
#include <string_view>
#include <vector>

#include "evidence/snapshot.h"

namespace envdoctor {

// A field of a section: of(snapshot.nvidia, &Nvidia::cuinit_error). The result is part of the snapshot, and pointers
// into it live as long; only the placeholder for a missing section is overwritten by the next call for a field of its
// type.
template <class Section, class T>
const Reading<T>& of(const Reading<Section>& section, Reading<T> Section::*field) {
  if (const Section* known = section.get()) return known->*field;
  thread_local Reading<T> none;
  none = section.missing();
  return none;
}

// A variable: its value (possibly empty), absent if it isn't set, failed if hidden, not probed if the environment is
// unknown.
Text env_of(const Snapshot& snapshot, const std::string& name);

// Whether a kernel module of this name is loaded.
Flag module_loaded(const Snapshot& snapshot, std::string_view name);

// The node with this path; null: not listed, or the nodes are unknown.
const DeviceNode* node_of(const Snapshot& snapshot, std::string_view path);
// All nodes whose path starts so.
std::vector<const DeviceNode*> nodes_under(const Snapshot& snapshot, std::string_view prefix);

// Whether this is a container of any kind.
Flag in_container(const Snapshot& snapshot);

// The symptoms of one kind, in the order of the logs.
std::vector<const Symptom*> symptoms_of(const Snapshot& snapshot, const Kind& kind);
// The first symptom of the first of these kinds that the logs hold; null: none.
const Symptom* first_symptom(const Snapshot& snapshot, std::initializer_list<Kind> kinds);

// Whether a Python package of this name is installed; names are compared as pip does (case, - and _ alike).
Flag package_installed(const Snapshot& snapshot, std::string_view name);
// The installed release of a package of that environment, however its name is spelled; nullptr: none is known.
const std::string* package_version(const Snapshot& snapshot, std::string_view name);

// "00000000:65:00.0" and "65:00.0" and "0000:65:00.0" -> "0000:65:00.0", lower case.
std::string normal_address(std::string_view address);
std::string address_of(const Text& address);  // empty: unknown

// "/dev/nvidia0": the node of a single NVIDIA GPU.
bool is_card_node(const DeviceNode& node);

// The rows of a list with their indices; none where the list is unknown.
template <class T>
std::vector<std::pair<std::size_t, const T&>> numbered(const List<T>& list) {
  std::vector<std::pair<std::size_t, const T&>> all;
  for (const T& row : list.or_empty()) all.emplace_back(all.size(), row);
  return all;
}

// JSON pointer of an element: at("/pci", 2, "driver") -> "/pci/2/driver".
std::string at(std::string_view list, std::size_t index, std::string_view field = {});

// Why a reading has no value, for a check's "unknown": "/nvidia/devices: not looked at".
template <class T>
std::string why_unknown(std::string_view path, const Reading<T>& reading) {
  return std::string(path) + ": " + (reading.outcome() == Outcome::not_probed ? "not looked at" : reading.why());
}

}  // namespace envdoctor
