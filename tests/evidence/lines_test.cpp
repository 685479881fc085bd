#include "evidence/lines.h"

#include <gtest/gtest.h>

namespace envdoctor::lines_test {
namespace {

TEST(Lines, WrapAtEightyColumnsUnderTheFirstWord) {
  const std::string a(60, 'a'), b(20, 'b');
  EXPECT_EQ(wrap("  why   ", a + " " + b), "  why   " + a + "\n        " + b + "\n");
  EXPECT_EQ(wrap("", "a b"), "a b\n");
}

TEST(Lines, AHostsOwnWordsCannotDriveTheTerminal) {
  EXPECT_EQ(printable("a\033[31mb\nc\x7f"), "a?[31mb c?");
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "exe"),
            "?exe");
  EXPECT_EQ(printable("\xc2\x9b"
                      "x"),
            "?x");
  EXPECT_EQ(printable("a\xe2\x80\xa8::error::b\xe2\x80\xa9"
                      "c"),
            "a?::error::b?c");
  EXPECT_EQ(printable("Gerät"), "Gerät");
}

TEST(Lines, CountCodePointsNotBytes) { EXPECT_EQ(columns("Gerät"), 5U); }

TEST(Lines, SizesReadAsPeopleSayThem) {
  EXPECT_EQ(size_text(512), "512 MiB");
  EXPECT_EQ(size_text(81920), "80.0 GiB");
}

}  // namespace
}  // namespace envdoctor::lines_test
