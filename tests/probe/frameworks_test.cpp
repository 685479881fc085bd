// Frameworks that misbehave: small packages of our own in an environment of the system's Python.
#include <gmock/gmock.h>

#include <filesystem>
#include <set>

#include "probe/probes.h"
#include "probe/python/framework_queries.h"
#include "tests/support/process.h"

namespace envdoctor::frameworks_test {
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
  const bool heard = std::ranges::any_of(*s.log.get(), [](const Symptom& e) {
    return e.is({SymptomClass::missing, "library"}) && e.source.is("standard error of torch");
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

// As JAX does it: what a plug-in raises goes to its log, what a platform raises into a table.
TEST_F(Frameworks, TellWhyJaxUsedNoPlugIn) {
  package("jax", std::string(small_jax) + R"py(
import logging
from jax._src import xla_bridge
def default_backend():
    try:
        try:
            raise OSError("libcudart.so.12 is not there")
        except OSError as error:
            raise RuntimeError("Unable to load CUDA") from error
    except RuntimeError:
        logging.getLogger("jax._src.xla_bridge").exception(
            "Jax plugin configuration error: Exception when calling %s.initialize()", "jax_plugins.xla_cuda12")
    return "cpu"
)py");
  fs::create_directories(site_ + "/jax/_src");
  std::ofstream(site_ + "/jax/_src/__init__.py");
  std::ofstream(site_ + "/jax/_src/xla_bridge.py")
      << "_backend_errors = {'rocm': 'no ROCm', 'tpu': 'Failed to open libtpu.so: no such file'}\n"
         "_backend_factories, _backends = {'cuda': 1, 'cpu': 1}, {'cpu': 1}\n";
  package("numpy_of_jax", numpy_of_jax);
  const Snapshot s = asked();
  const auto* errors = s.jax.get()->backend_errors.get();
  ASSERT_NE(errors, nullptr) << s.jax.get()->backend_errors.why();
  const std::map<std::string, std::string> wanted = {
      {"rocm", "no ROCm"}, {"xla_cuda12", "RuntimeError: Unable to load CUDA (OSError: libcudart.so.12 is not there)"}};
  EXPECT_EQ(*errors, wanted) << "a TPU's library is missed by nobody";
}

TEST_F(Frameworks, ThatFailInOneThingAnswerTheRest) {
  package("torch", R"py(
__version__ = "2.9.9"
class version: cuda = "12.8"
class _C: pass
class cuda:
    is_available, device_count, init = lambda: True, lambda: 0, lambda: None
class backends:
    class cuda:
        class matmul: allow_tf32 = True
    class cudnn:
        allow_tf32, is_available = True, lambda: True
        def version():
            raise RuntimeError("cuDNN version incompatibility: PyTorch was compiled against (9, 1, 0) but found runtime"
                               " version (8, 9, 7).")
def get_num_threads(): return 3
def ones(*shape, device): raise MemoryError("CUDA out of memory. Tried to allocate 2.00 MiB.")
import sys
sys.stderr = None
)py");
  const Snapshot s = asked();
  EXPECT_THAT(s.torch.get()->cudnn_version.why(), HasSubstr("compiled against (9, 1, 0)"));
  EXPECT_EQ(s.torch.get()->matmul.why(), "MemoryError: CUDA out of memory. Tried to allocate 2.00 MiB.");
  EXPECT_TRUE(s.torch.get()->tf32_matmul.is(true));
  EXPECT_TRUE(s.torch.get()->threads.is(3));
  std::set<std::string> heard;
  if (s.log.get()) {
    for (const Symptom& event : *s.log.get()) heard.insert(*event.class_.get() + " " + *event.subject.get());
  }
  EXPECT_THAT(heard, testing::IsSupersetOf({"exhausted gpu-memory", "mismatch cudnn-version"}));
}

TEST(AskScripts, AreAllThere) {
  for (const char* name : {"common", "tensorflow", "torch", "jax", "keras", "last"})
    EXPECT_THAT(std::string(ask_scripts().at(name)), HasSubstr("#")) << name;
}

}  // namespace
}  // namespace envdoctor::frameworks_test
