#pragma once
#include <string>
#include <vector>

#include "evidence/snapshot.h"

namespace envdoctor {

// A ladder of sizes of one kernel on one device, against the fastest of the other CPU devices.
struct Crossover {
  std::string device{};
  std::string what{};            // "LSTM step, batch 1"
  std::string variable{};        // "hidden"
  std::int64_t largest = 0;      // size that was tried
  // The smallest size from which on the device is faster in all that were tried; 0: none.
  std::int64_t from = 0, from_with_copies = 0;
  bool copies_known = false;
  // Of the device's time at the largest size where the CPU wins, or at the smallest of all where it never does: what
  // takes most.
  std::string dominant{};        // "launching", "copies", "computing"
  double dominant_share = 0;
};
std::vector<Crossover> crossovers(const Snapshot& snapshot);

// From which size on each device is faster than this host's CPU, with and without copies. Empty: no ladder was timed.
std::string crossover_text(const Snapshot& snapshot);

// Whether a row is a rung of such a ladder, and not its largest: too many for a table.
bool is_minor_rung(const Snapshot& snapshot, const ComputeResult& result);

}  // namespace envdoctor
