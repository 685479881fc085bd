#include "host/system_names.h"

#include <gtest/gtest.h>

#include <cstring>

namespace envdoctor::system_names_test {
namespace {

TEST(SystemNames, AreThoseOfTheCLibrary) {
  int known = 0;
  for (int number = 1; number < 200; ++number) {
    const std::string name = error_name(number);
    if (name == "errno " + std::to_string(number)) continue;
    EXPECT_EQ(name, strerrorname_np(number)) << number;
    ++known;
  }
  EXPECT_GT(known, 70);
  for (int number = 1; number < 32; ++number)
    EXPECT_EQ(signal_name(number), std::string("SIG") + sigabbrev_np(number)) << number;
}

TEST(SystemNames, GiveTheNumberWhereThereIsNoName) {
  EXPECT_EQ(error_name(4000), "errno 4000");
  EXPECT_EQ(signal_name(99), "signal 99");
}

}  // namespace
}  // namespace envdoctor::system_names_test
