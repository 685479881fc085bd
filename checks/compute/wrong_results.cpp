// compute.wrong-results: a result outside the bound that rounding can explain, unless another diagnosis names its
// cause.
#include "checks/compute/compute_facts.h"
#include "checks/engine/rule.h"

namespace envdoctor::compute_wrong_results {

struct Wording {
  WrongResult cause;
  const char* title;        // null: the catalogue's
  const char* explanation;  // what the pattern means
  const char* fix;
};

// Most significant first: of several causes on one device the first gives the text.
constexpr std::array<Wording, 26> words{{
    {WrongResult::cudnn, "cuDNN gives wrong results", "The same operation gives right results without cuDNN.",
     "Use another release of cuDNN; until then set torch.backends.cudnn.enabled = False."},
    {WrongResult::onednn, "oneDNN gives wrong results", "The same operation gives right results without oneDNN.",
     "Use another release of the framework; until then set torch.backends.mkldnn.enabled = False."},
    {WrongResult::transfer, "Transfers to or from the device lose data",
     "What was sent or read back did not arrive whole, or was read before the work was done.",
     "Update or replace the driver; look for errors of the bus (PCIe) in the kernel's log."},
    {WrongResult::inputs_overwritten, "The device overwrites its inputs",
     "After a launch the device's inputs are not what was sent, though no kernel writes to them.",
     "Update or replace the driver."},
    {WrongResult::stale, "The device returns results of earlier inputs",
     "On other inputs the bits of the run before came back: something caches results, or a transfer was dropped.",
     "Update or replace the driver, and take layers (OPENCL_LAYERS) and caches out of its way."},
    {WrongResult::function, "A function of the device is inexact",
     "One function errs beyond the standard's limit wherever it is evaluated, so that the driver's mathematical "
     "library or its compiler is wrong, not the card.",
     "Update or replace the driver."},
    {WrongResult::rounding_mode, "The device doesn't round to nearest",
     "Single operations are rounded another way: a rounding mode that something set and did not set back.",
     "Update or replace the driver; look for a library in the process that changes the rounding mode."},
    {WrongResult::bit_flip, nullptr,
     "Single bits of the result are flipped, as faulty memory or a faulty bus flips them.",
     "Test the memory and look at the error counters; if they count errors too, replace the card."},
    {WrongResult::tile, nullptr,
     "One place of the output is wrong, as where one compute unit or its local memory computes wrong.",
     "The place comes and goes, or stays whatever is computed there: undo overclocking, and replace the card if it "
     "stays wrong with another driver."},
    {WrongResult::nondeterministic, nullptr,
     "The same run gives different results each time, and wrong ones: unstable hardware, or a race in the driver.",
     "Undo overclocking, look at temperature and power, and run 'envdoctor verify --repeat 20' again."},
    {WrongResult::miscompiled, "The driver's compiler generates wrong code",
     "The same kernel gives right results when it is built without optimisation.",
     "Update the driver, or build with -cl-opt-disable until then."},
    {WrongResult::not_written, "The device leaves results unwritten",
     "Launches report success, but parts of the output were never written.", "Update or replace the driver."},
    {WrongResult::out_of_bounds, "The device writes outside the buffer", "Memory beside the output was overwritten.",
     "Update or replace the driver."},
    {WrongResult::last_element, nullptr,
     "Nothing but the last element is wrong: a loop or a launch that ends one too soon.",
     "Update or replace the driver."},
    {WrongResult::moved_count, nullptr,
     "Counts stand in other bins, while none is lost: an addressing bug, or a race of atomics.",
     "Update or replace the driver."},
    {WrongResult::lost_additions, "Additions are lost on the device",
     "Sums or counts lack whole terms: atomic additions that overwrite each other, or work-items that never ran.",
     "Update or replace the driver."},
    {WrongResult::zero_sign, nullptr, "Zeros have the other sign, which changes 1/x and the side of a branch cut.",
     "Update or replace the driver, or build without -cl-no-signed-zeros and fast-math."},
    {WrongResult::tail, nullptr, "The end of the output is wrong, as where a size is no multiple of the tile.",
     "Update or replace the driver; sizes that are multiples of 64 may be right."},
    {WrongResult::columns, nullptr,
     "Whole columns of the output are wrong, as where a size is no multiple of the tile.",
     "Update or replace the driver; sizes that are multiples of 64 may be right."},
    {WrongResult::other_index, nullptr,
     "The values are right, but stand at other places: an addressing bug or a stale buffer.",
     "Update or replace the driver."},
    {WrongResult::lost_terms, nullptr, "One term of each sum is missing: a loop that ends too soon.",
     "Update or replace the driver."},
    {WrongResult::barrier, nullptr,
     "Work-items of a group don't wait for each other at barriers: a group of one is right.",
     "Update or replace the driver."},
    {WrongResult::zeros, nullptr, "Results are zero: they were lost or cleared on the way.",
     "Update or replace the driver."},
    {WrongResult::not_a_number, nullptr,
     "NaN or infinity stands where a number belongs, or a number where they belong.", "Update or replace the driver."},
    {WrongResult::scaled, nullptr, "All results are off by one factor.", "Update or replace the driver."},
    {WrongResult::other_calculation, nullptr,
     "The same wrong results come at every size, in every run and without optimisation: no fault of memory and no "
     "race, but another calculation than the one asked for.",
     "Update or replace the driver."},
}};

// Wrong bits and places are the card's fault only if they vary between runs, or stay with other inputs.
bool needs_proof(WrongResult cause) { return cause == WrongResult::bit_flip || cause == WrongResult::tile; }
bool is_proved(const compute::Row& row) {
  const std::string& by = row.agreement->confirmed_by.or_empty();
  return by.find("repeat") != by.npos || by.find("other inputs") != by.npos || by.find("moved rows") != by.npos;
}
constexpr const char* unproved_fix =
    "Run 'envdoctor verify --repeat 20' and again with another --seed: places that come and go, or are wrong on every "
    "input, would show that the hardware is at fault; else update or replace the driver.";

// Narrow arithmetic, a limit, flushing and fast-math have diagnoses of their own.
bool picked(const compute::Row& row) {
  using enum WrongResult;
  static constexpr std::array others = {size_limit, flush_to_zero, fast_math, unstable};
  return row.outside() && !compute::is_narrow(row.cause) &&
         !(row.cause && std::ranges::find(others, *row.cause) != others.end());
}

void describe(Finding& finding, const std::vector<compute::Row>& rows) {
  finding.explanation =
      fmt::format("Results lie outside the bound that rounding can explain {}.", compute::in_problems(rows));
  if (std::ranges::all_of(rows, &compute::Row::by_chance))
    finding.explanation = fmt::format(
        "Results lie further off than rounding by chance explains, on two sets of inputs, {}; the worst case of "
        "rounding would allow them.",
        compute::in_problems(rows));
  finding.fix = {
      {.text =
           "Update or replace the driver; if the errors stay, run 'envdoctor verify --repeat 20', which shows whether "
           "they come and go."}};
  if (std::ranges::all_of(rows, &compute::Row::by_framework)) {
    finding.title = "The framework gives wrong results on this device";
    finding.fix = {
        {.text =
             "Run 'envdoctor verify' as well: if it finds nothing wrong with the device, use another release of the "
             "framework; else update or replace the driver."}};
  }
  for (const Wording& one : words) {
    if (std::ranges::none_of(rows, [&](const compute::Row& row) { return row.cause == one.cause; })) continue;
    if (one.title) finding.title = one.title;
    finding.explanation += std::string(" ") + one.explanation;
    const bool proved = !needs_proof(one.cause) || std::ranges::any_of(rows, [&](const compute::Row& row) {
      return row.cause == one.cause && is_proved(row);
    });
    finding.fix = {{.text = proved ? one.fix : unproved_fix}};
    break;
  }
}

// MIOpen looked at what it gave a kernel and at what came back.
bool inputs_were_right(const Facts& facts) { return !facts.saw({{SymptomClass::noted, "kernel-given-nan"}}); }

void judge(const Facts& facts, Answers& answers) {
  compute::judge(facts.snapshot(), answers, picked, describe);
  compute::add_printed(facts, answers, WrongResult::unnamed);
}

Diagnosis diagnosis() {
  return {
      .id = "compute.wrong-results",
      .layer = Layer::compute,
      .severity = Severity::error,
      .title = "The device gives wrong results",
      .claim = "A reference kernel's result lies outside the error bound that rounding can explain.",
      .proof = "A reference kernel's result lies outside the bound that rounding explains, or whole numbers differ.",
      .disproof = "The device agrees with the CPU within the bound.",
      .remedy =
          "Update or replace the driver; if the errors stay, run 'envdoctor verify --repeat 20', which shows whether "
          "they come and go.",
      .explains = {"compute.nondeterministic"},
      .symptoms =
          {
              {{SymptomClass::wrong_result, "results-of-cpu-and-gpu"}, Confidence::possible},
              {{SymptomClass::wrong_result, "algorithms"}, Confidence::likely},
              {{SymptomClass::wrong_result, "kernel-makes-nan"}, Confidence::likely, inputs_were_right},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::compute_wrong_results
