#pragma once
// Compares hosts: the differences between their snapshots, and their possible effects.
#include "evidence/snapshot.h"
#include "knowledge/differences.h"

namespace envdoctor::compare {

// A value in one document.
struct ShownValue {
  bool known = false;  // false: not probed, or the probe failed
  std::string text{};  // the value; "none" if the host has none; the reason if it is unknown
  bool operator==(const ShownValue&) const = default;
};

struct Difference {
  std::string path{};  // "/libraries/libcudnn.so.9/version": members of lists by their name, GPUs by their order
  knowledge::Changes changes = knowledge::Changes::neither;
  std::string why{};
  std::vector<ShownValue> values{};  // one per document
  [[nodiscard]] bool all_known() const;
};

// One kernel's results on all documents that have it.
enum class Bits { same, within_bound, outside, not_known };
struct KernelDifference {
  std::string kernel{};  // "gemm fp32 k=1024 m=1024 n=1024"
  Bits bits = Bits::not_known;
  std::string why{};                  // why they may differ: fused, TF32 inputs, flushed subnormals, nondeterministic
  std::vector<std::string> values{};  // one per document: outcome and device; empty: not run there
};

// The speed of one kernel on one device, relative to the first document.
struct SpeedDifference {
  std::string device{};
  std::string kernel{};          // "gemm fp32 k=m=n=1024", "copy-in pinned bytes=64Mi"
  std::vector<double> ratios{};  // one per document: speed relative to the first; 0: not timed in both
  std::vector<bool> clear{};     // the two intervals don't overlap
};

// A kernel that was wrong at the same places in several runs, with the result of each run.
enum class Cards { same, other, not_known };
struct RecurringFault {
  std::string device{};
  std::string kernel{};                // "gemm fp32 k=1024 m=1024 n=1024"
  std::vector<std::int64_t> places{};  // elements that were wrong in two runs or more, as far as samples are kept
  bool same_bits = true;               // each time with the same wrong bits
  int runs = 0;                        // runs in which one of these places was wrong
  Cards cards = Cards::not_known;      // of these runs
  std::vector<std::string>
      history{};  // one per document: when, how wrong; empty: not run there, or the same run as before
};

struct Comparison {
  std::vector<std::string> names{};       // of the documents
  std::vector<Difference> differences{};  // results first, then speed, then neither; by path
  std::vector<KernelDifference> kernels{};
  std::vector<SpeedDifference> speeds{};  // by device
  std::vector<RecurringFault> faults{};
  [[nodiscard]] bool identical() const;  // in everything that was compared, including times
  // Whether something that affects results differs, and is known for all, or only for some.
  [[nodiscard]] bool results_differ(bool known) const;
  [[nodiscard]] bool results_may_differ() const { return results_differ(true); }
  [[nodiscard]] bool results_unknown() const { return results_differ(false); }
};

// At least two documents, each with its name.
Comparison compare_snapshots(const std::vector<Snapshot>& snapshots, const std::vector<std::string>& names);

std::vector<KernelDifference> compare_kernels(const std::vector<Snapshot>& snapshots);

std::vector<SpeedDifference> compare_speeds(const std::vector<Snapshot>& snapshots);
// Runs with the same time count as one.
std::vector<RecurringFault> recurring_faults(const std::vector<Snapshot>& snapshots);
// Over all kernels of a device; 0: none.
double median_ratio(const std::vector<SpeedDifference>& speeds, const std::string& device, std::size_t document);

std::string text_of(const Comparison& comparison);
std::string json_of(const Comparison& comparison);

}  // namespace envdoctor::compare
