#include "knowledge/wordings/helping_changes.h"

#include <gtest/gtest.h>

#include <map>

#include "checks/engine/diagnosis.h"
#include "knowledge/table_rows.h"

namespace envdoctor::helping_changes_test {
namespace {

std::string name_of(std::string_view part) {
  const knowledge::HelpingChange* change = knowledge::helping_change(part);
  return change ? change->change : "";
}

TEST(HelpingChanges, AreToldByOnePartOfACommand) {
  EXPECT_EQ(name_of("NCCL_P2P_DISABLE=1"), "peer-access-off");
  EXPECT_EQ(name_of("NCCL_P2P_DISABLE=0"), "") << "that switches it on";
  EXPECT_EQ(name_of("container --shm-size=8g"), "shared-memory");
  EXPECT_EQ(name_of("--shm-size=8g"), "") << "of another program";
  EXPECT_EQ(name_of("+torch.backends.cuda.matmul.allow_tf32 = False"), "tf32-off");
  EXPECT_EQ(name_of("+torch.backends.cuda.matmul.allow_tf32 = True"), "");
  EXPECT_EQ(name_of("$ sudo modprobe nvidia-uvm"), "unified-memory-node");
  EXPECT_EQ(name_of("$ sudo modprobe nvidia"), "module-loaded");
  EXPECT_EQ(name_of("without LD_LIBRARY_PATH=/opt/lib"), "no-library-path");
  EXPECT_EQ(name_of(""), "");
}

TEST(HelpingChanges, EachHasOneDiagnosis) {
  std::map<std::string, int> rules;
  for (const Diagnosis* diagnosis : catalogue()) {
    for (const SymptomRule& rule : diagnosis->symptoms) {
      if (rule.kind == Kind{SymptomClass::noted, "helping-change"}) ++rules[rule.value];
    }
  }
  const knowledge::Table table("helping_changes");
  std::size_t rows = 0;
  for (const knowledge::Row& row : table["changes"]) {
    ++rows;
    EXPECT_EQ(rules[row.text("change")], 1) << row.text("change");
  }
  EXPECT_EQ(rules.size(), rows) << "a diagnosis names a change that the table lacks";
}

}  // namespace
}  // namespace envdoctor::helping_changes_test
