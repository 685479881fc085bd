// How programs find a driver for video: the files that libva opens one after the other, and the encoders of all makers
// that a program asks for. That one of them is not there is a fault only where no other serves.
#include <re2/re2.h>

#include <map>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

using enum SymptomClass;

struct OpenedDriver {
  std::size_t row = 0;
  std::string_view line{};
  std::string name{};
  bool started = false;  // the file was loaded, and its function was called
};

// "libva info: Trying to open …/iHD_drv_video.so", "Found init function", "va_openDriver() returns -1": by driver.
class VideoDrivers {
 public:
  // Logs that went through JSON or a web page may have lost their blanks and ends of lines.
  void read(std::string_view line, std::size_t row) {
    static const LazyRegex step(
        R"((?:Trying ?to ?open ?|libva error: )[\w./-]*?/(\w+?)_drv_video\.so|(Found ?init ?func))"
        R"(|va_openDriver\(\) ?returns ?(-?\d+)|(vainfo: ?Driver ?version))"
        R"(|(IOCTL_I915\w+ failed: Invalid argument|get chip id failed))",
        RE2::Latin1);
    re2::StringPiece rest = piece_of(line.substr(0, 4000));
    std::string name, found, result, version, refused;
    while (RE2::FindAndConsume(&rest, step, &name, &found, &result, &version, &refused)) {
      if (!name.empty()) {
        last_ = name;
        attempts_.try_emplace(name, OpenedDriver{row, line, name});
      }
      const auto attempt = attempts_.find(last_);
      if (!found.empty() && attempt != attempts_.end()) attempt->second.started = true;
      if (contains(line, "init failed") && attempt != attempts_.end()) attempt->second.started = true;
      if (!refused.empty() && !refused_) refused_ = OpenedDriver{row, line};
      failed_ = failed_ || (!result.empty() && result != "0");
      works_ = works_ || !version.empty() || result == "0";
    }
  }

  void report(Snapshot& snapshot) const {
    if (attempts_.empty()) return;
    const bool of_nvidia = attempts_.size() == 1 && attempts_.contains("nvidia");
    if (works_ || (of_nvidia && failed_)) {
      for (const auto& [name, one] : attempts_)
        add_symptom(snapshot,
                    {harmless, works_ ? "a video driver that another one replaces"
                                      : "a video driver that NVIDIA's own decoder does without"},
                    one.row, one.line);
      return;
    }
    if (!failed_) return;
    if (refused_) {
      add_symptom(snapshot, {mismatch, "video-driver-and-node"}, refused_->row, refused_->line);
      return;
    }
    std::string loaded;
    for (const auto& [name, one] : attempts_)
      if (one.started) loaded = name;
    const OpenedDriver* first = nullptr;
    for (const auto& [name, one] : attempts_) {
      const bool of_a_maker = name == "iHD" || name == "i965" || name == "radeonsi" || name == "r600";
      // Intel's older driver starts no newer GPU: then the newer one is what lacks.
      if (one.started || !of_a_maker || (!loaded.empty() && name != "iHD")) continue;
      if (!first || one.row < first->row) first = &one;
    }
    if (first)
      add_symptom(snapshot, {missing, "video-driver"}, first->row, first->line).details = {
          {"library", first->name + "_drv_video.so"}, {"loaded", loaded}};
  }

 private:
  std::map<std::string, OpenedDriver> attempts_{};
  std::string last_{};
  std::optional<OpenedDriver> refused_{};
  bool failed_ = false, works_ = false;
};

// "qsv: is available on this system", "Found H.264 encoder: hevc_vaapi": another maker's encoder serves.
bool other_encoder_serves(std::string_view line) {
  static const LazyRegex form(
      R"((?i)\b(?:qsv|quick ?sync|vcn|vce|amf|vaapi|videotoolbox)\b\W{1,3}(?:is |encoder |encoding )*(?:available|supported)\b)"
      R"(|\bfound\b[^\n]{0,40} encoders?\b\W[^\n]{0,20}(?:qsv|quick ?sync|amf|vaapi|videotoolbox)\b)",
      RE2::Latin1);
  return RE2::PartialMatch(piece_of(line), form);
}

// What FFmpeg says where the encoder that it couldn't open was the one to use.
bool ends_the_work(std::string_view line) {
  return contains(line, "rror while opening encoder") || contains(line, "Conversion failed") ||
         contains(line, "rror opening encoder") || contains(line, "rror initializing output stream");
}

}  // namespace

bool starts_video(std::string_view line) {
  return contains(line, "_drv_video.so") || contains(line, "nvEncodeAPI") || contains(line, "nvidia-encode") ||
         contains(line, "nvcuda.dll") || contains(line, "nvcuvid") || contains(line, "Cannot load libcuda.so");
}

Snapshot parse_video(const std::string& text) {
  Snapshot snapshot;
  VideoDrivers drivers;
  std::map<std::size_t, std::string_view> not_loaded;
  bool other = false, ended = false;
  std::size_t row = 0;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    if (contains(line, "va") || contains(line, "video") || contains(line, "ailed")) drivers.read(line, at);
    if (line.size() > 500) continue;
    if (contains(line, "annot load ") && starts_video(line) && not_loaded.size() < 16) not_loaded.emplace(at, line);
    other = other || other_encoder_serves(line);
    ended = ended || ends_the_work(line);
  }
  drivers.report(snapshot);
  if (!other || ended) return snapshot;
  for (const auto& [at, line] : not_loaded)
    add_symptom(snapshot, {harmless, "NVIDIA's encoder on a host with another"}, at, line);
  return snapshot;
}

}  // namespace envdoctor
