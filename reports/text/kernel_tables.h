#pragma once
// The parts of reports about kernels: arithmetic, speed, and from which size on a device is faster than the CPU.
#include "evidence/snapshot.h"

namespace envdoctor {

// For each device on which kernels ran: how many results were right and how closely, which arithmetic was used, and
// what could not run. Also without faults, because it shows whether results are reproducible. Empty: nothing ran. Not
// `in_full`, CPU devices without faults take one line.
std::string arithmetic_text(const Snapshot& snapshot, bool in_full = true);

// What 'agree' compared in the user's model, and how closely the two sides agree. Empty: no model was run.
std::string model_text(const Snapshot& snapshot);

// The same as sentences without indentation: how it was compared, how many layers are within their bounds, the output.
std::vector<std::string> model_sentences(const ModelAgreement& model);

// The result of one call of a layer: "within the bound, 0.12 of it", "✕ 40 times the bound", "? not compared: ...".
std::string layer_outcome(const ModelAgreement& model, std::size_t index);

// For each device that was timed: every kernel's time with its uncertainty, its rate, the share of the device's peak,
// and how many times faster it is than the fastest of this host's CPU devices. Empty: nothing was timed.
std::string speed_text(const Snapshot& snapshot);

// "78.7 us", "1.94 ms".
std::string time_text(double ms);

// One kernel at several sizes on one device, against the fastest of the other CPU devices.
struct Crossover {
  std::string device{};
  std::string what{};        // "LSTM step, batch 1"
  std::string variable{};    // "hidden"
  std::int64_t largest = 0;  // size that was run
  // The smallest size from which on the device is faster at all sizes that were run; 0: none.
  std::int64_t from = 0, from_with_copies = 0;
  bool copies_known = false;
  // The largest part of the device's time at the largest size where the CPU wins, or at the smallest size if it never
  // does.
  std::string dominant{};  // "launch overhead", "copies", "compute"
  double dominant_share = 0;
};
std::vector<Crossover> crossovers(const Snapshot& snapshot);

// From which size on each device is faster than this host's CPU, with and without copies. Empty: no such series was
// timed.
std::string crossover_text(const Snapshot& snapshot);

// Whether a row is one size of such a series, and not its largest: too many for a table.
bool is_minor_size(const Snapshot& snapshot, const ComputeResult& result);

}  // namespace envdoctor
