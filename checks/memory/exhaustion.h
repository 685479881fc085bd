#pragma once
// Memory that a program found used up: whose it is, by what its messages say.
#include "checks/facts/symptoms.h"

namespace envdoctor::memory {

enum class Holder {
  program,   // the program itself
  others,    // other processes
  fragments  // the program holds enough of it unused, in pieces too small
};

struct Exhaustion {
  const Symptom* symptom = nullptr;
  Holder holder = Holder::program;
};

// The allocation that failed on a GPU; none: no program speaks of one.
std::optional<Exhaustion> exhaustion_of(const Facts& facts);

// A program's own figure of the free memory at its start, before it took any, where that is little; null: enough, or
// no program says.
const Symptom* little_free_at_start(const Facts& facts);

// A cuDNN, cuBLAS or cuSOLVER handle that couldn't be made although nothing says that versions don't fit: what is left
// is that the memory for it is taken already. Null where an allocation failed as well.
const Symptom* handle_without_memory(const Facts& facts);

}  // namespace envdoctor::memory
