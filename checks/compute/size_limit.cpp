// compute.size-limit: right up to a size and wrong above, every time, with success reported.
#include "checks/compute/compute_facts.h"
#include "checks/engine/rule.h"

namespace envdoctor::compute_size_limit {

using enum SymptomClass;

void describe(Finding& finding, const std::vector<compute::Row>& rows) {
  std::int64_t smallest = 0;
  for (const compute::Row& row : rows) {
    const auto* limit = row.result->limit.get();
    if (!limit) continue;
    finding.evidence.push_back(evidence(at("/compute", row.index, "limit"), fmt::format("{}", *limit)));
    smallest = smallest == 0 ? *limit : std::min(smallest, *limit);
  }
  finding.title = "The device gives wrong results above a size";
  finding.explanation =
      fmt::format("Results are wrong {}{}, and the driver reports success.", compute::in_problems(rows),
                  smallest > 0 ? fmt::format(": right up to {}, wrong from {} on", smallest, smallest + 1) : "");
  finding.fix = {{.text = smallest == 65535
                              ? "Update the driver: older Mesa (llvmpipe) ends every work-item after 65535 loop "
                                "iterations. Until then keep loops shorter, or use another device."
                              : "Update the driver; until then split the work into smaller pieces."}};
}

void judge(const Facts& facts, Answers& answers) {
  compute::judge_cause(facts, answers, WrongResult::size_limit, describe);
}

// torch.compile tries kernels that may not fit, and passes those over.
bool launched(const Facts& facts) {
  return std::ranges::none_of(
      facts.harmless(), [](const Symptom* line) { return line->subject.is("a kernel that autotuning leaves out"); });
}

// A number that doesn't fit into 32 bits, in a call of a GPU's library.
bool in_gpu_library(const Facts& facts) { return facts.saw({{noted, "gpu-library-frame"}}); }

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "compute.size-limit",
      .layer = Layer::compute,
      .severity = Severity::error,
      .title = "The problem is larger than an index or limit of the library",
      .claim = "A size passes a 32-bit index or a limit of the kernel.",
      .proof = "The call fails with the library's own size error, or is right just below a power of two and not above.",
      .disproof = "The same kernel is right at this size.",
      .remedy = "Split the work into smaller pieces.",
      .symptoms =
          {
              {{limited, "problem-size"}, likely, launched},
              {{limited, "32-bit-number"}, likely, in_gpu_library},
              {{wrong_result, "above-a-size"}, likely, nullptr, "near", "yes"},
              {{wrong_result, "above-a-size"}, possible, nullptr, "near", "no"},
              // Most often the program asks for groups that no device has; its own limits are the device's right.
              {{limited, "work-group-size"}, possible},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::compute_size_limit
