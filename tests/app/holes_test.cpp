// Any section and any key may be missing from a snapshot, or be replaced by a reason: every host of the fixtures with
// random holes can still be judged and rendered.
#include <gtest/gtest.h>

#include <random>

#include "compare/documents.h"
#include "evidence/json.h"
#include "reports/reports.h"
#include "tests/support/golden.h"
#include "tests/support/paths.h"

namespace envdoctor::holes_test {
namespace {

struct Puncher {
  std::mt19937& random;
  double rate;

  bool hit() const { return std::uniform_real_distribution<>()(random) < rate; }
  template <class T>
  void operator()(T&) const {}
  template <class T>
  void operator()(Reading<T>& reading) const {
    if (hit()) reading = Missing{static_cast<Outcome>(random() % 3), "a hole"};
    if (T* value = reading.get()) (*this)(*value);
  }
  template <class T>
  void operator()(std::vector<T>& list) const {
    if (hit()) list.clear();
    for (auto& value : list) (*this)(value);
  }
  template <class T>
  void operator()(std::map<std::string, T>& map) const {
    if (hit()) map.clear();
    for (auto& [key, value] : map) (*this)(value);
  }
  template <Fields T>
  void operator()(T& value) const {
    T::each(value, [this](std::string_view, auto& field) { (*this)(field); });
  }
};

std::size_t size_of_reports(const Snapshot& snapshot) {
  const Report report = judge(snapshot, {});
  std::size_t size = render_show(snapshot, "").size() + visible_text(visible_to_programs(snapshot)).size();
  for (const Format& format : all_formats()) size += format.render(report, {.verbose = true}).size();
  return size + compare::text_of(compare::compare_snapshots({snapshot, {}}, {"A", "B"})).size();
}

TEST(Holes, AreTakenByEveryCheckAndEveryFormat) {
  std::mt19937 random(20261121);
  int hosts = 0;
  for (const auto& folder : std::filesystem::directory_iterator(std::string(source_folder) + "/fixtures/hosts")) {
    const auto file = folder.path() / "expected/snapshot.json";
    if (!std::filesystem::exists(file)) continue;
    const Snapshot whole = snapshot_from_json(read_whole(file), file);
    for (const double rate : {0.02, 0.05, 0.1, 0.2, 0.4}) {
      Snapshot snapshot = whole;
      Puncher{random, rate}(snapshot);
      SCOPED_TRACE(to_json(snapshot).substr(0, 4000));
      EXPECT_GT(size_of_reports(snapshot), 500U);
    }
    ++hosts;
  }
  EXPECT_GE(hosts, 20);
}

}  // namespace
}  // namespace envdoctor::holes_test
