#include "probe/transcript/transcript.h"

#include <gtest/gtest.h>
#include <algorithm>

#include "evidence/merge.h"
#include "probe/paste/log_reader.h"

namespace envdoctor::transcript_test {
namespace {

Snapshot read(std::string_view text) { return read_log(text, "session.txt"); }

bool says(const Snapshot& snapshot, const Kind& kind) {
  return std::ranges::any_of(snapshot.log.or_empty(), [&](const Symptom& one) { return one.is(kind); });
}

TEST(Transcript, ReadsTheValueBelowAPythonPrompt) {
  const Snapshot snapshot = read(
      ">>> import torch\n>>> torch.__version__\n'2.2.1+cpu'\n>>> torch.cuda.is_available()\nFalse\n"
      ">>> print(torch.version.cuda)\nNone\n");
  const Torch& torch = snapshot.torch.or_empty();
  EXPECT_TRUE(torch.version.is("2.2.1+cpu"));
  EXPECT_TRUE(torch.cuda_available.is(false));
  EXPECT_EQ(torch.cuda_version.outcome(), Outcome::absent);
  EXPECT_TRUE(snapshot.sources.or_empty().at("/torch/cuda_available").line.is(5));
  EXPECT_TRUE(snapshot.sources.or_empty().at("/torch/cuda_available").source.is("session.txt"));
  EXPECT_TRUE(says(snapshot, {SymptomClass::missing, "torch-cuda"}));
}

TEST(Transcript, KeepsTheFirstOfTwoAnswers) {
  EXPECT_TRUE(read(">>> torch.cuda.is_available()\nFalse\n>>> torch.cuda.is_available()\nTrue\n")
                  .torch.or_empty()
                  .cuda_available.is(false));
}

TEST(Transcript, ReadsTheOutputOfAScriptBelowIt) {
  const Snapshot snapshot = read(
      "import torch\nprint(f'build {torch.__version__} for {torch.version.cuda}')\nprint(model)\n"
      "print(\"cuda:\", torch.cuda.is_available(), 'devices', torch.cuda.device_count())\n"
      "build 2.4.0+cu124 for 12.4\nNet(\n  (fc): Linear(8, 2)\n)\ncuda: True devices 2\n");
  const Torch& torch = snapshot.torch.or_empty();
  EXPECT_TRUE(torch.version.is("2.4.0+cu124"));
  EXPECT_TRUE(torch.cuda_version.is("12.4"));
  EXPECT_TRUE(torch.cuda_available.is(true));
  EXPECT_TRUE(torch.device_count.is(2));
}

TEST(Transcript, ReadsOneLinersOfAShell) {
  for (const char* prompt : {"$ ", "# ", "(venv) ann@box:~/run$ ", "PS C:\\work> ", "[ann@node7 run]$ ", "RUN ", "!"}) {
    const Snapshot snapshot = read(std::string(prompt) +
                                   "python3 -c \"import torch as t, torch; print(torch.cuda.is_available(), "
                                   "torch.cuda.device_count())\"\nFalse 0\n");
    EXPECT_TRUE(snapshot.torch.or_empty().cuda_available.is(false)) << prompt;
    EXPECT_TRUE(snapshot.torch.or_empty().device_count.is(0)) << prompt;
  }
}

TEST(Transcript, ReadsNotebookCells) {
  const Snapshot snapshot = read(
      "In [4]: gpus = tf.config.list_physical_devices('GPU')\n\nIn [5]: len(gpus)\nOut[5]: 0\n\n"
      "In [6]: tf.test.is_built_with_cuda()\nOut[6]: True\n\nIn [7]: tf.__version__\nOut[7]: '2.16.1'\n");
  const Tensorflow& tensorflow = snapshot.tensorflow.or_empty();
  EXPECT_TRUE(tensorflow.physical_gpus.is(0));
  EXPECT_TRUE(tensorflow.built_with_cuda.is(true));
  EXPECT_TRUE(tensorflow.version.is("2.16.1"));
}

TEST(Transcript, ReadsAListOverSeveralLines) {
  const Snapshot snapshot = read(
      ">>> tf.config.list_physical_devices()\n[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU'),\n"
      " PhysicalDevice(name='/physical_device:GPU:0', device_type='GPU'),\n"
      " PhysicalDevice(name='/physical_device:GPU:1', device_type='GPU')]\n");
  EXPECT_TRUE(snapshot.tensorflow.or_empty().physical_gpus.is(2));
}

TEST(Transcript, ReadsCommentsAndArrowsBehindCalls) {
  for (const char* line : {"torch.cuda.is_available()  # False", "print(torch.cuda.is_available()) # False",
                           "torch.cuda.is_available() -> False", "- `torch.cuda.is_available()`: False",
                           "torch.cuda.is_available() returns False", "torch.cuda.is_available() = False"})
    EXPECT_TRUE(read(line).torch.or_empty().cuda_available.is(false)) << line;
}

TEST(Transcript, TakesQuotedCodeForNoAnswer) {
  for (const char* text : {"if torch.cuda.is_available():\n    True\n", "assert torch.cuda.is_available() == False\n",
                           "  File \"a.py\", line 3, in <module>\n    print(torch.cuda.is_available())\nFalse\n",
                           "x = torch.cuda.is_available()\nFalse\n", "# print(torch.cuda.is_available())\nFalse\n",
                           ">>> torch.cuda.is_available()\nTraceback (most recent call last):\n>>> 1 == 2\nFalse\n"})
    EXPECT_FALSE(read(text).torch.or_empty().cuda_available.get()) << text;
}

TEST(Transcript, CountsAnUnknownLineBetweenKnownOnes) {
  const Snapshot snapshot =
      read("print(torch.__version__)\nprint(x.is_cuda)\nprint(torch.cuda.is_available())\n2.1.0\nFalse\nTrue\n");
  EXPECT_TRUE(snapshot.torch.or_empty().cuda_available.is(true));
}

TEST(Transcript, ReadsLabels) {
  for (const char* line :
       {"CUDA available: False", "Is CUDA available? False", "cuda_available=False", "  \"cuda_available\": false,",
        "PyTorch CUDA available : No", "CUDA is available: False", "torch.cuda available - False"})
    EXPECT_TRUE(read(line).torch.or_empty().cuda_available.is(false)) << line;
  for (const char* line :
       {"torch version: 2.0.1+cpu", "PyTorch: 2.0.1+cpu", "torch 2.0.1+cpu", "Torch Version 2.0.1+cpu"})
    EXPECT_TRUE(read(line).torch.or_empty().version.is("2.0.1+cpu")) << line;
  EXPECT_TRUE(read("import tensorflow as tf\nNumber of GPUs: 0\n").tensorflow.or_empty().physical_gpus.is(0));
  EXPECT_TRUE(read("import torch\nGPU count = 0\n").torch.or_empty().device_count.is(0));
}

TEST(Transcript, ReadsLabelsBehindWhatLoggersPutBeforeThem) {
  for (const char* line :
       {"INFO:root:CUDA available: False", "2024-05-01 12:00:00,123 - INFO - setup - CUDA available: False",
        "[2024-05-01 12:00:00] INFO: CUDA available: False", "2024-05-01T12:00:00Z CUDA available: False",
        "INFO 05-01 [env.py:12] CUDA available: False"})
    EXPECT_TRUE(read(line).torch.or_empty().cuda_available.is(false)) << line;
}

TEST(Transcript, KnowsListsOfDevicesByTheirForm) {
  EXPECT_TRUE(read("[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]\n")
                  .tensorflow.or_empty()
                  .physical_gpus.is(0));
  EXPECT_TRUE(read("[CpuDevice(id=0)]\n").jax.or_empty().backend.is("cpu"));
}

TEST(Transcript, TakesOtherSentencesForNoLabel) {
  for (const char* line : {"CUDA available: maybe", "use --no-cuda to disable", "whether cuda is available",
                           "requires torch>=2.0.0", "the number of GPUs: see below", "CUDA version: 12.1"}) {
    const Snapshot snapshot = read(line);
    EXPECT_FALSE(snapshot.torch.get()) << line;
  }
}

TEST(Transcript, NamesTheGpusThatTheFrameworkNames) {
  const Snapshot snapshot = read(
      ">>> torch.cuda.get_device_name(0)\n'Tesla K80'\n>>> torch.cuda.get_device_capability(0)\n(3, 7)\n"
      ">>> torch.cuda.get_arch_list()\n['sm_50', 'sm_60', 'sm_70']\n");
  const auto& devices = snapshot.nvidia.or_empty().devices.or_empty();
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_TRUE(devices[0].name.is("Tesla K80"));
  EXPECT_TRUE(devices[0].compute_capability.is("3.7"));
  EXPECT_EQ(snapshot.torch.or_empty().arch_list.or_empty().size(), 3U);
}

TEST(Transcript, ReadsVariablesWhereverTheyAreSet) {
  for (const char* line :
       {"export HSA_OVERRIDE_GFX_VERSION=10.3.0", "$ HSA_OVERRIDE_GFX_VERSION=10.3.0 python train.py",
        "set HSA_OVERRIDE_GFX_VERSION=10.3.0", "PS C:\\> $env:HSA_OVERRIDE_GFX_VERSION = \"10.3.0\"",
        "os.environ[\"HSA_OVERRIDE_GFX_VERSION\"] = \"10.3.0\"",
        "$ docker run -it -e HSA_OVERRIDE_GFX_VERSION=10.3.0 img", "ENV HSA_OVERRIDE_GFX_VERSION=10.3.0",
        "$ echo $HSA_OVERRIDE_GFX_VERSION\n10.3.0"}) {
    const Snapshot snapshot = read(line);
    ASSERT_TRUE(snapshot.env.or_empty().contains("HSA_OVERRIDE_GFX_VERSION")) << line;
    EXPECT_TRUE(snapshot.env.or_empty().at("HSA_OVERRIDE_GFX_VERSION").is("10.3.0")) << line;
    EXPECT_FALSE(environment_is_whole(snapshot)) << line;
  }
}

TEST(Transcript, TakesAdviceAndChangesForNoVariable) {
  for (const char* text : {"try setting HSA_OVERRIDE_GFX_VERSION=10.3.0 first", "export MY_OWN_NAME=1",
                           "export HSA_OVERRIDE_GFX_VERSION=10.3.0\nexport HSA_OVERRIDE_GFX_VERSION=11.0.0\n",
                           "export HSA_OVERRIDE_GFX_VERSION=$(cat gfx)"})
    EXPECT_TRUE(read(text).env.or_empty().empty()) << text;
}

TEST(Transcript, LeavesAKnownEnvironmentAsItIs) {
  Snapshot host;
  host.env.fill()["OMP_NUM_THREADS"] = "4";
  fill_in(host, read("export HSA_OVERRIDE_GFX_VERSION=10.3.0\n"));
  EXPECT_EQ(host.env.or_empty().size(), 1U);
  EXPECT_TRUE(environment_is_whole(host));
}

TEST(Transcript, ReadsOtherFrameworks) {
  EXPECT_TRUE(read(">>> jax.devices()\n[CpuDevice(id=0)]\n").jax.or_empty().backend.is("cpu"));
  EXPECT_TRUE(read(">>> jax.default_backend()\n'cpu'\n").jax.or_empty().backend.is("cpu"));
  EXPECT_TRUE(read(">>> keras.backend.backend()\n'torch'\n").keras.or_empty().backend.is("torch"));
  EXPECT_TRUE(read(">>> os.cpu_count()\n64\n").cpu.or_empty().threads.is(64));
  EXPECT_TRUE(read(">>> len(os.sched_getaffinity(0))\n2\n").cpu.or_empty().allowed_cpus.is(2));
  EXPECT_EQ(read(">>> numpy.__version__\n'2.0.1'\n").python.or_empty().packages.or_empty().at("numpy"), "2.0.1");
}

}  // namespace
}  // namespace envdoctor::transcript_test
