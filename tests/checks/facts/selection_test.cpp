#include "checks/facts/selection.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <sstream>

namespace envdoctor::facts_selection_test {
namespace {

using Positions = std::vector<std::size_t>;

std::vector<Selectable> three() {
  return {{.uuid = "GPU-3f2504e0-4f89-11d3-9a0c-0305e82c3301"},
          {.uuid = "GPU-3fa85f64-5717-4562-b3fc-2c963f66afa6"},
          {.uuid = "GPU-9b2f1c44-0000-4562-b3fc-2c963f66afa6"}};
}

Positions positions(const Selection& selection) {
  Positions found;
  for (const Selected& one : selection.chosen) found.push_back(one.device);
  return found;
}

Positions cuda(std::string_view value) { return positions(select_cuda(value, three())); }

TEST(SelectCuda, TakesNumbersInTheirOwnOrder) {
  EXPECT_EQ(cuda("0,2"), (Positions{0, 2}));
  EXPECT_EQ(cuda("2,0"), (Positions{2, 0}));
}

TEST(SelectCuda, HidesEverythingForAnEmptyTextMinusOneAndWords) {
  EXPECT_EQ(cuda(""), Positions{});
  EXPECT_EQ(cuda("-1"), Positions{});
  EXPECT_EQ(cuda("NoDevFiles"), Positions{});
  EXPECT_EQ(select_cuda("NoDevFiles", three()).cut, Cut::word);
  EXPECT_EQ(select_cuda("-1", three()).cut, Cut::negative);
  EXPECT_EQ(cuda(" "), Positions{});
}

TEST(SelectCuda, CutsTheListAtTheFirstEntryThatNamesNoDevice) {
  EXPECT_EQ(cuda("0,9,1"), Positions{0});
  EXPECT_EQ(cuda("0,-1,1"), Positions{0});
  EXPECT_EQ(cuda("1,,0"), Positions{1});
  EXPECT_EQ(cuda(",1"), Positions{});
  EXPECT_EQ(cuda("0,99999999999999999999,1"), Positions{0});
  const Selection selection = select_cuda("0, 9 ,1", three());
  EXPECT_EQ(selection.cut, Cut::out_of_range);
  EXPECT_EQ(selection.cut_at, 1U);
  EXPECT_EQ(selection.cut_entry, "9");
  EXPECT_EQ(describe_cut(selection), "entry 2, \"9\", is a number that no device has");
}

TEST(SelectCuda, PassesOverBlanksAndWhatFollowsADigit) {
  EXPECT_EQ(cuda("0, 1"), (Positions{0, 1}));
  EXPECT_EQ(cuda("\t2 "), Positions{2});
  EXPECT_EQ(cuda("1abc"), Positions{1});
  EXPECT_EQ(cuda("+1"), Positions{1});
  EXPECT_EQ(cuda("0x1"), Positions{0});
  EXPECT_EQ(cuda("+"), Positions{});
}

TEST(SelectCuda, LeavesNothingWhereADeviceIsNamedTwice) {
  EXPECT_EQ(cuda("0,0"), Positions{});
  EXPECT_EQ(cuda("0,1,01"), Positions{});
  EXPECT_EQ(cuda("0,9,0"), Positions{0});  // behind the cut nothing is read
  EXPECT_EQ(cuda("GPU-9b,GPU-9b2f"), Positions{});
}

TEST(SelectCuda, TakesTheBeginningOfAUuidIfItIsUnique) {
  EXPECT_EQ(cuda("GPU-3f25"), Positions{0});
  EXPECT_EQ(cuda("GPU-9b2f1c44-0000-4562-b3fc-2c963f66afa6,GPU-3fa8"), (Positions{2, 1}));
  EXPECT_EQ(select_cuda("GPU-3f", three()).cut, Cut::ambiguous_uuid);
  EXPECT_EQ(select_cuda("GPU-77", three()).cut, Cut::unknown_uuid);
  EXPECT_EQ(select_cuda("GPU-", three()).cut, Cut::unknown_uuid);
  EXPECT_EQ(select_cuda("9b2f1c44", {{.uuid = "GPU-9b2f1c44-0"}}).cut, Cut::out_of_range);  // a number to strtol
}

TEST(SelectCuda, FindsAWholeUuidAmongShortenedOnes) {
  const std::vector<Selectable> devices = {{.uuid = "GPU-3f2504e0"}, {.uuid = "GPU-3fa85f64"}};
  EXPECT_EQ(positions(select_cuda("GPU-3fa85f64-5717-4562-b3fc-2c963f66afa6", devices)), Positions{1});
}

TEST(SelectCuda, StopsWhereNumbersAndUuidsMix) {
  EXPECT_EQ(cuda("0,GPU-9b"), Positions{0});
  EXPECT_EQ(cuda("GPU-9b,0"), Positions{2});
}

std::vector<Selectable> split() {
  return {{.uuid = "GPU-aa", .mig = true, .instances = {"MIG-0b", "MIG-0c"}},
          {.uuid = "GPU-bb"},
          {.uuid = "GPU-cc", .mig = true, .instances = {"MIG-GPU-cc/1/0", "MIG-GPU-cc/2/0"}},
          {.uuid = "GPU-dd", .mig = true}};
}

TEST(SelectCuda, UsesOneMigInstanceOnlyAndNoWholeGpuBesideIt) {
  EXPECT_EQ(select_cuda("MIG-0c", split()).chosen, (std::vector<Selected>{{0, 1}}));
  EXPECT_EQ(select_cuda("MIG-0c,MIG-0b", split()).chosen, (std::vector<Selected>{{0, 1}}));
  EXPECT_EQ(select_cuda("MIG-0c,MIG-0b", split()).instances, 2U);
  EXPECT_EQ(select_cuda("MIG-GPU-cc/2/0", split()).chosen, (std::vector<Selected>{{2, 1}}));
  EXPECT_EQ(select_cuda("MIG-GPU-cc/3/0", split()).cut, Cut::unknown_uuid);
  EXPECT_EQ(select_cuda("GPU-bb,MIG-0b", split()).chosen, (std::vector<Selected>{{0, 0}}));
  EXPECT_EQ(select_cuda("1,0", split()).chosen, (std::vector<Selected>{{0, 0}}));
  EXPECT_EQ(select_cuda_default(split()).chosen, (std::vector<Selected>{{0, 0}}));
}

TEST(SelectCuda, LeavesOutAGpuInMigModeWithoutInstances) {
  EXPECT_EQ(select_cuda("3", split()).chosen, (std::vector<Selected>{}));
  EXPECT_EQ(select_cuda("3,1", split()).chosen, (std::vector<Selected>{{1, -1}}));
}

TEST(SelectRocr, MixesKindsAndEndsAtARepetition) {
  EXPECT_EQ(positions(select_rocr("2,GPU-3F25", three())), (Positions{2, 0}));
  EXPECT_EQ(positions(select_rocr("0,0,1", three())), Positions{0});
  EXPECT_EQ(positions(select_rocr("0x1", three())), Positions{1});
  EXPECT_EQ(positions(select_rocr("1abc", three())), Positions{});
  EXPECT_EQ(positions(select_rocr("", three())), Positions{});
}

TEST(SelectHip, TakesExactNumbersPassesOverRepetitionsAndIgnoresAnEmptyText) {
  EXPECT_EQ(positions(select_hip("1,0", three())), (Positions{1, 0}));
  EXPECT_EQ(positions(select_hip("0,0,1", three())), (Positions{0, 1}));
  EXPECT_EQ(positions(select_hip("0, 1", three())), Positions{0});
  EXPECT_EQ(positions(select_hip("-1", three())), Positions{});
  EXPECT_EQ(positions(select_hip("", three())), (Positions{0, 1, 2}));
}

// The same rules once more, the plain way: by text alone, one pass per question.
Positions naive_cuda(const std::string& value, const std::vector<Selectable>& devices) {
  std::vector<std::string> entries;
  std::stringstream stream(value + ",");
  for (std::string entry; std::getline(stream, entry, ',');) {
    std::string bare;
    for (const char c : entry) bare += c == ' ' ? "" : std::string(1, c);
    entries.push_back(bare);
  }
  Positions found;
  std::string kind;
  for (const std::string& entry : entries) {
    const std::string own = entry.rfind("GPU-", 0) == 0 ? "uuid" : "number";
    if (!kind.empty() && own != kind) break;
    kind = own;
    Positions fit;
    if (own == "number") {
      const char* digits = "0123456789";
      const std::string bare = !entry.empty() && entry[0] == '+' ? entry.substr(1) : entry;
      const std::string number = bare.substr(0, bare.find_first_not_of(digits));
      if (!number.empty() && std::stoul(number) < devices.size()) fit = {std::stoul(number)};
    } else {
      for (std::size_t d = 0; d < devices.size(); ++d) {
        if (entry != "GPU-" && devices[d].uuid.substr(0, entry.size()) == entry) fit.push_back(d);
      }
    }
    if (fit.size() != 1) break;
    found.push_back(fit[0]);
  }
  return std::set<std::size_t>(found.begin(), found.end()).size() == found.size() ? found : Positions{};
}

TEST(SelectCuda, AgreesWithASecondImplementationOnRandomTexts) {
  std::mt19937 random(20261120);
  const std::vector<std::string> pieces = {
      "0",   "1",   "2", "3",          "7",    "01",     "+2",      "-1",      "",      " 1 ",          "1x",
      "0x2", "abc", "+", "NoDevFiles", "GPU-", "GPU-3f", "GPU-3f2", "GPU-3fa", "GPU-9", "GPU-9b2f1c44", "GPU-f"};
  const auto devices = three();
  std::map<std::size_t, int> lengths;
  for (int round = 0; round < 20000; ++round) {
    std::string value;
    const std::size_t count = 1 + random() % 4;
    for (std::size_t i = 0; i < count; ++i) value += (i ? "," : "") + pieces[random() % pieces.size()];
    const Positions found = positions(select_cuda(value, devices));
    ASSERT_EQ(found, value.empty() ? Positions{} : naive_cuda(value, devices)) << '"' << value << '"';
    ++lengths[found.size()];
  }
  // Not all one kind of answer, or the agreement would mean little.
  EXPECT_GT(lengths[1], 500);
  EXPECT_GT(lengths[2], 100);
  EXPECT_GT(lengths[3], 5);
}

}  // namespace
}  // namespace envdoctor::facts_selection_test
