#include <gtest/gtest.h>

#include <filesystem>

#include "probe/probes.h"
#include "tests/support/process.h"

namespace envdoctor {
namespace {

namespace fs = std::filesystem;

Snapshot probed(const std::string& root, std::map<std::string, std::string> env) {
  const auto files = open_files(root);
  const Host host{.files = *files, .env = std::move(env), .live = false};
  const GatherOptions options;
  Session session(host, options);
  probe_python(session);
  return session.finish();
}

TEST(PythonProbe, ReadsAnEnvironmentWithoutRunningIt) {
  const std::string root = test_folder();
  const std::string site = root + "/venv/lib/python3.11/site-packages";
  for (const char* name :
       {"torch-2.3.0+cu121.dist-info", "numpy-1.26.4.dist-info", "old-0.1-py3.11.egg-info", "torch", "-.dist-info"})
    fs::create_directories(site + "/" + name);
  std::ofstream(root + "/venv/pyvenv.cfg") << "home = /usr/bin\n";
  const Snapshot snapshot = probed(root, {{"VIRTUAL_ENV", "/venv"}});
  const Python* python = snapshot.python.get();
  ASSERT_NE(python, nullptr);
  EXPECT_TRUE(python->kind.is("venv"));
  EXPECT_TRUE(python->version.is("3.11"));
  const std::map<std::string, std::string> expected = {{"torch", "2.3.0+cu121"}, {"numpy", "1.26.4"}, {"old", "0.1"}};
  EXPECT_EQ(*python->packages.get(), expected);
  ASSERT_NE(snapshot.torch.get(), nullptr);
  EXPECT_TRUE(snapshot.torch.get()->version.is("2.3.0+cu121"));
  EXPECT_EQ(snapshot.torch.get()->cuda_available.outcome(), Outcome::not_probed);
  EXPECT_EQ(snapshot.tensorflow.outcome(), Outcome::not_probed);
}

TEST(PythonProbe, SaysThatThereIsNone) { EXPECT_EQ(probed(test_folder(), {}).python.outcome(), Outcome::absent); }

}  // namespace
}  // namespace envdoctor
