// Frameworks' answers, as users read them.
#include <gmock/gmock.h>

#include "reports/text/show_rows.h"
#include "tests/support/builders.h"

namespace envdoctor::show_python_test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ShowPython, TellsWhereTensorflowPutsWorkAndHowItIsSet) {
  Snapshot snapshot = healthy_nvidia_host();
  Tensorflow& tf = snapshot.tensorflow.fill();
  tf.physical_gpus = 2, tf.visible_gpus = 1, tf.logical_gpus = 1;
  tf.placement = "GPU:0";
  tf.placement_under_gpu = "CPU:0";
  tf.soft_placement = true;
  tf.memory_growth = false;
  tf.deterministic_ops = false;
  tf.intra_op_threads = 0, tf.inter_op_threads = 3;
  tf.mapped_libraries = std::vector<std::string>{"/opt/cuda/libcudart.so.12", "/env/nvidia/cudnn/lib/libcudnn.so.9"};
  const std::string shown = show_python(snapshot);
  EXPECT_THAT(shown, HasSubstr("GPUs: 2, visible: 1, logical: 1"));
  EXPECT_THAT(shown, HasSubstr("under tf.device('/GPU:0') on CPU:0,"));
  EXPECT_THAT(shown, HasSubstr("moved, soft placement on"));
  EXPECT_THAT(shown, HasSubstr("memory growth off, not deterministic"));
  EXPECT_THAT(shown, HasSubstr("inter-op threads: 3"));
  EXPECT_THAT(shown, HasSubstr("cuDNN is /env/nvidia/cudnn/lib/libcudnn.so.9"));
  tf.placement_under_gpu = "GPU:0";
  EXPECT_THAT(show_python(snapshot), Not(HasSubstr("moved")));
  tf.placement = failed("ResourceExhaustedError: OOM");
  EXPECT_THAT(show_python(snapshot), HasSubstr("a matmul fails: ResourceExhaustedError: OOM"));
}

TEST(ShowPython, HoldsTheCudnnThatTorchLoadedAgainstTheOneItWasBuiltWith) {
  Snapshot snapshot = healthy_nvidia_host();
  snapshot.torch.fill().cudnn_version = "90100";
  snapshot.python.fill().requirements = std::vector<PackageRequirement>{
      {.by = std::string("torch"), .name = std::string("nvidia-cudnn-cu12"), .range = std::string("==9.1.0.70")}};
  EXPECT_THAT(show_python(snapshot), HasSubstr("cuDNN 9.1.0 loaded, built for ==9.1.0.70"));
  snapshot.torch.get()->cudnn_version = failed("RuntimeError: cuDNN version incompatibility");
  EXPECT_THAT(show_python(snapshot), HasSubstr("cuDNN: RuntimeError: cuDNN version incompatibility, built for"));
}

TEST(ShowPython, TellsWhatJaxTakesInAdvanceWhereItUsesAGpu) {
  Snapshot snapshot = healthy_nvidia_host();
  snapshot.jax.fill().backend = "gpu";
  EXPECT_THAT(show_python(snapshot), HasSubstr("takes 75 % of a GPU at its start"));
  snapshot.env.fill()["XLA_PYTHON_CLIENT_PREALLOCATE"] = std::string("false");
  EXPECT_THAT(show_python(snapshot), HasSubstr("XLA_PYTHON_CLIENT_PREALLOCATE=false"));
  snapshot.env = {};
  EXPECT_THAT(show_python(snapshot), Not(HasSubstr("at its start"))) << "the variables were not looked at";
  snapshot = healthy_nvidia_host();
  snapshot.jax.fill().backend = "cpu";
  EXPECT_THAT(show_python(snapshot), Not(HasSubstr("at its start")));
}

}  // namespace
}  // namespace envdoctor::show_python_test
