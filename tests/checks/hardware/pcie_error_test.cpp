#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::hardware_pcie_error_test {

using enum SymptomClass;
namespace {

constexpr const char* id = "hardware.pcie-error";

Snapshot with(std::vector<Symptom> lines, Snapshot host = {}) {
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = static_cast<std::int64_t>(i + 1);
  host.log = std::move(lines);
  return host;
}

TEST(HardwarePcieError, IsLikelyWhereTheLineNamesTheGpusDriver) {
  const Symptom line = symptom_of({failed, "pcie-device"}, {{"driver", "nvidia"}, {"kind", "Fatal"}});
  const Answers answers = answers_of(id, with({line}));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
}

TEST(HardwarePcieError, IsAGuessAtAPortThatMayServeAnotherCard) {
  for (const char* kind : {"Fatal", "Non-Fatal"}) {
    const Answers answers =
        answers_of(id, with({symptom_of({failed, "pcie-device"}, {{"driver", "pcieport"}, {"kind", kind}})}));
    ASSERT_NE(finding_of(answers, id), nullptr);
    EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::possible) << kind;
  }
}

TEST(HardwarePcieError, OnlyWarnsWhereTheLinkCorrectedIt) {
  const Snapshot corrected = with({symptom_of({failed, "pcie-link"}, {{"severity", "Corrected"}, {"count", "2"}})});
  const Answers answers = answers_of(id, corrected);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->severity, Severity::warning);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::possible);
  EXPECT_NE(state_of("hardware.pcie-degraded", corrected), "failed") << "nothing is said of lanes";
}

TEST(HardwarePcieError, NotesASingleCorrectedErrorAndWarnsOfAGpusOwn) {
  const auto severity = [](const char* driver) {
    const Answers answers =
        answers_of(id, with({symptom_of({failed, "pcie-link"}, {{"severity", "Corrected"}, {"driver", driver}})}));
    return finding_of(answers, id) ? finding_of(answers, id)->severity : Severity::error;
  };
  EXPECT_EQ(severity("pcieport"), Severity::info);
  EXPECT_EQ(severity("nvidia"), Severity::warning);
}

TEST(HardwarePcieError, CountsACardsOwnAudioAndNotAnotherDevices) {
  Snapshot host;
  host.pci =
      std::vector<PciDevice>{{.address = "0000:01:00.0", .vendor_id = "10de", .device_id = "2684", .class_ = "0300"}};
  const auto audio = [](const char* device) {
    return symptom_of({failed, "pcie-device"}, {{"driver", "snd_hda_intel"}, {"device", device}, {"kind", "Fatal"}});
  };
  EXPECT_EQ(state_of(id, with({audio("0000:01:00.1")}, host)), "failed");
  EXPECT_NE(state_of(id, with({audio("0000:00:1f.3")}, host)), "failed") << "the board's own";
  EXPECT_NE(state_of(id, with({audio("0000:01:00.1")})), "failed") << "no GPU is known there";
}

}  // namespace
}  // namespace envdoctor::hardware_pcie_error_test
