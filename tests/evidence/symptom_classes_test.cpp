// Every class in the tables is one that rules can use: a typo would disable its rows.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "evidence/symptom.h"
#include "tests/support/paths.h"

namespace envdoctor::symptom_classes_test {
namespace {

nlohmann::json rows(const std::string& path, const char* list) {
  return nlohmann::json::parse(std::ifstream(std::string(source_folder) + "/knowledge/" + path)).at(list);
}

TEST(SymptomClasses, OfWordingsAreKnown) {
  int classes = 0;
  for (const auto& row : rows("wordings/wordings.json", "patterns")) {
    if (!row.contains("class")) continue;
    EXPECT_TRUE(symptom_class(row["class"].get<std::string>())) << row["id"];
    ++classes;
  }
  EXPECT_GT(classes, 400);
}

TEST(SymptomClasses, OfCodesAreKnownAndHaveASubject) {
  int classes = 0;
  for (const auto& row : rows("codes/error_codes.json", "codes")) {
    const std::string symptom = row.value("symptom", "");
    if (symptom.empty()) continue;
    const auto space = symptom.find(' ');
    EXPECT_TRUE(symptom_class(symptom.substr(0, space))) << row["name"];
    EXPECT_LT(space, symptom.size() - 1) << row["name"];
    ++classes;
  }
  EXPECT_GT(classes, 50);
}

TEST(SymptomClasses, NoOtherWordIsOne) {
  EXPECT_FALSE(symptom_class("mising"));
  EXPECT_FALSE(symptom_class(""));
}

}  // namespace
}  // namespace envdoctor::symptom_classes_test
