#include "probe/vendor.h"

#include <fmt/format.h>

#include <algorithm>

#include "evidence/json.h"
#include "knowledge/names.h"

namespace envdoctor {

namespace {

Snapshot told_early(const Ended& ended) {
  if (ended.answer.empty()) return {};
  try {
    return snapshot_from_json(ended.answer, "an early answer");
  } catch (const BadDocument&) {
    return {};
  }
}

void keep_what_is_known(Session& session, const VendorRead& vendor, const Ended& ended) {
  const Snapshot early = told_early(ended);
  session.add(early);
  std::string blamed = vendor.library;
  if (const Text file = vendor.file(early); file.get())
    blamed = *file.get();
  else if (ended.step.starts_with("dlopen("))
    blamed = ended.step.substr(7, ended.step.size() - 8);
  session.blame(vendor.probe, vendor.library, blamed);
  session.add(vendor.not_read(failed(blamed + ": " + ended.why)));
}

}  // namespace

std::string code_text(const char* api, int code) {
  if (code == library_not_found) return "the library is not loaded";
  if (code == function_not_found) return "the library has no such function";
  if (code == makes_no_sense) return "the library's answer makes no sense";
  const std::string name = knowledge::code_name(api, code);
  return name.empty() ? fmt::format("code {}", code) : name;
}

std::string told_uuid(const std::string& uuid, bool redact) {
  if (!redact) return uuid;
  // "GPU-", "MIG-" and the older "MIG-GPU-": what leads up to the first group of hex digits.
  const std::size_t prefix = uuid.starts_with("MIG-GPU-")                           ? 8
                             : uuid.starts_with("GPU-") || uuid.starts_with("MIG-") ? 4
                                                                                    : 0;
  return uuid.substr(0, prefix + 8);
}

std::string cuda_version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

void start_vendor(Session& session, const VendorRead& vendor) {
  session.apart(vendor.probe, vendor.library, vendor.limits, vendor.read,
                [&session, vendor](const Ended& ended, const Snapshot&) {
                  if (ended.how != Ended::How::answered) keep_what_is_known(session, vendor, ended);
                  if (vendor.over) vendor.over();
                });
}

Text version_in_file_name(const std::string& path) {
  const std::size_t mark = path.rfind(".so.");
  const std::string version = mark == std::string::npos ? "" : path.substr(mark + 4);
  const bool dotted =
      version.find('.') != std::string::npos && version.find_first_not_of("0123456789.") == std::string::npos;
  if (!dotted) return absent("the name of " + path + " ends in no version");
  return version;
}

std::string address_as_linux_writes_it(const std::string& id) {
  std::string out = tame(id);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

std::string tame(const std::string& text) {
  std::string out = text.substr(0, 200);
  std::ranges::replace_if(
      out, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return out;
}

}  // namespace envdoctor
