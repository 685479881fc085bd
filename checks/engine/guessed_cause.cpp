#include "checks/engine/guessed_cause.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "checks/facts/facts.h"
#include "checks/facts/presence.h"

namespace envdoctor {
namespace {

constexpr std::string_view field = "/resembles";
// Of 72 reports that were not learned from and whose cause no rule found, these gave 29 a guess, of which 26 were
// right; so had 3 of 200 quiet ones. In 600 later ones a guess about a text without any line that complains was never
// right, and wrong five times.
constexpr double least_share = 0.35, least_without_complaint = 0.75, never = 2;
// To call a device's results wrong, or other ones each time, by words alone takes more.
constexpr double least_for_results = 0.65;

// A finding that names no cause, only several that are possible, by lines that say of a GPU that it isn't found. Where
// a line speaks of the driver the group is what is known.
bool is_group(const Finding& finding) {
  return finding.id == "driver.unreachable" && finding.confidence == Confidence::possible &&
         std::ranges::all_of(finding.evidence, [](const Evidence& one) {
           return one.path == "log" && one.value.starts_with("missing ") && one.value.find("driver") == one.value.npos;
         });
}

Finding finding_of(const Diagnosis& diagnosis, const ReadText& text, std::size_t i, bool beside_group) {
  Finding finding{.id = diagnosis.id,
                  .severity = beside_group ? Severity::error : Severity::warning,
                  .confidence = Confidence::possible,
                  .layer = diagnosis.layer,
                  .title = diagnosis.title};
  const std::string words = fmt::format("{}", fmt::join(text.resembles.get()->words.or_empty(), ", "));
  finding.explanation = fmt::format(
      "A guess: no line of this text {}, and its words are those of reports with this cause ({}). If that is right: {}",
      beside_group ? "tells which of several causes it is" : "is a known message", words, diagnosis.claim);
  finding.evidence = {evidence(fmt::format("/texts/{}{}", i, field), words)};
  finding.evidence.front().source = text.source.or_empty();
  finding.fix = {{.text = diagnosis.remedy}};
  return finding;
}

// The loader names the library that it lacks, and it is none of CUDA's: "libGL.so.1: cannot open shared object file".
bool lacks_another_library(const ReadText& text) {
  const std::vector<TextLine>& lines = text.notable.or_empty();
  return std::ranges::any_of(lines, [](const TextLine& line) {
    const std::string said = line.text.or_empty();
    const std::size_t end = said.find(": cannot open shared object file");
    if (end == said.npos) return false;
    const std::size_t blank = said.find_last_of(" '\"/", end);
    const std::string name = said.substr(blank == said.npos ? 0 : blank + 1);
    constexpr std::string_view of_cuda[] = {"libcu",    "libnv",  "libnccl",      "libnpp",
                                            "libtorch", "libc10", "libtensorflow"};
    return name.starts_with("lib") &&
           std::ranges::none_of(of_cuda, [&](std::string_view start) { return name.starts_with(start); });
  });
}

double share_needed(const ReadText& text) {
  const std::string cause = text.resembles.get() ? text.resembles.get()->cause.or_empty() : "";
  const bool complains = !text.notable.or_empty().empty() || !text.complaints.or_empty().empty();
  // Tables of links and NCCL's lines have the same words where nothing is wrong.
  if (cause == "hardware.p2p" || cause == "cpu.numa-remote" || (cause == "runtime.nccl" && !complains)) return never;
  if (cause.starts_with("compute.")) return least_for_results;
  if (cause.starts_with("cpu.")) return least_without_complaint;
  return complains ? least_share : least_without_complaint;
}

// Every difference that the text prints is one of rounding.
bool agrees(const Snapshot& snapshot) {
  constexpr double of_rounding = 2e-5;
  const auto printed = symptoms_of(snapshot, {SymptomClass::noted, "printed-difference"});
  return !printed.empty() && std::ranges::all_of(printed, [](const Symptom* one) {
    return std::atof(one->detail("value").c_str()) < of_rounding;
  });
}

bool is_cuda_library_missing(std::string_view id) {
  return id == "runtime.cuda-library-missing" || id == "runtime.cudnn-missing";
}

}  // namespace

bool is_guessed(const Finding& finding) {
  return finding.evidence.size() == 1 && finding.evidence.front().path.starts_with("/texts/") &&
         finding.evidence.front().path.ends_with(field);
}

void add_guessed_cause(const Snapshot& snapshot, const JudgeOptions& options, const std::vector<CheckResult>& results,
                       std::vector<Finding>& findings) {
  const auto names_a_cause = [](const Finding& finding) {
    return finding.severity != Severity::info && !is_group(finding);
  };
  if (!from_report(snapshot) || std::ranges::any_of(findings, names_a_cause)) return;
  const bool beside_group = std::ranges::any_of(findings, is_group);
  const auto& texts = snapshot.texts.or_empty();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Resembles* resembles = texts[i].resembles.get();
    if (!resembles || resembles->share.or_empty() < share_needed(texts[i])) continue;
    const Diagnosis* diagnosis = find_diagnosis(resembles->cause.or_empty());
    if (!diagnosis || !is_wanted(options.only, options.skip, diagnosis->id) ||
        resembles->cause.is("driver.unreachable") || resembles->cause.is("visibility.empty"))
      continue;  // the one is no cause, and what a variable holds is read as it stands
    const bool excluded = std::ranges::any_of(results, [&](const CheckResult& result) {
      return result.id == diagnosis->id && result.state == CheckState::passed;
    });
    if (resembles->cause.or_empty().starts_with("compute.") && agrees(snapshot)) continue;
    if (excluded || (is_cuda_library_missing(diagnosis->id) && lacks_another_library(texts[i]))) continue;
    findings.push_back(finding_of(*diagnosis, texts[i], i, beside_group));
    return;
  }
}

}  // namespace envdoctor
