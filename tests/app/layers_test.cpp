// Who may include whom: read from the #include lines themselves.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "tests/support/golden.h"
#include "tests/support/paths.h"

namespace envdoctor {
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
    {"compare", {"compare", "reports", "checks", "knowledge", "evidence"}},
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

TEST(Layers, NobodyIncludesWhatItMustNotKnow) {
  for (const auto& [folder, allowed] : may_include) {
    for (const auto& entry : fs::directory_iterator(fs::path(source_folder) / folder)) {
      const std::string extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp") continue;
      for (const std::string& include : trespasses(folder, read_whole(entry.path())))
        ADD_FAILURE() << entry.path().filename() << " includes " << include;
    }
  }
}

TEST(Layers, ATrespassIsSeen) {
  EXPECT_EQ(trespasses("checks", "#include \"host/files.h\"\n").size(), 1U);
  EXPECT_EQ(trespasses("host", "#include \"evidence/snapshot.h\"\n").size(), 1U);
  EXPECT_EQ(trespasses("host", "#include \"evidence/reading.h\"\n").size(), 0U);
}

}  // namespace
}  // namespace envdoctor
