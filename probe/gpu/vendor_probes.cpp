#include "probe/gpu/vendor_probes.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "knowledge/codes/names.h"
#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"

namespace envdoctor {

std::string blamed_file(const std::string& library, const Text& file, const Ended& ended) {
  if (file.get()) return *file.get();
  return ended.step.starts_with("dlopen(") ? ended.step.substr(7, ended.step.size() - 8) : library;
}

std::string code_text(const char* api, int code) {
  if (code == library_not_found) return "the library is not loaded";
  if (code == function_not_found) return "the library has no such function";
  if (code == makes_no_sense) return "the library returned an impossible value";
  const std::string name = knowledge::code_name(api, code);
  return name.empty() ? fmt::format("code {}", code) : name;
}

std::string reported_uuid(const std::string& uuid, bool redact) {
  if (!redact) return uuid;
  // "GPU-", "MIG-" and the older "MIG-GPU-": the part before the first group of hex digits.
  const std::size_t prefix = uuid.starts_with("MIG-GPU-")                           ? 8
                             : uuid.starts_with("GPU-") || uuid.starts_with("MIG-") ? 4
                                                                                    : 0;
  return uuid.substr(0, prefix + 8);
}

Text version_in_file_name(const std::string& path) {
  static const LazyRegex pattern(R"(.*\.so\.([\d.]*\.[\d.]*))", RE2::Latin1);
  std::string version;
  if (!RE2::FullMatch(path, pattern, &version)) return absent("the name of " + path + " ends in no version");
  return version;
}

std::string address_as_linux_writes_it(const std::string& id) { return lower_case(tame(id)); }

std::string tame(const std::string& text) {
  std::string out = text.substr(0, 200);
  std::ranges::replace_if(
      out, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return out;
}

}  // namespace envdoctor
