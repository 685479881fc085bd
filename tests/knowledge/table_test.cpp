#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "knowledge/gpus/gpu_models.h"
#include "knowledge/knowledge.h"
#include "knowledge/table_rows.h"
#include "tests/support/paths.h"

namespace envdoctor::knowledge::table_test {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class Folder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("knowledge-") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  [[nodiscard]] std::string complaint() const {
    try {
      use_folder(folder_.string());
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "taken";
  }
  fs::path folder_{};
};
using KnowledgeFolder = Folder;
using KnowledgeFolderDeathTest = Folder;

TEST(Table, EveryJsonFileInTheSourceIsEmbeddedAsItStands) {
  std::vector<std::string> files;
  for (const auto& file : fs::recursive_directory_iterator(fs::path(source_folder) / "knowledge")) {
    if (file.path().extension() != ".json") continue;
    files.push_back(file.path().stem());
    std::ifstream in(file.path(), std::ios::binary);
    EXPECT_EQ(table(files.back()), std::string(std::istreambuf_iterator<char>(in), {})) << files.back();
    EXPECT_NO_THROW(check_table(table(files.back()), files.back()));
  }
  EXPECT_GE(files.size(), 11U);
  EXPECT_THAT(table_names(), testing::UnorderedElementsAreArray(files));
  EXPECT_EQ(table("no-such-table"), "");
}

TEST(Table, EveryRecordCitesItsSource) {
  for (const std::string& name : table_names()) {
    if (name == "wordings") continue;  // has rules of its own
    for (const char* list :
         {"toolkits", "branches", "variables", "prefixes", "codes", "nvidia_devices", "releases", "sonames", "xids"}) {
      if (table(name).find(std::string("\"") + list + "\": [") == std::string_view::npos) continue;
      const Table read(name, Remarks::kept);
      for (const Row& row : read[list]) {
        EXPECT_FALSE(row.text("source").empty());
        EXPECT_FALSE(row.text("confidence").empty());
      }
    }
  }
}

TEST(Table, WithoutRemarksHoldsTheSameRecords) {
  const Table all("xid", Remarks::kept), bare("xid");
  ASSERT_EQ(all["xids"].size(), bare["xids"].size());
  for (std::size_t i = 0; i < all["xids"].size(); ++i) {
    EXPECT_EQ(all["xids"][i].number("xid"), bare["xids"][i].number("xid"));
    EXPECT_FALSE(bare["xids"][i].has("source"));
  }
}

TEST(Table, ARecordThatDoesNotFitIsNamedWithItsPlace) {
  const auto complaint = [](const std::function<void(const Row&)>& take) -> std::string {
    try {
      const Table xids("xid");
      take(xids["xids"].front());
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "taken";
  };
  EXPECT_EQ(complaint([](const Row& row) { (void)row.number("meaning"); }),
            "xid.json: at /xids/0/meaning: an integer expected");
  EXPECT_EQ(complaint([](const Row& row) { (void)row.text("none"); }), "xid.json: at /xids/0/none: a text expected");
  EXPECT_EQ(complaint([](const Row& row) { (void)row.flag_if("xid"); }),
            "xid.json: at /xids/0/xid: true or false expected");
  EXPECT_EQ(complaint([](const Row& row) { (void)row.texts("xid"); }),
            "xid.json: at /xids/0/xid: a list of texts expected");
}

TEST(Table, AListThatIsMissingIsAnError) {
  EXPECT_THROW((void)Table("xid")["nothing"], std::runtime_error);
  EXPECT_THROW((void)Table("no-such-table")["nothing"], std::runtime_error);
}

TEST_F(KnowledgeFolder, MustExistAndHoldATable) {
  EXPECT_THAT(complaint(), HasSubstr("holds none of the tables"));
  fs::remove_all(folder_);
  EXPECT_THAT(complaint(), HasSubstr("not a folder"));
}

TEST_F(KnowledgeFolder, AMalformedTableIsNamedWithItsPlace) {
  write("xid.json", "{\"xids\": [\n  {\"xid\": 1,}]}");
  EXPECT_THAT(complaint(), testing::AllOf(HasSubstr((folder_ / "xid.json").string()), HasSubstr("line 2")));
  write("xid.json", R"({"xids": {}})");
  EXPECT_THAT(complaint(), HasSubstr("at /xids: a list expected"));
  write("xid.json", R"({"xids": [{}, 7]})");
  EXPECT_THAT(complaint(), HasSubstr("at /xids/1: an object expected"));
  write("xid.json", "");
  EXPECT_THAT(complaint(), HasSubstr("empty"));
  write("xid.json", "\x00\xff\xfe");
  EXPECT_THAT(complaint(), HasSubstr("xid.json"));
}

TEST_F(KnowledgeFolder, AMalformedTableLeavesEverythingAsItWas) {
  const std::string_view before = table("xid");
  write("xid.json", "{");
  EXPECT_NE(complaint(), "taken");
  EXPECT_EQ(table("xid").data(), before.data());
}

// Replacing is for the whole process, so it is done in a child.
TEST_F(KnowledgeFolderDeathTest, ReplacesFileByFile) {
  GTEST_FLAG_SET(death_test_style, "fast");
  write("gpu_arch.json",
        R"({"nvidia_codenames": [{"codename": "GX1", "architecture": "Next", "compute_capability": "42.0"}],
            "capability_facts": [], "amd_codenames": [], "nvidia_id_prefixes": [], "nvidia_notes": [],
            "amd_devices": [], "intel_devices": [],
            "nvidia_devices": [{"id": "10de:fff0", "chip": "GX1", "name": "N1"}]})");
  const auto work = [this] {
    use_folder(folder_.string());
    const auto model = gpu_model("10de", "fff0");
    const bool replaced = model && model->architecture == "Next" && model->compute_capability == "42.0";
    const bool alone = !gpu_model("10de", "2330") && table("xid").size() > 1000;
    std::exit(replaced && alone ? 0 : 1);
  };
  EXPECT_EXIT(work(), testing::ExitedWithCode(0), "");
}

TEST_F(KnowledgeFolderDeathTest, AFieldDeepInARecordIsNamedWithItsPlace) {
  GTEST_FLAG_SET(death_test_style, "fast");
  write("xid.json", R"({"xids": [{}, {"deep": {"list": [{"n": 1}, {"n": "x"}]}}]})");
  const auto work = [this] {
    use_folder(folder_.string());
    try {
      const Table xids("xid");
      const auto deep = xids["xids"].at(1).child("deep");
      for (const Row& each : deep->children("list")) (void)each.number("n");
    } catch (const std::runtime_error& error) {
      std::fputs(error.what(), stderr);
    }
    std::exit(0);
  };
  EXPECT_EXIT(work(), testing::ExitedWithCode(0), "xid.json: at /xids/1/deep/list/1/n: an integer expected");
}

TEST_F(KnowledgeFolderDeathTest, ListsOfAnyDepthAreRead) {
  GTEST_FLAG_SET(death_test_style, "fast");
  constexpr std::size_t depth = 1U << 20U;
  write("xid.json", R"({"xids": [{"xid": 1, "deep": )" + std::string(depth, '[') + std::string(depth, ']') + "}]}");
  const auto work = [this] {
    use_folder(folder_.string());
    std::int64_t sum = 0;
    const Table xids("xid");
    for (const Row& row : xids["xids"]) sum += row.number("xid");
    std::exit(sum == 1 ? 0 : 1);
  };
  EXPECT_EXIT(work(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace envdoctor::knowledge::table_test
