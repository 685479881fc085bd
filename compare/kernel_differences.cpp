// Kernels' results of several hosts: same bits, within the bound that was derived for them, or outside it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "compare/documents.h"

namespace envdoctor::compare {
namespace {

std::string word(const Text& text) { return text.get() ? *text.get() : "?"; }

template <class T>
Text outcome_of(const Reading<T>& agreement) {
  return agreement.get() ? agreement.get()->outcome : Text(agreement.missing());
}

// Why bits may differ although nothing is wrong, in the words of the results themselves.
void explain(const ComputeResult& result, std::string& why) {
  const auto add = [&](const std::string& word) {
    if (!word.empty() && why.find(word) == why.npos) why += (why.empty() ? "" : "; ") + word;
  };
  if (result.repeatable.is(false)) add("nondeterministic: not bit-identical when repeated");
  if (const auto* agreement = result.agreement.get(); agreement && agreement->pattern.get())
    add(*agreement->pattern.get());
}

// One document may hold a kernel for several devices; the worst counts.
int rank(const std::string& outcome) {
  return outcome == "same-bits" ? 0 : outcome == "within-bound" ? 1 : outcome == "outside" ? 3 : 2;
}

// Where the documents' devices calculate in different modes.
void add_modes(const std::vector<std::vector<std::string>>& modes, std::string& why) {
  if (std::ranges::all_of(modes, [&](const auto& one) { return one == modes.front(); })) return;
  std::vector<std::string> all;
  for (const auto& some : modes) {
    for (const std::string& mode : some) {
      if (std::ranges::find(all, mode) == all.end()) all.push_back(mode);
    }
  }
  why += fmt::format("{}arithmetic: {}", why.empty() ? "" : "; ", fmt::join(all, " / "));
}

}  // namespace

std::vector<KernelDifference> compare_kernels(const std::vector<Snapshot>& snapshots) {
  struct Seen {
    std::vector<std::string> values;
    std::vector<int> worst;
    std::string why{};
    std::vector<std::vector<std::string>> modes;  // of each document, device by device
    std::vector<std::vector<const Agreement*>> figures;
  };
  const std::size_t documents = snapshots.size();
  std::map<std::string, Seen> by_kernel;
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    const auto* results = snapshots[i].compute.get();
    for (std::size_t r = 0; results && r < results->size(); ++r) {
      const ComputeResult& result = (*results)[r];
      const Text outcome = outcome_of(result.agreement);
      if (!outcome.get()) continue;  // timed only
      Seen& seen = by_kernel
                       .try_emplace(full_problem_name(result),
                                    Seen{.values = std::vector<std::string>(documents),
                                         .worst = std::vector<int>(documents, -1),
                                         .modes = std::vector<std::vector<std::string>>(documents),
                                         .figures = std::vector<std::vector<const Agreement*>>(documents)})
                       .first->second;
      seen.values[i] += (seen.values[i].empty() ? "" : ", ") + *outcome.get() + " on " + word(result.device);
      seen.worst[i] = std::max(seen.worst[i], rank(*outcome.get()));
      explain(result, seen.why);
      seen.figures[i].push_back(result.agreement.get());
      if (result.mode.get()) seen.modes[i].push_back(*result.mode.get());
    }
  }
  std::vector<KernelDifference> list;
  for (auto& entry : by_kernel) {
    auto& seen = entry.second;
    const int worst = *std::ranges::max_element(seen.worst);
    const bool everywhere = std::ranges::none_of(seen.worst, [](int w) { return w < 0; });
    KernelDifference row{.kernel = entry.first, .why = seen.why, .values = std::move(seen.values)};
    row.bits = worst == 3                  ? Bits::outside
               : !everywhere || worst == 2 ? Bits::not_known
               : worst == 1                ? Bits::within_bound
                                           : Bits::same;
    // The same distances from the right answer, class by class and device by device: alike, as far as figures can tell.
    const auto alike = [&](const std::vector<const Agreement*>& figures) {
      return std::ranges::equal(figures, seen.figures.front(), [](const auto* a, const auto* b) { return *a == *b; });
    };
    if (row.bits == Bits::within_bound && row.why.empty() && std::ranges::all_of(seen.figures, alike))
      row.bits = Bits::same;
    if (row.bits == Bits::within_bound) add_modes(seen.modes, row.why);
    list.push_back(std::move(row));
  }
  return list;
}

}  // namespace envdoctor::compare
