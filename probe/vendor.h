#pragma once
// Ways that the vendor probes share: a code's name, a call turned into a reading, a child that lost its answer.
#include <string>

#include "host/vendor.h"
#include "probe/session.h"

namespace envdoctor {

// "NVML_ERROR_GPU_IS_LOST", "code 1234", "the library is not loaded" or "the library has no such function".
std::string code_text(const char* api, int code);

// One vendor's codes; 0 is success with all of them.
struct VendorCodes {
  const char* api;  // as knowledge/error_codes.json calls it
  int not_supported;
};

// A call's answer. Not supported, and a function that this release lacks, are absent; other codes are failed.
template <class Value, class Call>
Reading<Value> ask_vendor(const VendorCodes& codes, Call call) {
  Value value{};
  const int code = call(value);
  if (code == 0) return value;
  const std::string why = code_text(codes.api, code);
  return code == codes.not_supported || code == function_not_found ? absent(why) : failed(why);
}

// A UUID as it may be told: the prefix and the first eight hex digits, or the whole.
std::string told_uuid(const std::string& uuid, bool redact);

// "12040" -> "12.4".
std::string cuda_version_text(int version);

// "…/libcuda.so.550.54.14" -> "550.54.14"; absent if the name ends in no dotted version.
Text version_in_file_name(const std::string& path);

// "0000:AF:00.0" -> "0000:af:00.0".
std::string address_as_linux_writes_it(const std::string& id);

// A vendor library read in a child.
struct VendorRead {
  std::string probe{};    // its name in `probes`
  std::string library{};  // soname or path
  Limits limits{};
  // In the child. What it answers early, followed by a call, is kept if it dies in that call.
  std::function<Snapshot(const Channel&)> read{};
  std::function<Text(const Snapshot&)> file{};         // the library's file, as far as the child told
  std::function<Snapshot(const Missing&)> not_read{};  // every reading that the child was to fill
  std::function<void()> over{};                        // called last, however it ended; may be empty
};

// If the child dies, what it didn't tell becomes failed("<file>: ended by SIGSEGV in cuInit"), and that file is blamed.
void start_vendor(Session& session, const VendorRead& vendor);

// A step of the channel for each call.
inline Trace steps(const Channel& channel) {
  return [&channel](const std::string& call) { channel.step(call); };
}

// Text that a foreign library wrote: control characters become '?', a text beyond 200 bytes is cut.
std::string tame(const std::string& text);

inline std::int64_t mib(std::uint64_t bytes) { return static_cast<std::int64_t>(bytes >> 20U); }

}  // namespace envdoctor
