// compute.wrong-results: a result outside the bound that rounding can explain, unless another diagnosis names its
// cause.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "checks/compute_facts.h"

namespace envdoctor {
namespace {

constexpr const char* id = "compute.wrong-results";

struct Told {
  const char* cause;
  const char* title;        // null: the catalogue's
  const char* explanation;  // what the pattern means
  const char* fix;
};

// Most telling first: of several causes on one device the first gives the words.
constexpr std::array<Told, 17> words{{
    {"cudnn", "cuDNN gives wrong results", "The same operation gives right results without cuDNN.",
     "Use another release of cuDNN; until then torch.backends.cudnn.enabled = False does without it."},
    {"onednn", "oneDNN gives wrong results", "The same operation gives right results without oneDNN.",
     "Use another release of the framework; until then torch.backends.mkldnn.enabled = False does without it."},
    {"bit-flip", nullptr, "Single bits of the result are turned, as faulty memory or a faulty bus turns them.",
     "Look at the error counters, test the memory, and exchange the card if it goes on."},
    {"tile", nullptr, "One block of the output is wrong: one compute unit, or its local memory, computes wrong.",
     "Run 'envdoctor verify --repeat 20': if the place moves or comes and goes, the card is faulty."},
    {"nondeterministic", nullptr,
     "The same run gives other results each time, and wrong ones: unstable hardware, or a race in the driver.",
     "Undo overclocking, look at temperature and power, and run 'envdoctor verify --repeat 20' again."},
    {"miscompiled", "The driver's compiler makes wrong code",
     "The same kernel gives right results when it is built without optimisation.",
     "Update the driver, or build with -cl-opt-disable until then."},
    {"not-written", "The device leaves results unwritten",
     "Launches report success, but parts of the output were never written.", "Update or replace the driver."},
    {"out-of-bounds", "The device writes outside the buffer", "Memory beside the output was overwritten.",
     "Update or replace the driver."},
    {"tail", nullptr, "The end of the output is wrong, as where a size is no multiple of the tile.",
     "Update or replace the driver; sizes that are multiples of 64 may be right."},
    {"columns", nullptr, "Whole columns of the output are wrong, as where a size is no multiple of the tile.",
     "Update or replace the driver; sizes that are multiples of 64 may be right."},
    {"other-index", nullptr, "The values are right, but stand at other places: an addressing bug or a stale buffer.",
     "Update or replace the driver."},
    {"lost-terms", nullptr, "One term of each sum is missing: a loop that ends too soon.",
     "Update or replace the driver."},
    {"barrier", nullptr, "Work-items of a group don't wait for each other at barriers: a group of one is right.",
     "Update or replace the driver."},
    {"zeros", nullptr, "Results are zero: they were lost or cleared on the way.", "Update or replace the driver."},
    {"not-a-number", nullptr, "NaN or infinity stands where a number belongs.", "Update or replace the driver."},
    {"scaled", nullptr, "All results are off by one factor.", "Update or replace the driver."},
    {"other-calculation", nullptr,
     "The same wrong results come at every size, in every run and without optimisation: no fault of memory and no "
     "race, but another calculation than the one asked for.",
     "Update or replace the driver."},
}};

// Narrow arithmetic, a limit, flushing and fast-math have diagnoses of their own.
bool picked(const compute::Row& row) {
  static constexpr std::array others = {"size-limit", "flush-to-zero", "fast-math", "unstable"};
  return row.outside() && !compute::is_narrow(row.cause) && std::ranges::find(others, row.cause) == others.end();
}

void tell(Finding& finding, const std::vector<compute::Row>& rows) {
  finding.explanation =
      fmt::format("Results lie outside the bound that rounding can explain {}.", compute::in_problems(rows));
  finding.fix = {{.text = "Update or replace the driver; if it stays, test the GPU's memory and exchange the card."}};
  if (std::ranges::all_of(rows, &compute::Row::by_framework)) {
    finding.title = "The framework gives wrong results on this device";
    finding.fix = {{.text = "Run 'envdoctor verify' as well: if it finds the device sound, use another release of the "
                            "framework; else update or replace the driver."}};
  }
  for (const Told& told : words) {
    if (std::ranges::find(rows, told.cause, &compute::Row::cause) == rows.end()) continue;
    if (told.title) finding.title = told.title;
    finding.explanation += std::string(" ") + told.explanation;
    finding.fix = {{.text = told.fix}};
    break;
  }
}

void run(const Snapshot& snapshot, Answers& answers) { compute::judge(snapshot, answers, id, picked, tell); }

}  // namespace

Check compute_wrong_results() { return {{id}, run}; }

}  // namespace envdoctor
