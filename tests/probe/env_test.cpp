#include <gmock/gmock.h>

#include "probe/probes.h"

namespace envdoctor::env_test {
namespace {

std::map<std::string, Text> probed(const std::map<std::string, std::string>& env, bool redact) {
  const auto files = open_files(testing::TempDir());
  const Host host{.files = *files, .env = env, .live = false};
  const GatherOptions options{.redact = redact};
  Session session(host, options);
  probe_env(session);
  return *session.so_far().env.get();
}

TEST(Environment, KeepsListedVariablesAndSaysWhichAreSetButEmpty) {
  const auto env =
      probed({{"CUDA_VISIBLE_DEVICES", ""}, {"NVIDIA_REQUIRE_CUDA", "cuda>=12.0"}, {"EDITOR", "vi"}}, true);
  EXPECT_TRUE(env.at("CUDA_VISIBLE_DEVICES").is(""));
  EXPECT_TRUE(env.at("NVIDIA_REQUIRE_CUDA").is("cuda>=12.0"));
  EXPECT_EQ(env.size(), 2U);
}

TEST(Environment, NamesOtherGpuVariablesWithoutTheirValues) {
  const std::map<std::string, std::string> given = {{"NVIDIA_API_KEY", "nvapi-1"}, {"CUDA_SOMETHING_NEW", "1"}};
  const auto env = probed(given, true);
  EXPECT_EQ(env.at("NVIDIA_API_KEY").why(), "withheld");
  EXPECT_EQ(env.at("CUDA_SOMETHING_NEW").why(), "withheld");
}

TEST(Environment, NeverKeepsASecretEvenWithoutRedaction) {
  const std::map<std::string, std::string> given = {{"NVIDIA_API_KEY", "nvapi-1"}, {"CUDA_SOMETHING_NEW", "1"}};
  const auto env = probed(given, false);
  EXPECT_EQ(env.at("NVIDIA_API_KEY").why(), "withheld");
  EXPECT_TRUE(env.at("CUDA_SOMETHING_NEW").is("1"));
}

TEST(Environment, IsRedactedUnlessAskedOtherwise) {
  const std::map<std::string, std::string> given = {
      {"HOME", "/home/alice"},
      {"LD_LIBRARY_PATH", "/home/alice/lib"},
      {"TF_CONFIG", R"({"cluster": {"worker": ["h1:1"]}})"},
      {"CUDA_VISIBLE_DEVICES", "GPU-3fa5b1c2-1234-5678-9abc-def012345678"}};
  const auto env = probed(given, true);
  EXPECT_TRUE(env.at("LD_LIBRARY_PATH").is("$HOME/lib"));
  EXPECT_TRUE(env.at("CUDA_VISIBLE_DEVICES").is("GPU-3fa5b1c2"));
  EXPECT_EQ(env.at("TF_CONFIG").why(), "withheld");
  const auto all = probed(given, false);
  EXPECT_TRUE(all.at("LD_LIBRARY_PATH").is("/home/alice/lib"));
  EXPECT_TRUE(all.at("CUDA_VISIBLE_DEVICES").is("GPU-3fa5b1c2-1234-5678-9abc-def012345678"));
  EXPECT_THAT(*all.at("TF_CONFIG").get(), testing::HasSubstr("h1:1"));
}

}  // namespace
}  // namespace envdoctor::env_test
