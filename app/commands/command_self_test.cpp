#include <algorithm>

#include "app/commands/commands.h"
#include "app/commands/self_test.h"
#include "app/output/reporting.h"

namespace envdoctor::self_test_command {
namespace {

int run(const Options& options) {
  check_result_format(options, true);
  const std::vector<SelfTestPart> parts = self_test::run_self_test(self_test::embedded_input());
  write_result(options, self_test_text(parts), self_test_json(parts));
  return std::ranges::all_of(parts, &SelfTestPart::passed) ? 0 : 1;
}

}  // namespace

const Command command = {"self-test", "check that this copy of the program works here", nullptr, run, true};

}  // namespace envdoctor::self_test_command
