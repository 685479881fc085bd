// The rows stand in checks/catalogue/<family>.inc, families and ids in alphabetical order.
#include <iterator>
#include <string_view>

#include "checks/check.h"

namespace envdoctor {
namespace {

constexpr Diagnosis rows[] = {
#include "checks/catalogue/benign.inc"
#include "checks/catalogue/compute.inc"
#include "checks/catalogue/cpu.inc"
#include "checks/catalogue/driver.inc"
#include "checks/catalogue/expect.inc"
#include "checks/catalogue/hardware.inc"
#include "checks/catalogue/keras.inc"
#include "checks/catalogue/memory.inc"
#include "checks/catalogue/opencl.inc"
#include "checks/catalogue/python.inc"
#include "checks/catalogue/runtime.inc"
#include "checks/catalogue/script.inc"
#include "checks/catalogue/usage.inc"
#include "checks/catalogue/visibility.inc"
};

constexpr bool sorted_and_unique() {
  for (std::size_t i = 1; i < std::size(rows); ++i) {
    if (std::string_view(rows[i - 1].id) >= rows[i].id) return false;
  }
  return true;
}
static_assert(sorted_and_unique(), "the catalogue's ids must be sorted and unique");

}  // namespace

std::span<const Diagnosis> catalogue() { return rows; }

}  // namespace envdoctor
