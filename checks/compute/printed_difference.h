#pragma once
// Results of a device and of the CPU that differ, as the program that compares them prints them.
#include <vector>

#include "checks/engine/diagnosis.h"
#include "evidence/compute_results.h"

namespace envdoctor::compute {

struct PrintedDifference {
  const Symptom* symptom = nullptr;
  WrongResult kind = WrongResult::unnamed;  // flush_to_zero, fast_math, tf32_inputs; unnamed: wrong
  Confidence confidence = Confidence::possible;
};

std::vector<PrintedDifference> printed_differences(const Facts& facts);

// A finding of `id` for each of this kind.
void add_printed(const Facts& facts, Answers& answers, const char* id, WrongResult kind);

}  // namespace envdoctor::compute
