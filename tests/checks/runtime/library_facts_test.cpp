// Libraries, symbols and OpenCL's parts that a text reports as missing: the diagnosis of each, and facts that refute
// it.
#include "checks/runtime/library_facts.h"

#include <gtest/gtest.h>

#include "tests/support/log_lines.h"

namespace envdoctor::library_facts_test {

using enum SymptomClass;
namespace {

const std::vector<Message> messages = {
    {{{unsupported, "compute-capability"}}, "runtime.arch-unsupported", likely},
    {{{mismatch, "gpu-library-symbol-version"}}, "runtime.library-shadowed", likely},
    {{{missing, "cuda-runtime"}}, "runtime.cuda-library-missing", likely},
    {{{too_old, "libstdcxx"}}, "runtime.library-shadowed", possible},
    {{{slow, "nccl-connection"}}, "runtime.nccl", possible},
    {{{missing, "opencl-registration"}}, "opencl.no-icd", likely},
    {{{crashed, "intel-opencl-driver"}}, "opencl.icd-broken", possible},
    {{{missing, "library-symbol"}, {{"symbol", "clSVMAlloc"}}}, "opencl.wrong-loader", likely},
    {{{missing, "library-symbol"}, {{"symbol", "clone_of_mine"}}}, "python.broken-install", possible},
    {{{missing, "library-symbol"}, {{"symbol", "_ZN3c104cuda9SetDeviceEi"}}}, "runtime.extension-mismatch", likely},
    {{{missing, "library-symbol"}, {{"symbol", "_ZN5cudaq9SetDeviceEi"}}}, "runtime.library-shadowed", likely},
    {{{present, "sycl-device"}, {{"type", "cpu"}}}, "opencl.cpu-only", possible},
    {{{missing, "library-by-ldd"}, {{"library", "libigdgmm.so.12"}}}, "opencl.icd-broken", likely},
    {{{missing, "library-by-ldd"}, {{"library", "libcudart.so.12"}}}, "runtime.cuda-library-missing", possible},
};

TEST(LibraryMessages, NameTheirCauseAsSurelyAsTheyMay) { expect_causes(messages); }

TEST(LibraryMessages, MeanNothingWhereADeviceIsUsed) {
  EXPECT_TRUE(ids(log_of({{{missing, "cuda-runtime"}}, {{used, "gpu"}}})).empty());
  EXPECT_TRUE(ids(log_of({{{missing, "library-by-ldd"}, {{"library", "libcudart.so.12"}}}, {{used, "gpu"}}})).empty());
}

TEST(LogLibraries, BelongToTheirDiagnosis) {
  const auto of = [](const char* library, const char* why = "") {
    return ids(log_of({{{missing, "library"}, {{"library", library}, {"why", why}}}}));
  };
  EXPECT_EQ(of("libcudnn.so.8"), (Found{{"runtime.cudnn-missing", certain}}));
  EXPECT_EQ(of("libcublas.so.12"), (Found{{"runtime.cuda-library-missing", certain}}));
  EXPECT_EQ(of("libcuda.so.1"), (Found{{"driver.libcuda-missing", likely}}));
  EXPECT_EQ(of("libcuda.so"), (Found{{"driver.libcuda-linker-name", certain}}));
  EXPECT_EQ(of("libOpenCL.so.1"), (Found{{"opencl.loader-missing", certain}}));
  EXPECT_TRUE(of("libnvinfer.so.7").empty());
  EXPECT_TRUE(of("libGL.so.1").empty());
}

TEST(LogLibraries, AreNamedByTheDependencyThatFailed) {
  const auto all = findings(log_of({{{missing, "library"},
                                     {{"library", "libcusparse.so.12"},
                                      {"why", "libnvJitLink.so.12: cannot open shared object file: No such file"}}}}));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].subject, "library:libnvJitLink.so.12");
}

TEST(LogLibraries, MeanNothingToLddWhereTheyAreNoneOfOurs) {
  EXPECT_TRUE(ids(log_of({{{missing, "library-by-ldd"}, {{"library", "libgtk-3.so.0"}}}})).empty());
}

