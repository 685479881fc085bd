#include "knowledge/wordings/slots.h"

#include <gtest/gtest.h>

namespace envdoctor::knowledge::slots_test {
namespace {

std::string said(std::string_view line) {
  const auto match = match_slots(line);
  return match ? match->class_ + " " + match->subject : "";
}

TEST(Slots, ReadASubjectAndItsStateInAnyOrder) {
  for (const char* line :
       {"trainer: no suitable GPU found, stopping", "RuntimeError: unable to detect any CUDA-capable device",
        "[setup] GPU not detected, continuing without it", "worker started with 0 GPUs detected",
        "[error] CUDA could not be initialised, continuing on the CPU", "GPU acceleration unavailable",
        "Warning: unable to use the GPU, falling back to CPU", "WARNING: No GPU detected! Check the paths.",
        "it may run slowly because this machine does not have a GPU.", "cannot find any torch accelerator",
        "[ERROR] renderer: CUDA device cannot be used", "solver: failed to enumerate GPUs",
        "Error: there is no CUDA-capable device", "HIP runtime failed to init", "warn: compute devices were not found",
        "RuntimeError: could not give it a GPU: no GPU available"})
    EXPECT_EQ(said(line), "missing any-gpu") << line;
  for (const char* line : {"setup.sh: NVIDIA driver not found, skipping", "the nvidia kernel driver is not loaded",
                           "error: amdgpu driver could not be initialized", "nvidia-uvm has not been loaded",
                           "the CUDA driver is not functional"})
    EXPECT_EQ(said(line), "missing any-driver") << line;
  for (const char* line : {"Your NVIDIA driver is outdated for this release", "GPU drivers are not up to date",
                           "fatal: please upgrade your graphics driver"})
    EXPECT_EQ(said(line), "too-old any-driver") << line;
  EXPECT_EQ(said("Error: the model does not fit into VRAM"), "exhausted any-gpu-memory");
  EXPECT_EQ(said("OpenCL is not available on this system"), "missing any-opencl");
  EXPECT_EQ(said("Could not find CUDA toolkit"), "missing any-cuda-library");
  EXPECT_EQ(said("ERROR: GPU architecture sm_37 is not supported by this build"), "unsupported any-architecture");
  EXPECT_EQ(said("ValueError: GPU index 3 is out of range, 2 GPUs visible"), "missing any-gpu-index");
  EXPECT_EQ(said("error: GPU support is not compiled in"), "noted cpu-build");
  EXPECT_EQ(said("it runs on a GPU, but no GPU was detected"), "missing any-gpu") << "the second place";
}

TEST(Slots, SayNothingOfWhatStandsBesideASubject) {
  for (const char* line :
       {"NCCL WARN failed to open CUDA IPC handle : 11 invalid argument", "no errors on the GPU so far",
        "GPU 0 is busy. The file was not found.", "cuda_graphs not available", "no GPU time was lost",
        "failed to query GPU temperature", "If the GPU is not detected, reboot", "no GPU errors since the start",
        "the option --gpus is not available in this version", "the checkpoint could not be loaded onto the GPU",
        "no GPU is needed to run the tests", "no GPU requested", "", "gpu", "not found"})
    EXPECT_EQ(said(line), "") << line;
  EXPECT_EQ(said("no GPU found" + std::string(400, ' ')), "") << "too long";
}

}  // namespace
}  // namespace envdoctor::knowledge::slots_test
