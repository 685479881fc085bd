// scontrol show of a node and of a job: the GPUs that Slurm has on the node, and those that it gave to the job.
#include <re2/re2.h>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {

// scontrol show node: the GPUs that Slurm is configured to have on the node, and why it doesn't allocate them.

bool starts_slurm_node(std::string_view line) { return trimmed(line).starts_with("NodeName="); }

Snapshot parse_slurm_node(const std::string& text) {
  using enum SymptomClass;
  static const LazyRegex state(R"(.*\bState=(\S+).*)", RE2::Latin1);
  static const LazyRegex reason(R"(.*\bReason=(.*?)(?: \[.*)?)", RE2::Latin1);
  static const LazyRegex fewer(
      R"((?i).*gres/gpu\S* count (?:reported lower than configured|too low).*?\((\d+) < (\d+)\).*)", RE2::Latin1);
  Snapshot snapshot;
  std::size_t row = 0;
  std::string states;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    if (line.size() > 1000) continue;
    const re2::StringPiece piece(line.data(), line.size());
    std::string found, has, wants;
    if (contains(line, "State=") && RE2::FullMatch(piece, state, &found)) states = found;
    if (!contains(line, "Reason=") || !RE2::FullMatch(piece, reason, &found)) continue;
    Symptom& symptom = add_symptom(snapshot, {noted, "slurm-node-reason"}, at, line);
    symptom.details = {{"state", states}, {"reason", found.substr(0, 120)}};
    if (RE2::FullMatch(found, fewer, &has, &wants)) {
      // If no GPU is found the driver is the cause; if some are, a card is.
      symptom.class_ = has == "0" ? "missing" : "lost";
      symptom.subject = has == "0" ? "slurm-gpu" : "gpu-of-slurm-node";
      symptom.details["have"] = has;
      symptom.details["configured"] = wants;
    }
  }
  return snapshot;
}

// scontrol show job, or its lines about resources ("trackable resources", TRES): a job that was given processors and no
// GPU.

bool starts_slurm_job(std::string_view line) {
  static const LazyRegex begins(R"(\s*(?:JobId=\d|(?:Req|Alloc)?TRES=\S*cpu=).*)", RE2::Latin1);
  return line.size() < 1000 && contains(line, "=") && RE2::FullMatch(piece_of(line), begins);
}

Snapshot parse_slurm_job(const std::string& text) {
  using enum SymptomClass;
  static const LazyRegex granted(R"(.*?\b(?:Alloc)?TRES=(\S*cpu=\S*).*)", RE2::Latin1);
  Snapshot snapshot;
  std::size_t row = 0;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    std::string resources;
    if (line.size() > 1000 || !RE2::FullMatch(piece_of(line), granted, &resources)) continue;
    if (!contains(resources, "gres/gpu")) add_symptom(snapshot, {missing, "gpu-of-slurm-job"}, at, line);
    break;
  }
  return snapshot;
}

}  // namespace envdoctor
