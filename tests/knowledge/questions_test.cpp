#include "knowledge/wordings/questions.h"

#include <gtest/gtest.h>

namespace envdoctor::knowledge::questions_test {
namespace {

using Words = std::set<std::string>;

TEST(Questions, AreAskedInWordsAndByACommand) {
  Words names, facts = {"",      "nvidia-devices", "kernel-log", "rocm-devices", "sycl-devices", "opencl-platforms",
                        "torch", "tensorflow",     "keras",      "jax",          "packages"};
  for (const Question& one : questions()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_TRUE(facts.contains(one.known)) << one.name << ": no fact is called " << one.known;
    EXPECT_FALSE(one.words.empty()) << one.name;
    EXPECT_FALSE(one.command.empty()) << one.name;
    EXPECT_FALSE(one.missing.starts_with("W")) << one.name << ": it stands behind a label";
  }
}

TEST(Questions, KnowWholeWordsAndBeginnings) {
  EXPECT_EQ(question_words_in("a chip of an axe"), Words{}) << "neither hip nor xe";
  EXPECT_EQ(question_words_in("HIP"), (Words{"hip", "hip*"}));
  EXPECT_EQ(question_words_in("hipErrorNoDevice"), Words{"hip*"});
  EXPECT_EQ(question_words_in("/dev/kfd: xe"), (Words{"/dev/kfd", "kfd", "xe"}));
  EXPECT_EQ(question_words_in(""), Words{});
  EXPECT_EQ(question_words_in("x"), Words{});
}

}  // namespace
}  // namespace envdoctor::knowledge::questions_test
