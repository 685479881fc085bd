// nvidia-smi mig -lgi and -lci: GPU instances, and the compute instances which CUDA needs.
#include <re2/re2.h>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {

bool starts_mig_instances(std::string_view line) {
  return contains(line, "GPU instances:") || contains(line, "Compute instances:") ||
         contains(line, "instances found: Not");
}

Snapshot parse_mig_instances(const std::string& text) {
  using enum SymptomClass;
  // "|   0  MIG 3g.20gb          9        1          0:4     |", and with the GPU instance before the name for -lci.
  static const LazyRegex instance(R"(\|\s+(\d{1,3})(?:\s+\d{1,3})?\s+MIG (\d+g\.\d+gb\S*)\s+(\d+)\s+(\d+)\s.*\|\s*)",
                                  RE2::Latin1);
  Snapshot snapshot;
  std::size_t row = 0, gpu_instances = 0, compute_instances = 0, none_row = 0;
  std::string_view none;
  bool compute = false;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    if (contains(line, "GPU instances:")) compute = false;
    if (contains(line, "Compute instances:")) compute = true;
    if (contains(line, "o compute instances found") || contains(line, "o GPU instances found"))
      none = line, none_row = at;
    std::string gpu, name, profile, number;
    if (line.starts_with("|") && contains(line, " MIG ") && line.size() < 300 &&
        RE2::FullMatch(piece_of(line), instance, &gpu, &name, &profile, &number))
      ++(compute ? compute_instances : gpu_instances);
  }
  if (!none.empty() && compute_instances == 0)
    add_symptom(snapshot, {missing, "mig-instance"}, none_row, none).details["gpu_instances"] =
        std::to_string(gpu_instances);
  return snapshot;
}

}  // namespace envdoctor
