#pragma once
// NVML, CUDA, HIP and Level Zero, each read in a child, and the helpers that these probes share: a code's name, a call
// turned into a reading, a child that died before it answered.
#include <fmt/format.h>

#include <string>
#include <tuple>

#include "evidence/json.h"
#include "evidence/plausible.h"
#include "host/vendor/cuda_api.h"
#include "host/vendor/hip_api.h"
#include "host/vendor/level_zero_api.h"
#include "host/vendor/nvml_api.h"
#include "probe/session.h"

namespace envdoctor {

// "NVML_ERROR_GPU_IS_LOST", "code 1234", "the library is not loaded" or "the library has no such function".
std::string code_text(const char* api, int code);

// One vendor's codes; 0 is success with all of them.
struct VendorCodes {
  const char* api;  // its name in knowledge/codes/error_codes.json
  int not_supported;
  int lost = 0;  // the device is lost: each further call may take seconds to fail again
};

// Calls a vendor's functions on one subject (a device, or none) and turns their codes into readings. "Not supported"
// and a function that this release lacks become absent; other codes become failed. After the device is lost, nothing is
// called.
template <class Api, class... Subject>
class VendorReader {
 public:
  VendorReader(Api& api, const VendorCodes& codes, Subject... subject)
      : api_(api), codes_(codes), subject_(subject...) {}

  template <class Value>
  Reading<Value> read(int (Api::*method)(Subject..., Value&)) {
    return reading<Value>([&](Subject... subject, Value& value) { return (api_.*method)(subject..., value); });
  }
  template <class Argument, class Value>
  Reading<Value> read(int (Api::*method)(Subject..., Argument, Value&), Argument argument) {
    return reading<Value>(
        [&](Subject... subject, Value& value) { return (api_.*method)(subject..., argument, value); });
  }
  // The code that reported the lost device, or success.
  [[nodiscard]] int lost() const { return lost_; }

 private:
  template <class Value, class Call>
  Reading<Value> reading(Call call) {
    if (lost_ != 0) return failed(code_text(codes_.api, lost_));
    Value value{};
    const int code = std::apply([&](Subject... subject) { return call(subject..., value); }, subject_);
    if (code == 0) return value;
    if (code == codes_.lost) lost_ = code;
    const std::string why = code_text(codes_.api, code);
    return code == codes_.not_supported || code == function_not_found ? absent(why) : failed(why);
  }

  Api& api_;
  VendorCodes codes_;
  std::tuple<Subject...> subject_;
  int lost_ = 0;
};

// A UUID for the report: the prefix and the first eight hex digits, or all of it.
std::string reported_uuid(const std::string& uuid, bool redact);

// "…/libcuda.so.550.54.14" -> "550.54.14"; absent if the name ends in no dotted version.
Text version_in_file_name(const std::string& path);

// "0000:AF:00.0" -> "0000:af:00.0".
std::string address_as_linux_writes_it(const std::string& id);

// Receives what is known so far, before calls that may not return.
template <class Section>
using Progress = std::function<void(const Section&)>;

// A vendor library, and the section of the snapshot that it fills.
template <class Section>
struct VendorLibraryFacts {
  const char* probe;  // its name in `probes`
  const char* name;   // "the CUDA driver was not loaded"
  const char* init;   // "cuInit"
  const char* well;   // its success code: "CUDA_SUCCESS"
  VendorCodes codes;
  Reading<Section> Snapshot::*section;
  Text Section::*file;                  // the member for the file that was loaded
  Text Section::*error;                 // the member for the reason why it doesn't initialise
  Section (*not_read)(const Missing&);  // every reading that the library should have filled
};

// Marks every reading that is not known yet as missing for this reason.
template <class Section>
void leave_unread(Section& section, const VendorLibraryFacts<Section>& vendor, const Text& error, const Missing& why) {
  section.*vendor.error = error;
  each_pair(section, vendor.not_read(why), [](std::string_view, auto& field, const auto& owed) {
    if (field.outcome() == Outcome::not_probed) field = owed;
  });
}

// Loads and initialises the library; `early` queries what needs no initialisation; each step is reported. False:
// its readings say why it failed.
template <class Section, class Api>
bool initialise(Section& section, Api& api, const VendorLibraryFacts<Section>& vendor, const Progress<Section>& report,
                const std::function<void()>& early = {}) {
  section.*vendor.file = api.library();
  if (const Text& file = section.*vendor.file; !file.get()) {
    const std::string why = fmt::format("{} was not loaded: {}", vendor.name, file.why());
    leave_unread(section, vendor, failed(why), {file.outcome(), why});  // absent would mean that it initialised
    return false;
  }
  report(section);
  if (early) {
    early();
    report(section);
  }
  if (const int code = api.init(); code != 0) {
    const std::string error = code_text(vendor.codes.api, code);
    leave_unread(section, vendor, error, failed(fmt::format("{}: {}", vendor.init, error)));
    return false;
  }
  section.*vendor.error = absent(vendor.well);
  return true;
}

// The devices of an API that counts them: CUDA and HIP name their calls alike. read(ordinal, device or why not).
template <class Device, class Api, class Read>
List<Device> list_devices(Api& api, const VendorCodes& codes, const std::string& prefix, Read read) {
  constexpr int most = 1024;  // slices of a full host
  int count = 0;
  if (const int code = api.device_count(count); code != 0)
    return failed(fmt::format("{}GetCount: {}", prefix, code_text(codes.api, code)));
  if (count < 0 || count > most) return failed(fmt::format("{}GetCount counts {} devices", prefix, count));
  std::vector<Device> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    int device = 0;
    const int code = api.device(ordinal, device);
    const std::string why = code == 0 ? "" : fmt::format("{}Get: {}", prefix, code_text(codes.api, code));
    devices.push_back(read(ordinal, code == 0 ? Reading<int>(device) : Reading<int>(failed(why))));
  }
  return devices;
}

