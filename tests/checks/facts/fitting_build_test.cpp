#include "checks/facts/fitting_build.h"

#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::fitting_build_test {
namespace {

TEST(FittingBuild, NamesWhatTheBuildFitsAndItsTable) {
  Snapshot host;
  host.nvidia.fill().kernel_driver_version = "470.199.02";
  host.python.fill().executable = "/opt/venv/bin/python";
  const auto fix = fitting_build(host, "torch");
  ASSERT_TRUE(fix.has_value());
  EXPECT_NE(fix->text.find("driver 470.199.02"), std::string::npos) << fix->text;
  EXPECT_NE(fix->text.find("pytorch.json"), std::string::npos) << fix->text;
  EXPECT_NE(fix->command.find("https://download.pytorch.org/whl/cu118"), std::string::npos) << fix->command;
}

TEST(FittingBuild, SaysNothingWhereNothingIsKnown) {
  EXPECT_FALSE(fitting_build({}, "torch").has_value());
  EXPECT_FALSE(fitting_build(healthy_nvidia_host(), "keras").has_value());
  Snapshot python;
  python.python.fill().version = "3.8.10";
  EXPECT_FALSE(fitting_build(python, "tensorflow").has_value());
  EXPECT_TRUE(fitting_build(python, "tensorflow", true).has_value());
}

TEST(FittingBuild, StandsInTheFixOfADriverThatIsTooOld) {
  Snapshot host = healthy_nvidia_host();
  host.nvidia = Nvidia{.kernel_driver_version = "470.199.02"};
  host.torch = Torch{.version = "2.8.0+cu128", .cuda_version = "12.8", .cuda_available = false};
  const Answers answers = answers_of("driver.too-old", host);
  const Finding* finding = finding_of(answers, "driver.too-old");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->fix.back().text.find("newest PyTorch"), std::string::npos) << finding->fix.back().text;
}

}  // namespace
}  // namespace envdoctor::fitting_build_test
