#pragma once
// A snapshot as a flat list of places, with what stands at each.
#include <map>
#include <string>

#include "compare/documents.h"

namespace envdoctor::compare {

struct FlatDocument {
  std::map<std::string, ShownValue> values{};        // by JSON pointer; members of lists by their name, GPUs by their order
  std::map<std::string, std::string> above{};  // sections, lists and members that hold others, in short
};

FlatDocument flatten(const Snapshot& snapshot);

// The highest place on the way to `path` that the document lacks, or where it has a plain value; `path` where it has
// all.
std::string first_lacking(const FlatDocument& document, const std::string& path);

// What the document says of a place. A member that a list or a map lacks is known not to be there; a field that is
// missing was not looked at.
ShownValue value_at(const FlatDocument& document, const std::string& path);

}  // namespace envdoctor::compare
