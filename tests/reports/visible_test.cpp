#include "reports/reports.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/builders.h"

namespace envdoctor::visible_test {
namespace {

VisibleList half_hidden() {
  VisibleList list{.stack = "cuda"};
  list.filters = {{"CUDA_VISIBLE_DEVICES", "1", "leaves 1 of 2"}};
  list.devices = {{"GPU-3f2a1b4c", "0000:65:00.0", "NVIDIA A100", 1}};
  list.hidden = {{{"", "0000:17:00.0", "Tesla T4", 0}, "CUDA_VISIBLE_DEVICES", "not named by CUDA_VISIBLE_DEVICES"}};
  return list;
}

TEST(VisibleText, ShowsFiltersDevicesAndReasons) {
  EXPECT_EQ(visible_text({half_hidden()}),
            "CUDA: 1 device, derived from the variables\n"
            "  filter   CUDA_VISIBLE_DEVICES=1 leaves 1 of 2\n"
            "  0        NVIDIA A100, GPU-3f2a1b4c at 65:00.0\n"
            "  hidden   Tesla T4 at 17:00.0: not named by CUDA_VISIBLE_DEVICES\n");
  EXPECT_EQ(visible_text({}), "No GPU and no GPU software found.\n");
}

TEST(VisibleText, SaysWhatItCanNotTell) {
  VisibleList list{.stack = "rocm"};
  list.unknown = "/env: not looked at";
  EXPECT_EQ(visible_text({list}), "HIP (ROCm): unknown: /env: not looked at\n");
}

TEST(VisibleJson, CarriesTheSame) {
  const auto json = nlohmann::json::parse(visible_json({half_hidden()}));
  EXPECT_EQ(json["schema"], "envdoctor.visible/1");
  EXPECT_EQ(json["stacks"][0]["devices"][0]["uuid"], "GPU-3f2a1b4c");
  EXPECT_EQ(json["stacks"][0]["hidden"][0]["by"], "CUDA_VISIBLE_DEVICES");
  VisibleList unknown{.stack = "rocm"};
  unknown.unknown = "why";
  EXPECT_EQ(nlohmann::json::parse(visible_json({unknown}))["stacks"][0]["devices"]["failed"], "why");
}

}  // namespace
}  // namespace envdoctor::visible_test
