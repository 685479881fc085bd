// The pages of `explain TOPIC`, and the tables they and the script checks rest on.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "knowledge/frameworks/device_calls.h"
#include "knowledge/frameworks/methods.h"
#include "knowledge/frameworks/process_names.h"
#include "knowledge/frameworks/switches.h"
#include "knowledge/table_rows.h"
#include "knowledge/topic_texts.h"
#include "tests/support/paths.h"

namespace envdoctor::knowledge::topics_test {
namespace {

TEST(Topics, SayWhatItCostsAndWhichCommandProvesIt) {
  EXPECT_EQ(topics().size(), 13U);
  for (const std::string_view name : topics()) {
    const std::string_view page = text(name);
    EXPECT_TRUE(page.starts_with("# ")) << name;
    EXPECT_NE(page.find("\nCost: "), page.npos) << name;
    EXPECT_NE(page.find("\nProof: "), page.npos) << name;
    const auto last = page.rfind("\n", page.size() - 2) + 1;  // the page ends in the one command
    EXPECT_TRUE(page.substr(last).starts_with("    envdoctor ")) << name;
  }
}

TEST(Topics, NameOnlyMethodsThatWereTried) {
  for (const std::string_view name : topics()) {
    std::istringstream lines{std::string(text(name))};
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("@method ")) continue;
      EXPECT_NE(method(line.substr(8)).title, "") << name << ": " << line;
    }
  }
}

TEST(Methods, HaveALabelThatMeansSomething) {
  const Table methods("methods", Remarks::kept);
  for (const Row& row : methods["methods"]) {
    EXPECT_NE(row.text("source"), "");
    for (const Row& result : row.children("results")) {
      const std::string label = result.text("label");
      EXPECT_TRUE(label == "works" || label == "no effect" || label == "raises" || label == "unknown")
          << row.text("id") << ": " << label;
    }
  }
}

TEST(ScriptCalls, CiteScriptsThatAreThere) {
  const Table calls("script_calls", Remarks::kept);
  for (const char* list : {"starts", "early", "variables", "calls"}) {
    for (const Row& row : calls[list]) {
      EXPECT_NE(row.text("confidence"), "");
      std::istringstream words(row.text("source"));
      for (std::string word; words >> word;) {
        if (word.ends_with(',')) word.pop_back();
        if (!word.starts_with("fixtures/")) continue;
        EXPECT_TRUE(std::filesystem::exists(std::string(source_folder) + "/" + word)) << word;
      }
    }
  }
  const Table removed("removed_names", Remarks::kept);
  for (const Row& row : removed["removed"]) {
    const std::string source = row.text("source");
    EXPECT_TRUE(source.starts_with("https://") || std::filesystem::exists(std::string(source_folder) + "/" + source))
        << source;
    EXPECT_NE(row.text("names"), "");
  }
  EXPECT_GT(names_that_are_gone(), 1000U);
  const Table known("known_names", Remarks::kept);
  for (const Row& row : known["modules"]) {
    EXPECT_TRUE(std::filesystem::exists(std::string(source_folder) + "/" + row.text("source"))) << row.text("source");
    EXPECT_NE(row.text("names"), "") << row.text("module");
    EXPECT_NE(row.text("releases"), "") << row.text("module");
  }
  std::set<std::string> once;
  for (const ScriptCall& row : script_calls())
    EXPECT_TRUE(!row.removed || once.insert(row.call).second) << row.call << " is listed twice";
  EXPECT_EQ(started_by("tensorflow.constant").what, "devices");
  EXPECT_EQ(started_by("tensorflow.nonsense").what, "");
  EXPECT_EQ(keras_of_tensorflow("2.15.1"), "2");
  EXPECT_EQ(keras_of_tensorflow("2.21.0"), "3");
  EXPECT_EQ(keras_of_tensorflow("1.15"), "");
}

TEST(ProcessLibraries, AreKnownByTheBeginningOfTheirNames) {
  ASSERT_NE(process_library_kind("libcudnn.so.9"), nullptr);
  EXPECT_EQ(process_library_kind("libcudnn.so.9")->role, "cudnn");
  EXPECT_EQ(process_library_kind("libc.so.6"), nullptr);
  EXPECT_NE(why_outside("docker"), "");
  EXPECT_EQ(why_outside("python"), "");
}

TEST(Switches, HideEveryStackFromTheCpu) {
  bool cuda = false;
  for (const SwitchVariable& row : variables_of_switch("cpu"))
    cuda = cuda || (row.name == "CUDA_VISIBLE_DEVICES" && row.value == "-1");
  EXPECT_TRUE(cuda);
  EXPECT_TRUE(variables_of_switch("nonsense").empty());
  EXPECT_NE(left_by_switch("deterministic"), "");
}

}  // namespace
}  // namespace envdoctor::knowledge::topics_test
