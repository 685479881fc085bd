// scontrol show of a node and of a job: the GPUs that Slurm has on the node, and those that it gave to the job; and the
// directives of a job's script.
#include <re2/re2.h>

#include <optional>

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

// The directives at the head of a job's script, of which none asks for a GPU. A queue may give one unasked.

namespace {

// The options of a directive of Slurm, LSF, PBS or Cobalt; nothing: it is none.
std::optional<std::string_view> directive(std::string_view line) {
  line = trimmed(line);
  for (const std::string_view mark : {"#SBATCH ", "#BSUB ", "#PBS ", "#COBALT "})
    if (line.starts_with(mark)) return trimmed(line.substr(mark.size()));
  return std::nullopt;
}

}  // namespace

bool starts_job_script(std::string_view line) { return directive(line).has_value(); }

Snapshot parse_job_script(const std::string& text) {
  using enum SymptomClass;
  static const LazyRegex resources(R"(-[npRlmtWN]\b.*|--(?:ntasks|cpus|nodes|mem|time|partition)\b.*)", RE2::Latin1);
  static const LazyRegex gpus(
      R"((?i)gpu|gres|tres|cuda|accel|\b(?:[avhlp]\d{1,3}0{1,2}s?|k80|t4|p4|rtx\w*|mi\d{2,3}\w*|gh200|dgx\w*)\b|constraint|\$)",
      RE2::Latin1);
  static const LazyRegex submits(R"(\b(?:sbatch|srun|salloc|qsub|bsub)\b)", RE2::Latin1);
  Snapshot snapshot;
  std::optional<std::size_t> first;
  std::string_view first_line;
  std::size_t row = 0;
  bool of_resources = false;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    if (line.size() > 300) continue;
    const auto options = directive(line);
    if ((options || RE2::PartialMatch(piece_of(line), submits)) &&
        RE2::PartialMatch(piece_of(options.value_or(line)), gpus))
      return snapshot;
    if (!options) continue;
    of_resources = of_resources || RE2::PartialMatch(piece_of(*options), resources);
    if (!first) {
      first = at;
      first_line = line;
    }
  }
  if (first && of_resources) add_symptom(snapshot, {missing, "gpu-in-job-script"}, *first, first_line);
  return snapshot;
}

}  // namespace envdoctor