TEST(LogLibraries, LeaveASymbolThatTheDriverLacksToTheDriver) {
  const Line symbol = {{missing, "library-symbol"},
                       {{"library", "/lib64/libcuda.so.1"}, {"symbol", "cuMemcpyBatchAsync"}}};
  EXPECT_EQ(ids(log_of({symbol, {{too_old, "driver"}}})), (Found{{"driver.too-old", certain}}));
  EXPECT_TRUE(ids(log_of({symbol})).contains("runtime.library-shadowed"));
}

TEST(LogJax, TellsCudnnFromTheOtherLibraries) {
  const Line cudnn = {{missing, "jax-library"}, {{"library", "cuDNN"}}};
  EXPECT_EQ(ids(log_of({cudnn})), (Found{{"runtime.cudnn-missing", likely}}));
  const Found both = ids(log_of({cudnn, {{missing, "jax-library"}, {{"library", "cuBLAS"}}}}));
  EXPECT_TRUE(both.contains("runtime.cuda-library-missing"));
  Snapshot shadowed = log_of({cudnn});
  shadowed.env.fill()["LD_LIBRARY_PATH"] = "/usr/local/cuda-11.2/lib64";
  EXPECT_EQ(ids(shadowed), (Found{{"runtime.library-shadowed", likely}}));
}

TEST(LogOpencl, NamesTheLoaderTheFolderOrTheContainer) {
  const Line none = {{missing, "opencl-platform"}};
  EXPECT_EQ(
      ids(log_of(
          {none, {{mismatch, "opencl-loader"}, {{"path", "/opt/conda/lib/libOpenCL.so.1"}}}}))["opencl.wrong-loader"],
      likely);
  EXPECT_FALSE(ids(log_of({{{mismatch, "opencl-loader"}, {{"path", "/opt/conda/lib/libOpenCL.so.1"}}}}))
                   .contains("opencl.wrong-loader"))
      << "a conda loader that finds its platforms is in order";
  EXPECT_EQ(ids(log_of({none, {{missing, "opencl-vendors-folder"}}}))["opencl.no-icd"], likely);
  Snapshot working = in_docker(log_of({none}));
  EXPECT_FALSE(ids(working).contains("opencl.icd-missing-in-container"));
  working.nvidia.fill().devices = std::vector<NvidiaDevice>{nvml_a100()};
  EXPECT_EQ(ids(working)["opencl.icd-missing-in-container"], likely);
}

// The host's own search and the program name the same library: one fact, two sources.
TEST(LogLibraries, AddTheTextToWhatTheHostShows) {
  Snapshot snapshot = log_of({{{missing, "library"}, {{"library", "libcufft.so.10"}}}});
  snapshot.libraries =
      std::vector<SharedLibrary>{library_missing("libcublas.so.11"), library_missing("libcufft.so.10")};
  const auto all = findings(snapshot);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].subject, "library:libcublas.so.11");
  EXPECT_EQ(all[0].confidence, certain);
  EXPECT_EQ(paths_of(all[0]), (std::vector<std::string>{"/libraries/0/found", "/libraries/1/found", "log"}));
}

TEST(LogLibraries, AreCudnnAloneWhereTheHostLacksNothingElse) {
  Snapshot snapshot = log_of({{{missing, "gpu-libraries"}, {{"kind", "GPU"}}}});
  EXPECT_EQ(ids(snapshot), (Found{{"runtime.cuda-library-missing", likely}}));
  snapshot.libraries = std::vector<SharedLibrary>{library_missing("libcudnn.so.9")};
  EXPECT_EQ(ids(snapshot), (Found{{"runtime.cudnn-missing", likely}}));
  EXPECT_TRUE(ids(log_of({{{missing, "gpu-libraries"}, {{"kind", "TensorRT"}}}})).empty());
}

TEST(LogLibraries, OfAPlugInThatALoaderSkipsAreNoFault) {
  Snapshot snapshot = log_of({{{missing, "library"}, {{"library", "libamdhip64.so.6"}}}, {{ignored, "plug-in"}}});
  snapshot.log.fill()[1].line = 1;
  EXPECT_TRUE(ids(snapshot).empty());
  snapshot.log.fill()[1].line = 2;
  EXPECT_EQ(ids(snapshot), (Found{{"runtime.cuda-library-missing", certain}}));
}

}  // namespace
}  // namespace envdoctor::library_facts_test
