// The program that reads scripts, and how it reaches Python.
#include <gtest/gtest.h>

#include "probe/script.h"
#include "tests/support/process.h"

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

TEST(ScriptReader, LeavesModulesOutWhereFollowingThemTakesTooLong) {
  const std::string endless = "import sys, time\nif sys.argv[5]: time.sleep(60)\n" + script_reader();
  const Script script{.content = "import torch\nprint(1)\n", .shown = "train.py", .folder = test_folder()};
  const auto log = read_scripts({script}, "/usr/bin/python3", Milliseconds(9'000), endless);
  ASSERT_TRUE(log.get()) << log.why();
  ASSERT_FALSE(log.get()->empty());
  EXPECT_EQ(log.get()->back().class_.or_empty(), "present");
  EXPECT_EQ(log.get()->back().detail("modules"), "left out");
}

// Prints each top-level name that a Python program defines or assigns more than once.
constexpr const char* repeated_names = R"(
import ast, collections, sys
names = collections.Counter()
for node in ast.parse(open(sys.argv[1]).read()).body:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        names[node.name] += 1
    if isinstance(node, ast.Assign):
        names.update(n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
print(*sorted(name for name, count in names.items() if count > 1))
)";

std::string names_repeated_in(const std::string& program) {
  const std::string out = test_folder() + "/out";
  const std::string command = "/usr/bin/python3 " + write_file_here("names.py", repeated_names) + " " +
                              write_file_here("reader.py", program) + " >" + out;
  EXPECT_EQ(std::system(command.c_str()), 0);  // NOLINT: the test's own words
  return read_whole(out);
}

// Its parts are joined into one program, in which a later name silently replaces an earlier one.
TEST(ScriptReader, DefinesEachNameOnce) {
  EXPECT_EQ(names_repeated_in(script_reader()), "\n");
  EXPECT_EQ(names_repeated_in(script_reader() + "\ndef main(): pass\nREADERS = UNSEEN = 1\nUNSEEN = 2\n"),
            "UNSEEN main\n");
}

}  // namespace
}  // namespace envdoctor::script_reader_test
