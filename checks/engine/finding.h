#pragma once
// The answers of checks, of which reports consist.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor {

enum class Severity { info, warning, error };
enum class Confidence { possible, likely, certain };
// The layers from silicon to training, in order.
enum class Layer { hardware, kernel_driver, device_node, user_driver, visibility, runtime, framework, compute, use };
enum class LayerState { ok, broken, unknown, not_applicable };
enum class CheckState { not_applicable, passed, unknown, failed };  // a later one takes precedence
enum class Verdict { pass, warn, fail, incomplete };

std::string_view text(Severity value);
std::string_view text(Confidence value);
std::string_view text(Layer value);  // as in the file format: "kernel-driver"
std::string_view text(LayerState value);
std::string_view text(CheckState value);
std::string_view text(Verdict value);

// One piece of evidence: a place in the snapshot (JSON pointer), or a line of a log.
struct Evidence {
  std::string path{};    // "/nvidia/cuinit_error", or "log"
  std::string value{};   // the value there, in readable form
  std::string source{};  // for values read from text: its name and line
  std::int64_t line = 0;
  std::int64_t cell = 0;  // of a notebook, from 1; its line is that in the cell
  auto operator<=>(const Evidence&) const = default;
};

struct Fix {
  std::string text{};
  std::string command{};  // exact for this host, or empty
  bool operator==(const Fix&) const = default;
};

struct Finding {
  std::string id{};
  std::string subject = "host";
  Severity severity = Severity::error;
  Confidence confidence = Confidence::certain;
  Layer layer = Layer::hardware;  // the catalogue's unless the check sets it
  std::string title{};            // likewise
  std::string explanation{};
  std::vector<Evidence> evidence{};
  std::vector<Fix> fix{};
  bool root = true;
  std::vector<std::string> caused_by{};  // ids
  std::string doc{};
  bool operator==(const Finding&) const = default;
};

struct LayerResult {
  Layer layer = Layer::hardware;
  LayerState state = LayerState::unknown;
  std::string why{};
};

// One GPU in one stack.
struct GpuStack {
  std::string subject{};  // "gpu:0000:65:00.0"
  std::string name{};
  std::string stack{};  // cuda, opencl, rocm, level-zero
  std::vector<LayerResult> layers{};
  [[nodiscard]] const LayerResult* first(LayerState state) const;  // the lowest layer in this state; null: none
  [[nodiscard]] const LayerResult* first_broken() const { return first(LayerState::broken); }
};

struct CheckResult {
  std::string id{};
  CheckState state = CheckState::unknown;
  std::string why{};
};

}  // namespace envdoctor
