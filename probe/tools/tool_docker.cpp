// docker info, docker inspect of containers and images, and nvidia-ctk cdi list: whether the engine can pass on
// GPUs, whether a container was given one, and which CUDA an image requires of the driver.
#include <re2/re2.h>

#include <algorithm>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {

bool starts_docker(std::string_view line) {
  const std::string_view words = trimmed(line);
  return words.starts_with("Runtimes: ") || words.starts_with("\"DeviceRequests\":") ||
         contains(line, "\"NVIDIA_REQUIRE_CUDA=") || contains(line, "\"NVIDIA_VISIBLE_DEVICES=") ||
         contains(line, "CDI devices");
}

Snapshot parse_docker(const std::string& text) {
  using enum SymptomClass;
  // "NVIDIA_REQUIRE_CUDA=cuda>=12.4 brand=tesla,driver>=470,driver<471 …", one variable a line of an image's Env.
  static const LazyRegex asks(R"re("NVIDIA_REQUIRE_CUDA=cuda>=(\d{1,2}\.\d).*)re", RE2::Latin1);
  static const LazyRegex hides(R"re("NVIDIA_VISIBLE_DEVICES=(?:void|none|)",?)re", RE2::Latin1);
  Snapshot snapshot;
  std::string cuda;
  std::size_t row = 0, requests_row = 0;
  std::string_view requests;
  bool runtime = false;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    const std::string_view words = trimmed(line.substr(0, 1000));
    if (words.starts_with("Runtimes: ") && contains(words, "runc") && !contains(words, "nvidia") &&
        !contains(words, "amd"))
      add_symptom(snapshot, {missing, "engine-runtime-for-gpu"}, at, line);
    if (words.starts_with("\"DeviceRequests\": null") || words.starts_with("\"DeviceRequests\": []"))
      requests = line, requests_row = at;
    if (words.starts_with("\"Runtime\": \"nvidia\"") || contains(words, "\"PathOnHost\": \"/dev/")) runtime = true;
    if (contains(words, "NVIDIA_REQUIRE_CUDA=") && RE2::FullMatch(piece_of(words), asks, &cuda))
      add_symptom(snapshot, {noted, "image-needs-cuda"}, at, line).details["cuda"] = cuda;
    if (contains(words, "NVIDIA_VISIBLE_DEVICES=") && RE2::FullMatch(piece_of(words), hides))
      add_symptom(snapshot, {missing, "device-request-of-container"}, at, line);
    if (contains(words, "Found 0 CDI devices")) add_symptom(snapshot, {missing, "container-spec"}, at, line);
  }
  if (!requests.empty() && !runtime)
    add_symptom(snapshot, {missing, "device-request-of-container"}, requests_row, requests);
  return snapshot;
}

}  // namespace envdoctor
