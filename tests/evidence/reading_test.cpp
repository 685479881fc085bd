#include "evidence/reading.h"

#include <gtest/gtest.h>

namespace envdoctor::reading_test {
namespace {

TEST(Reading, IsNotProbedUntilSomebodyLooks) {
  const Reading<int> reading;
  EXPECT_EQ(reading.outcome(), Outcome::not_probed);
  EXPECT_EQ(reading.get(), nullptr);
}

TEST(Reading, KeepsTheReasonThroughThen) {
  const Reading<int> reading = failed("no permission");
  const auto text = reading.then([](int value) { return std::to_string(value); });
  EXPECT_EQ(text.outcome(), Outcome::failed);
  EXPECT_EQ(text.why(), "no permission");
}

TEST(Reading, ThenMayAnswerWithAReadingOfItsOwn) {
  const Reading<int> reading = 4;
  const Reading<int> half =
      reading.then([](int value) { return value > 3 ? Reading<int>(absent("too big")) : Reading<int>(value); });
  EXPECT_EQ(half.outcome(), Outcome::absent);
}

TEST(Reading, OfFalseIsPresent) {
  const Reading<bool> reading = false;
  ASSERT_NE(reading.get(), nullptr);
  EXPECT_TRUE(reading.is(false));
  EXPECT_FALSE(reading.is(true));
}

}  // namespace
}  // namespace envdoctor::reading_test
