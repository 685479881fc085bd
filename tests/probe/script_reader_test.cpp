// The program that reads scripts, and how it reaches Python.
#include <gtest/gtest.h>

#include "probe/script.h"

namespace envdoctor::script_reader_test {
namespace {

TEST(ScriptReader, MayBeLongerThanAnArgument) {
  const std::string longer = "#" + std::string(1 << 20, 'x') + "\n" + script_reader();
  const Script script{.content = "import torch\ntorch.cuda.is_available()\n", .shown = "train.py"};
  const auto log = read_scripts({script}, "/usr/bin/python3", Milliseconds(20'000), longer);
  ASSERT_TRUE(log.get()) << log.why();
  ASSERT_FALSE(log.get()->empty());
  EXPECT_EQ(log.get()->back().class_.or_empty(), "present");
}

}  // namespace
}  // namespace envdoctor::script_reader_test
