#include "knowledge/gpus/gpu_models.h"

#include <gmock/gmock.h>

#include "knowledge/embedded_tables.h"
#include "knowledge/gpus/gpu_devices_index.h"
#include "knowledge/table_rows.h"

namespace envdoctor::knowledge::gpus_test {
namespace {

GpuModel model(const char* vendor, const char* device) {
  const auto found = gpu_model(vendor, device);
  EXPECT_TRUE(found.has_value()) << vendor << ":" << device;
  return found ? *found : GpuModel{};
}

struct Known {
  const char *vendor, *device, *name, *chip, *architecture, *capability, *gfx;
};

TEST(GpuModel, KnowsTheCapabilityOfANameThatIsOneGenerations) {
  EXPECT_EQ(capability_of_name("NVIDIA A100-SXM4-80GB"), "8.0");
  EXPECT_EQ(capability_of_name("Tesla V100-SXM2..."), "7.0");
  EXPECT_EQ(capability_of_name("NVIDIA GeForce RTX 3080 Ti Laptop GPU"), "8.6");
  EXPECT_EQ(capability_of_name("gtx 1080 ti"), "6.1");
  EXPECT_EQ(capability_of_name("NVIDIA H100 80GB HBM3"), "9.0");
  EXPECT_EQ(capability_of_name("Quadro K4000"), "3.0");
  EXPECT_EQ(capability_of_name("3090"), "8.6");
  EXPECT_EQ(capability_of_name("NVIDIA GeForce RTX 5090"), "12.0");
  EXPECT_EQ(capability_of_name("GeForce GT 730"), "") << "Fermi and Kepler";
  EXPECT_EQ(capability_of_name("NVIDIA RTX 4000..."), "") << "Turing, or Ada with its name cut off";
  for (const char* none : {"", "NVIDIA", "GeForce ...", "RTX 9999", "80GB", "Graphics Device", "12"})
    EXPECT_EQ(capability_of_name(none), "") << none;
}

TEST(GpuModel, NamesCardsFromTheirIdAlone) {
  const Known known[] = {
      {"10de", "102d", "K80", "GK210", "Kepler", "3.7", ""},
      {"10de", "17fd", "M40", "GM200", "Maxwell", "5.2", ""},
      {"10de", "1b80", "GTX 1080", "GP104", "Pascal", "6.1", ""},
      {"10de", "15f8", "P100", "GP100", "Pascal", "6.0", ""},
      {"10de", "1db1", "V100", "GV100", "Volta", "7.0", ""},
      {"10de", "1eb8", "T4", "TU104", "Turing", "7.5", ""},
      {"10de", "20b0", "A100", "GA100", "Ampere", "8.0", ""},
      {"10de", "2204", "RTX 3090", "GA102", "Ampere", "8.6", ""},
      {"10de", "2684", "RTX 4090", "AD102", "Ada", "8.9", ""},
      {"10de", "26b9", "L40S", "AD102", "Ada", "8.9", ""},
      {"10de", "2330", "H100", "GH100", "Hopper", "9.0", ""},
      {"10de", "2335", "H200", "GH100", "Hopper", "9.0", ""},
      {"10de", "2901", "B200", "GB100", "Blackwell", "10.0", ""},
      {"10de", "2b85", "RTX 5090", "GB202", "Blackwell", "12.0", ""},
      {"1002", "74a1", "MI300X", "Aqua Vanjaram", "CDNA3", "", "gfx942"},
      {"1002", "75a0", "MI350X", "Aqua Vanjaram", "CDNA4", "", "gfx950"},
      {"1002", "744c", "7900", "Navi 31", "RDNA3", "", "gfx1100"},
      {"8086", "e20b", "Arc B580", "Battlemage", "", "", ""},
      {"8086", "56a0", "A770", "", "", "", ""},
      {"8086", "0bd5", "Max 1550", "Ponte Vecchio", "", "", ""},
  };
  for (const Known& k : known) {
    const GpuModel found = model(k.vendor, k.device);
    SCOPED_TRACE(std::string(k.vendor) + ":" + k.device + " " + found.name + ", " + found.chip + ", " +
                 found.architecture);
    EXPECT_THAT(found.name, testing::HasSubstr(k.name));
    EXPECT_THAT(found.chip, testing::HasSubstr(k.chip));
    EXPECT_THAT(found.architecture, testing::HasSubstr(k.architecture));
    EXPECT_FALSE(found.architecture.empty());
    EXPECT_EQ(found.compute_capability, k.capability);
    EXPECT_EQ(found.gfx, k.gfx);
    EXPECT_FALSE(found.guessed);
  }
}

// A build that didn't make the index anew after a change of the table is caught here.
TEST(GpuModel, IndexIsOfTheTable) {
  EXPECT_EQ(bytes_of(embedded_index, "gpu_devices"), gpu_devices_index());
  const Table all("gpu_arch", Remarks::kept);
  for (const char* list : {"nvidia_devices", "amd_devices", "intel_devices"}) {
    for (const Row& row : all[list]) {
      const std::string id = row.text("id");
      EXPECT_EQ(model(id.substr(0, 4).c_str(), id.substr(5).c_str()).name, row.text_if("name")) << id;
    }
  }
}

TEST(GpuModel, GuessesFromThePrefixAndSaysSo) {
  const GpuModel guess = model("10de", "233f");
  EXPECT_TRUE(guess.guessed);
  EXPECT_EQ(guess.architecture, "Hopper");
  EXPECT_EQ(guess.name, "");
}

TEST(GpuModel, GuessesOnlyWhatAllChipsOfAPrefixShare) {
  const GpuModel guess = model("10de", "13b7");  // 13b: GM107 (5.0) and GM204 (5.2)
  EXPECT_TRUE(guess.guessed);
  EXPECT_EQ(guess.architecture, "Maxwell");
  EXPECT_EQ(guess.chip, "");
  EXPECT_EQ(guess.compute_capability, "");
}

TEST(GpuModel, HasNoCapabilityWhereTheSourcesContradictEachOther) {
  EXPECT_EQ(model("10de", "13f8").chip, "GM204");
  EXPECT_EQ(model("10de", "13f8").compute_capability, "");
}

TEST(GpuModel, IsUnknownForOtherVendorsAndIds) {
  EXPECT_FALSE(gpu_model("1a03", "2000").has_value());
  EXPECT_FALSE(gpu_model("10de", "ffff").has_value());
  EXPECT_FALSE(gpu_model("1002", "ffff").has_value());
  EXPECT_FALSE(gpu_model("", "").has_value());
}

TEST(CapabilityFact, HoldsFromItsRowOn) {
  EXPECT_FALSE(capability_has("7.5", "tf32"));
  EXPECT_TRUE(capability_has("8.0", "tf32"));
  EXPECT_TRUE(capability_has("12.0", "old-ptx-fails"));
  EXPECT_FALSE(capability_has("9.0", "old-ptx-fails"));
  EXPECT_FALSE(capability_has("9.0", "no-such-fact"));
}

TEST(Architecture, FollowsFromTheCapability) {
  EXPECT_EQ(architecture_of_capability("3.5"), "Kepler");
  EXPECT_EQ(architecture_of_capability("8.6"), "Ampere");
  EXPECT_EQ(architecture_of_capability("9.0"), "Hopper");
  EXPECT_EQ(architecture_of_capability("12.0"), "Blackwell");
  EXPECT_EQ(architecture_of_capability("99.0"), "");
  EXPECT_EQ(architecture_of_capability(""), "");
}

}  // namespace
}  // namespace envdoctor::knowledge::gpus_test
