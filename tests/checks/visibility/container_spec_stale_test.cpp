#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::visibility_container_spec_stale_test {

using enum SymptomClass;
namespace {

constexpr const char* id = "visibility.container-spec-stale";

Snapshot with(std::vector<Symptom> lines, Snapshot host = {}) {
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = static_cast<std::int64_t>(i + 1);
  host.log = std::move(lines);
  return host;
}

Symptom file_of(const char* version) {
  return symptom_of({missing, "file-of-container-spec"},
                    {{"file", "/usr/lib/libcuda.so.565.57.01"}, {"version", version}});
}

TEST(VisibilityContainerSpecStale, IsCertainWhereAnotherDriverIsInstalled) {
  Snapshot host;
  host.nvidia.fill().kernel_driver_version = "570.133.20";
  EXPECT_EQ(finding_of(answers_of(id, with({file_of("565.57.01")}, host)), id)->confidence, Confidence::certain);
  EXPECT_EQ(finding_of(answers_of(id, with({file_of("570.133.20")}, host)), id)->confidence, Confidence::possible);
  EXPECT_EQ(finding_of(answers_of(id, with({file_of("565.57.01")})), id)->confidence, Confidence::likely);
}

TEST(VisibilityContainerSpecStale, IsAWarningByTheFilesOfTheHost) {
  Snapshot host = healthy_nvidia_host();
  const std::string version = *host.nvidia.get()->kernel_driver_version.get();
  host.nvidia.fill().container_specs =
      std::vector<ContainerSpec>{{.path = "/etc/cdi/nvidia.yaml", .driver_version = version}};
  EXPECT_EQ(state_of(id, host), "passed");
  host.nvidia.fill().container_specs =
      std::vector<ContainerSpec>{{.path = "/etc/cdi/nvidia.yaml", .driver_version = "470.57.02"}};
  const Answers answers = answers_of(id, host);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->severity, Severity::warning);
  EXPECT_EQ(finding_of(answers, id)->fix.front().command, "sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml");
}

}  // namespace
}  // namespace envdoctor::visibility_container_spec_stale_test
