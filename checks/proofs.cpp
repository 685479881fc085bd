#include "checks/proofs.h"

#include <algorithm>
#include <iterator>

namespace envdoctor {
namespace {

struct Proof {
  std::string_view id;
  std::string_view text;
};

// Sorted by id, as the catalogue is.
constexpr Proof proofs[] = {
#include "checks/catalogue/proofs.inc"
};

static_assert(std::ranges::is_sorted(proofs, {}, &Proof::id), "the proofs must be sorted by id");

}  // namespace

std::string_view proof_needed(std::string_view id) {
  const auto* found = std::ranges::lower_bound(proofs, id, {}, &Proof::id);
  return found != std::end(proofs) && found->id == id ? found->text : std::string_view();
}

}  // namespace envdoctor
