// Frameworks that misbehave: small packages of our own in an environment of the system's Python.
#include <gmock/gmock.h>

#include <filesystem>

#include "probe/ask.h"
#include "probe/probes.h"
#include "tests/support/process.h"

namespace envdoctor {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Frameworks : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name = fs::read_symlink("/usr/bin/python3").filename();
    site_ = root_ + "/env/lib/" + name + "/site-packages";
    fs::create_directories(site_);
    fs::create_directories(root_ + "/env/bin");
    fs::create_symlink("/usr/bin/python3", root_ + "/env/bin/python3");
    std::ofstream(root_ + "/env/pyvenv.cfg") << "home = /usr/bin\n";
  }
  void TearDown() override { fs::remove_all(root_); }
  // A distribution whose package is this Python text.
  void package(const std::string& name, const std::string& text) {
    fs::create_directories(site_ + "/" + name);
    fs::create_directories(site_ + "/" + name + "-1.0.dist-info");
    std::ofstream(site_ + "/" + name + "/__init__.py") << text;
  }
  Snapshot asked(Milliseconds limit = Milliseconds(20'000), bool quick = false) {
    const auto files = open_files("/");
    const Host host{.files = *files, .env = {{"PATH", root_ + "/env/bin:/usr/bin:/bin"}, {"HOME", root_}}};
    const GatherOptions options{.quick = quick, .redact = false, .framework = limit};
    Session session(host, options);
    probe_python(session);
    probe_frameworks(session);
    return session.finish();
  }
  static const ProbeStatus& status(const Snapshot& snapshot) { return snapshot.probes.get()->at("frameworks"); }

  const std::string root_ = test_folder();
  std::string site_{};
};

constexpr const char* small_jax = R"(
import numpy_of_jax as numpy
__version__ = "1.0"
def default_backend(): return "cpu"
def devices(): return ["cpu:0"]
)";
constexpr const char* numpy_of_jax = R"(
class Array:
    def __matmul__(self, other): return self
    def devices(self): return {"cpu:0"}
def ones(shape): return Array()
)";

TEST_F(Frameworks, AnswerOnAChannelOfTheirOwn) {
  package("jax", small_jax);
  package("numpy_of_jax", numpy_of_jax);
  const Snapshot s = asked();
  ASSERT_NE(s.jax.get(), nullptr);
  EXPECT_EQ(s.jax.get()->import_error.outcome(), Outcome::absent);
  EXPECT_TRUE(s.jax.get()->backend.is("cpu"));
  EXPECT_TRUE(s.jax.get()->matmul.is("cpu:0"));
  EXPECT_TRUE(status(s).status.is("ok"));
}

TEST_F(Frameworks, AreNotAskedWhereItShallBeQuick) {
  package("jax", small_jax);
  EXPECT_EQ(asked(Milliseconds(20'000), true).jax.get()->import_error.outcome(), Outcome::not_probed);
}

TEST_F(Frameworks, SayWhyTheyCannotBeImported) {
  package("torch", "raise ImportError('libcudart.so.12: cannot open shared object file: No such file or directory')");
  const Snapshot s = asked();
  EXPECT_TRUE(s.torch.get()->import_error.is(
      "ImportError: libcudart.so.12: cannot open shared object file: No such file or directory"));
  EXPECT_TRUE(status(s).status.is("ok"));
  ASSERT_NE(s.log.get(), nullptr);
  const bool heard = std::ranges::any_of(*s.log.get(), [](const LogEvent& e) {
    return e.event.is("library-missing") && e.source.is("standard error of torch");
  });
  EXPECT_TRUE(heard);
}

TEST_F(Frameworks, ThatCrashAtImportAreNamed) {
  package("torch", "import os, signal\nos.kill(os.getpid(), signal.SIGILL)\n");
  package("jax", small_jax);
  package("numpy_of_jax", numpy_of_jax);
  const Snapshot s = asked();
  EXPECT_EQ(s.torch.get()->import_error.why(), "torch: ended by SIGILL in import torch");
  EXPECT_EQ(s.torch.get()->cuda_available.outcome(), Outcome::failed);
  EXPECT_TRUE(s.jax.get()->backend.is("cpu"));  // the others go on
  EXPECT_TRUE(status(s).status.is("failed"));
  EXPECT_TRUE(status(s).error.get()->culprit.is("torch"));
}

TEST_F(Frameworks, ThatHangAreLeftAtTheirLimit) {
  package("torch", "import time, signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)\n");
  const auto start = std::chrono::steady_clock::now();
  const Snapshot s = asked(Milliseconds(1500));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(15));
  EXPECT_THAT(s.torch.get()->import_error.why(), HasSubstr("no answer within 1.5 s in import torch"));
}

TEST_F(Frameworks, ThatPrintMegabytesOrTakeStandardOutputAreHeardAllTheSame) {
  package("jax", std::string("import os, sys\n"
                             "os.write(1, b'x' * 1000)\n"
                             "for _ in range(8): os.write(2, b'noise ' * 100000 + b'\\n')\n"
                             "os.close(1)\nsys.stdout = None\n") +
                     small_jax);
  package("numpy_of_jax", numpy_of_jax);
  EXPECT_TRUE(asked().jax.get()->backend.is("cpu"));
}

TEST_F(Frameworks, ThatAnswerNonsenseGiveOneFailedReading) {
  package("jax", "import os\nfor fd in range(3, 20):\n  try: os.write(fd, b'z' * 64)\n  except OSError: pass\n");
  const Snapshot s = asked();
  EXPECT_EQ(s.jax.get()->backend.outcome(), Outcome::failed);
  EXPECT_TRUE(status(s).error.get()->kind.is("malformed"));
}

TEST_F(Frameworks, CannotSpeakForTheHost) {
  package("jax",
          "import json, os, struct\n"
          "data = json.dumps({'schema': 'envdoctor.snapshot/1', 'host': {'os': 'lies'}}).encode()\n"
          "for fd in range(3, 20):\n"
          "  try: os.write(fd, struct.pack('=Ic', len(data), b'a') + data)\n"
          "  except OSError: pass\nos._exit(0)\n");
  EXPECT_EQ(asked().host.outcome(), Outcome::not_probed);
}

TEST(AskScripts, AreAllThere) {
  for (const char* name : {"common", "tensorflow", "torch", "jax", "keras", "last"})
    EXPECT_THAT(std::string(ask_scripts().at(name)), HasSubstr("#")) << name;
}

}  // namespace
}  // namespace envdoctor
