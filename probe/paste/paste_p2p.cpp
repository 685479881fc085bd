// p2pBandwidthLatencyTest: the same copies between GPUs with peer access off and on; rocm_bandwidth_test: who reaches
// whom.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

constexpr std::size_t most_peers = 64, most_matrices = 8;

struct Matrix {
  bool both_ways = false, peer = false;
  std::vector<std::vector<double>> rows{};
};

// "Bidirectional P2P=Enabled Bandwidth Matrix (GB/s)"
std::optional<Matrix> matrix_title(std::string_view line) {
  if (!starts_p2p_matrix(line)) return std::nullopt;
  return Matrix{.both_ways = contains(line, "Bidirectional"), .peer = contains(line, "=Enabled")};
}

// "     0 643.21  11.14", the row's number first.
bool matrix_row(std::string_view line, Matrix& matrix) {
  const auto words = words_of(line.substr(0, 2000));
  if (words.size() < 2 || words.size() > most_peers + 1 || number_of<std::size_t>(words[0]) != matrix.rows.size())
    return false;
  auto& row = matrix.rows.emplace_back();
  for (std::size_t i = 1; i < words.size(); ++i) row.push_back(number_of<double>(words[i]).value_or(-1));
  return true;
}

// The slowest copy from one GPU to another with peer access, compared with the same copy without it.
void compare(const Matrix& off, const Matrix& on, Snapshot& snapshot) {
  double worst = 1, slow = 0, fast = 0;
  for (std::size_t i = 0; i < std::min(off.rows.size(), on.rows.size()); ++i) {
    for (std::size_t j = 0; j < std::min(off.rows[i].size(), on.rows[i].size()); ++j) {
      const double without = off.rows[i][j], with = on.rows[i][j];
      if (i == j || without <= 0 || with < 0 || with / without >= worst) continue;
      worst = with / without;
      slow = with;
      fast = without;
    }
  }
  if (worst >= 0.5) return;
  Symptom& symptom = snapshot.log.fill().emplace_back();
  symptom.class_ = "slow";
  symptom.subject = "peer-copy";
  symptom.details = {{"with_gbps", fmt::format("{:.2f}", slow)}, {"without_gbps", fmt::format("{:.2f}", fast)}};
}

}  // namespace

bool starts_p2p_matrix(std::string_view line) {
  return contains(line, "Bandwidth") && contains(line, "Matrix (GB/s)") && contains(line, "P2P=");
}

Snapshot parse_p2p_matrix(const std::string& text) {
  std::vector<Matrix> matrices;
  bool inside = false;
  for (const std::string_view line : lines_of(text)) {
    if (auto title = matrix_title(line)) {
      inside = matrices.size() < most_matrices;
      if (inside) matrices.push_back(std::move(*title));
    } else if (inside && !contains(line, "D\\D")) {
      inside = matrix_row(line, matrices.back());
    }
  }
  Snapshot snapshot;
  for (const Matrix& on : matrices) {
    if (!on.peer || snapshot.log.get()) continue;
    for (const Matrix& off : matrices)
      if (!off.peer && off.both_ways == on.both_ways && !snapshot.log.get()) compare(off, on, snapshot);
  }
  return snapshot;
}

// rocm_bandwidth_test's table of who reaches whose memory: "Device Access", then rows of 1 and 0.
bool starts_rocm_access(std::string_view line) {
  const std::string_view title = trimmed(line);
  return title == "Device Access" || title == "Inter-Device Access";
}

Snapshot parse_rocm_access(const std::string& text) {
  Snapshot snapshot;
  Matrix matrix;
  std::size_t row = 0;
  bool inside = false;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    const bool title = starts_rocm_access(line);
    inside = inside || title;
    if (!inside || title || trimmed(line).empty() || contains(line, "D/D")) continue;
    if (!matrix_row(line, matrix)) break;
    if (std::ranges::find(matrix.rows.back(), 0) == matrix.rows.back().end()) continue;
    add_symptom(snapshot, {SymptomClass::unsupported, "peer-access"}, at, line);
    break;
  }
  return snapshot;
}

}  // namespace envdoctor
