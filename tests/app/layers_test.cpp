// Which folders may include which: checked in the #include lines.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "tests/support/golden.h"
#include "tests/support/paths.h"

namespace envdoctor::layers_test {
namespace {

namespace fs = std::filesystem;
const std::map<std::string, std::set<std::string>> may_include = {
    {"evidence", {"evidence"}},
    {"knowledge", {"knowledge"}},
    {"host", {"host", "evidence/reading.h"}},
    {"probe", {"probe", "host", "evidence", "knowledge"}},
    {"kernels", {"kernels", "host", "evidence"}},
    {"checks", {"checks", "evidence", "knowledge"}},
    {"reports", {"reports", "checks", "evidence"}},
    {"compare", {"compare", "checks", "knowledge", "evidence"}},
    {"app", {"app", "compare", "reports", "checks", "kernels", "knowledge", "probe", "host", "evidence"}},
};

// The quoted includes of a text, in order.
std::vector<std::string> includes_of(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#include \"")) continue;
    found.push_back(line.substr(10, line.find('"', 10) - 10));
  }
  return found;
}

std::vector<std::string> trespasses(const std::string& folder, const std::string& text) {
  std::vector<std::string> found;
  const auto& allowed = may_include.at(folder);
  for (const std::string& include : includes_of(text)) {
    if (!allowed.contains(include) && !allowed.contains(include.substr(0, include.find('/')))) found.push_back(include);
  }
  const bool json = folder == "evidence" || folder == "knowledge" || folder == "reports" || folder == "compare";
  if (!json && text.find("#include <nlohmann") != text.npos) found.emplace_back("nlohmann/json.hpp");
  if (folder != "knowledge" && text.find("#include <rapidjson") != text.npos) found.emplace_back("rapidjson");
  return found;
}

// "FILE includes HEADER" for each include in the wing at `root`, its subfolders too, that its wing must not have.
std::vector<std::string> trespasses_below(const fs::path& root, const std::string& wing) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(root / wing)) {
    const std::string extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp") continue;
    // What the servers say is JSON of protocols, not of ours.
    const std::string text = read_whole(entry.path());
    const bool protocol = entry.path().parent_path() == root / "app" / "serve";
    for (const std::string& include : trespasses(wing, text)) {
      if (protocol && include.starts_with("nlohmann")) continue;
      found.push_back(entry.path().lexically_relative(root).string() + " includes " + include);
    }
  }
  return found;
}

TEST(Layers, NobodyIncludesWhatItMustNotKnow) {
  for (const auto& [wing, allowed] : may_include)
    EXPECT_THAT(trespasses_below(source_folder, wing), testing::IsEmpty());
}

TEST(Layers, ATrespassIsSeen) {
  EXPECT_EQ(trespasses("checks", "#include \"host/files.h\"\n").size(), 1U);
  EXPECT_EQ(trespasses("compare", "#include \"reports/reports.h\"\n").size(), 1U);
  EXPECT_EQ(trespasses("host", "#include \"evidence/snapshot.h\"\n").size(), 1U);
  EXPECT_EQ(trespasses("host", "#include \"evidence/reading.h\"\n").size(), 0U);
}

TEST(Layers, ATrespassInASubfolderIsSeen) {
  const fs::path root = fs::path(testing::TempDir()) / "layers_test";
  fs::create_directories(root / "checks" / "driver");
  std::ofstream(root / "checks" / "driver" / "rule.cpp")
      << "#include \"evidence/snapshot.h\"\n#include \"probe/gpu/pci.h\"\n";
  EXPECT_THAT(trespasses_below(root, "checks"),
              testing::ElementsAre("checks/driver/rule.cpp includes probe/gpu/pci.h"));
  fs::remove_all(root);
}

// The same file name in two wings would make a reader open the wrong one; a folder of hundreds is a list, not a place.
TEST(Folders, HoldFewFilesAndNoNameOfAnotherWing) {
  std::map<std::string, std::set<std::string>> wings_of;
  std::map<std::string, int> files_in;
  for (const auto& [wing, allowed] : may_include) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(source_folder) / wing)) {
      if (!entry.is_regular_file()) continue;
      ++files_in[entry.path().parent_path()];
      const std::string extension = entry.path().extension();
      if (extension == ".h" || extension == ".cpp") wings_of[entry.path().stem()].insert(wing);
    }
  }
  for (const auto& [name, wings] : wings_of) EXPECT_EQ(wings.size(), 1U) << name;
  for (const auto& [folder, count] : files_in) EXPECT_LE(count, 40) << folder;
}

}  // namespace
}  // namespace envdoctor::layers_test
