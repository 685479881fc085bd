#include <gmock/gmock.h>

#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace envdoctor::visible_test {
namespace {

using testing::HasSubstr;

TEST(Visible, ReadsASnapshotAndSaysWhyAGpuIsMissing) {
  const std::string host = write_file_here("visible.json", R"({"schema": "envdoctor.snapshot/1",
    "env": {"CUDA_VISIBLE_DEVICES": "1"},
    "nvidia": {"devices": [{"index": 0, "name": "Tesla T4", "uuid": "GPU-11111111", "pci_address": "0000:17:00.0"},
                           {"index": 1, "name": "Tesla T4", "uuid": "GPU-22222222", "pci_address": "0000:65:00.0"}]}})");
  const Ran text = run_envdoctor("visible " + host);
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("CUDA_VISIBLE_DEVICES=1 leaves 1 of 2"));
  EXPECT_THAT(text.out, HasSubstr("not named by CUDA_VISIBLE_DEVICES"));
  const Ran json = run_envdoctor("visible --format json " + host);
  EXPECT_THAT(json.out, HasSubstr("\"envdoctor.visible/1\""));
}

TEST(Visible, RefusesOtherFormatsAndBadFiles) {
  EXPECT_EQ(run_envdoctor("visible --format junit").status, 2);
  EXPECT_EQ(run_envdoctor("visible /nonexistent.json").status, 2);
}

}  // namespace
}  // namespace envdoctor::visible_test
