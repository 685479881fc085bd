#pragma once
// NVML, CUDA, HIP and Level Zero, each read in a child, and what these probes share: a code's name, a call turned into
// a reading, a child that died before it answered.
#include <string>
#include <tuple>

#include "evidence/json.h"
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
  const char* api;  // as knowledge/codes/error_codes.json calls it
  int not_supported;
  int lost = 0;  // the device is gone: each further call may take seconds to say so again
};

// Calls a vendor's functions on one subject (a device; or none) and turns their codes into readings: not supported, and
// a function that this release lacks, are absent; other codes are failed. After the device was lost, nothing is called.
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
    return reading<Value>([&](Subject... subject, Value& value) { return (api_.*method)(subject..., argument, value); });
  }
  // The code that said that the device is lost, or success.
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

// A UUID as it may be reported: the prefix and the first eight hex digits, or the whole.
std::string reported_uuid(const std::string& uuid, bool redact);

// "12040" -> "12.4".
std::string cuda_version_text(int version);

// "…/libcuda.so.550.54.14" -> "550.54.14"; absent if the name ends in no dotted version.
Text version_in_file_name(const std::string& path);

// "0000:AF:00.0" -> "0000:af:00.0".
std::string address_as_linux_writes_it(const std::string& id);

// Receives what is known so far, before calls that may not come back.
template <class Section>
using Progress = std::function<void(const Section&)>;

// A vendor library read in a child, into one section of the snapshot.
template <class Section>
struct VendorProbe {
  std::string probe{};    // its name in `probes`
  std::string library{};  // soname or path
  Limits limits{};
  Reading<Section> Snapshot::*section = nullptr;
  Text Section::*file = nullptr;  // where the section says which file was loaded
  // In the child. What it reports early, followed by a call, is kept if the child dies in that call.
  std::function<Section(const Trace&, const Progress<Section>&)> read{};
  std::function<Section(const Missing&)> not_read{};  // every reading that the child was to fill
  std::function<void()> over{};                       // called last, however it ended; may be empty
};

// The snapshot that a child of a vendor probe reported before it died.
Snapshot early_answer(const Ended& ended);
// The file to blame for the child's end.
std::string blamed_file(const std::string& library, const Text& file, const Ended& ended);

// If the child dies, what it did not report becomes failed("<file>: ended by SIGSEGV in cuInit"), and that file is
// blamed.
template <class Section>
void start_vendor(Session& session, const VendorProbe<Section>& vendor) {
  const auto part_of = [section = vendor.section](const Section& value) {
    Snapshot part;
    part.*section = value;
    return part;
  };
  session.start(
      vendor.probe, vendor.library, vendor.limits,
      [part_of, read = vendor.read](const Channel& channel) {
        const Trace trace = [&channel](const std::string& call) { channel.step(call); };
        return part_of(read(trace, [&](const Section& so_far) { channel.answer(to_json(part_of(so_far))); }));
      },
      [&session, vendor, part_of](const Ended& ended, const Snapshot&) {
        if (ended.how != Ended::How::answered) {
          const Snapshot early = early_answer(ended);
          session.add(early);
          const Text file = (early.*vendor.section).then([&](const Section& known) { return known.*vendor.file; });
          const std::string blamed = blamed_file(vendor.library, file, ended);
          session.blame(vendor.probe, vendor.library, blamed);
          session.add(part_of(vendor.not_read(failed(blamed + ": " + ended.why))));
        }
        if (vendor.over) vendor.over();
      });
}

// Text that a foreign library wrote: control characters become '?', a text beyond 200 bytes is cut.
std::string tame(const std::string& text);

inline std::int64_t mib(std::uint64_t bytes) { return static_cast<std::int64_t>(bytes >> 20U); }

constexpr VendorCodes nvml_codes{.api = "nvml", .not_supported = nvml::not_supported, .lost = nvml::gpu_is_lost};

// What NVML says of this host's GPUs. Initialises, and shuts down if that went well.
Nvidia read_nvml(nvml::Api& api, bool redact, const Progress<Nvidia>& report);
// What the CUDA driver says to an application started in this environment. Creates no context.
Nvidia read_cuda(cuda::Api& api, bool redact, const Progress<Nvidia>& report);
// What HIP says to an application started in this environment. The gfx target and serial number come from KFD.
Rocm read_hip(hip::Api& api, const Progress<Rocm>& report);
// What the Level Zero loader says to an application: the devices of all its drivers, in its order.
LevelZero read_level_zero(level_zero::Api& api, const Progress<LevelZero>& report);

// Read one library in a child; what a child that dies leaves unknown becomes failed. `over` is called when that is in
// the snapshot.
void start_nvml(Session& session, const std::string& soname_or_path, Limits limits, std::function<void()> over = {});
void start_cuda(Session& session, const std::string& soname_or_path, Limits limits, std::function<void()> over = {});
void start_hip(Session& session, const std::vector<std::string>& sonames_or_paths, Limits limits);
void start_level_zero(Session& session, const std::string& soname_or_path, Limits limits);

}  // namespace envdoctor