// The file that caused the child's end.
std::string blamed_file(const std::string& library, const Text& file, const Ended& ended);

// Reads a vendor library, by soname or path, in a child. What `read` reports early, followed by a call, is kept if the
// child dies in that call; what it did not report becomes failed("<file>: ended by SIGSEGV in cuInit"), and that file
// is the culprit. `over` is called last in every case; it may be empty.
template <class Section>
void start_vendor(Session& session, const VendorLibraryFacts<Section>& vendor, const std::string& library,
                  Limits limits, std::function<Section(const Trace&, const Progress<Section>&)> read,
                  std::function<void()> over = {}) {
  const auto part_of = [section = vendor.section](const Section& value) {
    Snapshot part;
    part.*section = value;
    return part;
  };
  session.start(
      vendor.probe, library, limits,
      [part_of, read = std::move(read)](const Channel& channel) {
        const Trace trace = [&channel](const std::string& call) { channel.step(call); };
        return part_of(read(trace, [&](const Section& so_far) { channel.answer(to_json(part_of(so_far))); }));
      },
      [&session, vendor, library, part_of, over = std::move(over)](const Ended& ended, const Snapshot&) {
        if (ended.how != Ended::How::answered) {
          const Snapshot early = early_answer(ended);
          session.add(early);
          const Text file = (early.*vendor.section).then([&](const Section& known) { return known.*vendor.file; });
          const std::string blamed = blamed_file(library, file, ended);
          session.blame(vendor.probe, library, blamed);
          session.add(part_of(vendor.not_read(failed(blamed + ": " + ended.why))));
        }
        if (over) over();
      });
}

// Text that a foreign library wrote: control characters become '?', a text longer than 200 bytes is truncated.
std::string tame(const std::string& text);

// Failed: no machine has that much, so the driver's answer is invalid.
inline Number mib(std::uint64_t bytes) {
  return plausible("/memory_free_mib", static_cast<std::int64_t>(bytes >> 20U));
}

constexpr VendorCodes nvml_codes{.api = "nvml", .not_supported = nvml::not_supported, .lost = nvml::gpu_is_lost};

// What NVML reports about this host's GPUs. Initialises, and shuts down if that succeeded.
Nvidia read_nvml(nvml::Api& api, bool redact, const Progress<Nvidia>& report);
// What the CUDA driver reports to an application started in this environment. Creates no context.
Nvidia read_cuda(cuda::Api& api, bool redact, const Progress<Nvidia>& report);
// What HIP reports to an application started in this environment. The gfx target and serial number come from KFD.
Rocm read_hip(hip::Api& api, const Progress<Rocm>& report);
// What the Level Zero loader reports to an application: the devices of all its drivers, in its order.
LevelZero read_level_zero(level_zero::Api& api, const Progress<LevelZero>& report);

// Read one library in a child; if the child dies, its missing readings become failed. `over` is called when these are
// in the snapshot.
void start_nvml(Session& session, const std::string& soname_or_path, Limits limits, std::function<void()> over = {});
void start_cuda(Session& session, const std::string& soname_or_path, Limits limits, std::function<void()> over = {});
void start_hip(Session& session, const std::vector<std::string>& sonames_or_paths, Limits limits);
void start_level_zero(Session& session, const std::string& soname_or_path, Limits limits);

}  // namespace envdoctor
