#include <fmt/format.h>
#include <gmock/gmock.h>

#include <random>

#include "knowledge/codes/names.h"
#include "probe/paste/log_reader.h"
#include "probe/probes.h"
#include "probe/redaction/env_values.h"
#include "probe/redaction/redact.h"

namespace envdoctor::env_test {
namespace {

std::map<std::string, Text> probed(const std::map<std::string, std::string>& env, bool redact) {
  const auto files = open_files(testing::TempDir());
  const Host host{.files = *files, .env = env, .live = false};
  const GatherOptions options{.redact = redact};
  Session session(host, options);
  probe_env(session);
  return *session.finish().env.get();
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

// What stays of the values that programs, images and people set, and what a diagnosis needs of wrong ones.
TEST(KnownValue, StaysAsItIs) {
  const std::vector<std::pair<const char*, std::vector<const char*>>> kept = {
      {"CUDA_VISIBLE_DEVICES",
       {"",
        "0",
        "-1",
        "-1,",
        "0,1,2",
        "0, 1",
        " 0 ",
        "0,9",
        "foo",
        "None",
        "none",
        "NoDevFiles",
        "GPU-3fa5b1c2",
        "MIG-5c6d7e8f",
        "MIG-GPU-3fa5b1c2/1/0",
        "0,GPU-3fa5b1c2",
        "cuda:0",
        "0abc",
        "'0'",
        "[0]"}},
      {"CUDA_DEVICE_ORDER", {"PCI_BUS_ID", "FASTEST_FIRST", "PCIBUSID", "pci_bus_id"}},
      {"NVIDIA_VISIBLE_DEVICES", {"all", "void", "none", "0:0,0:1", "nvidia.com/gpu=0", "nvidia.com/gpu=all"}},
      {"NVIDIA_DRIVER_CAPABILITIES", {"all", "compute,utility", "compute,video,utility"}},
      {"NVIDIA_REQUIRE_CUDA",
       {"cuda>=12.0", "cuda>=12.4 brand=tesla,driver>=470,driver<471 brand=geforcertx,driver>=535,driver<536"}},
      {"CUBLAS_WORKSPACE_CONFIG", {":4096:8", ":16:8:4096:2"}},
      {"PYTORCH_CUDA_ALLOC_CONF",
       {"max_split_size_mb:128", "expandable_segments:True,garbage_collection_threshold:0.8",
        "backend:cudaMallocAsync"}},
      {"XLA_FLAGS",
       {"--xla_gpu_cuda_data_dir=/usr/local/cuda-12.4", "--xla_gpu_deterministic_ops=true --xla_gpu_autotune_level=0",
        "--xla_force_host_platform_device_count=8"}},
      {"TF_XLA_FLAGS", {"--tf_xla_auto_jit=2", "--tf_xla_enable_xla_devices"}},
      {"TF_GPU_ALLOCATOR", {"cuda_malloc_async"}},
      {"XLA_PYTHON_CLIENT_MEM_FRACTION", {".50", "0.75"}},
      {"KERAS_BACKEND", {"jax", "tensorflow", "tensorfow", "Torch", "theano", ""}},
      {"JAX_PLATFORMS", {"cpu", "cuda,cpu", "gpu", "METAL"}},
      {"HSA_OVERRIDE_GFX_VERSION", {"10.3.0", "11.0.0"}},
      {"HSA_CU_MASK", {"0:0-15"}},
      {"ROC_GLOBAL_CU_MASK", {"0xffffffff"}},
      {"RUSTICL_ENABLE", {"iris", "radeonsi:0,1", "llvmpipe"}},
      {"POCL_DEVICES", {"cpu", "pthread basic"}},
      {"ZE_AFFINITY_MASK", {"0.1", "0,1"}},
      {"ONEAPI_DEVICE_SELECTOR", {"level_zero:gpu", "opencl:*;!opencl:gpu", "level_zero:0.*"}},
      {"NCCL_SOCKET_IFNAME", {"eth0", "^lo,docker0", "=ib0", "enp65s0f0"}},
      {"NCCL_DEBUG", {"INFO", "warn"}},
      {"NCCL_ALGO", {"Tree", "^Ring"}},
      {"OMP_NUM_THREADS", {"1", "64", "4,2"}},
      {"OMP_PLACES", {"cores", "{0:4}:2"}},
      {"GOMP_CPU_AFFINITY", {"0-15", "0 3 1-2 4-15:2"}},
      {"OPENBLAS_CORETYPE", {"Haswell"}},
      {"NEO_CACHE_MAX_SIZE", {"0", "1073741824"}},
      {"CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", {"0=1G,1=512M"}},
      {"SLURM_JOB_GPUS", {"0,3"}},
      {"SLURM_JOB_ID", {"123456"}},
      {"CUDA_VERSION", {"12.4.1"}},
      {"LD_LIBRARY_PATH",
       {"/usr/local/cuda/lib64:/usr/local/cuda/lib64::/usr/lib/x86_64-linux-gnu",
        "/opt/nvidia/hpc_sdk/Linux_x86_64/24.5/cuda/12.4/extras/CUPTI/lib64", "/.singularity.d/libs", "$HOME/lib",
        "$HOME/miniconda3/envs/<name>/lib", "/usr/local/cuda/lib64/stubs",
        "$HOME/.local/lib/python3.10/site-packages"}},
      {"LD_PRELOAD", {"/usr/lib/x86_64-linux-gnu/libtcmalloc_minimal.so.4", "libtcmalloc.so.4"}},
      {"OCL_ICD_VENDORS", {"/etc/OpenCL/vendors/amdocl64.icd", "/etc/OpenCL/vendors", "<name>.icd"}},
      {"CUDA_HOME", {"/usr/local/cuda-12.4", "$HOME/cuda"}},
  };
  for (const auto& [name, values] : kept) {
    for (const char* value : values) EXPECT_EQ(known_value(name, value).value_or("withheld"), value) << name;
  }
}

TEST(KnownValue, OfAPathKeepsItsShape) {
  const auto path = [](const char* value) { return known_value("LD_LIBRARY_PATH", value).value_or("withheld"); };
  EXPECT_EQ(path("/public/acme-secret/cuda/lib64"), "/<name>/<name>/cuda/lib64");
  EXPECT_EQ(path("$HOME/thesis of mine/lib:/usr/lib"), "$HOME/<name> <name> <name>/lib:/usr/lib");
  EXPECT_EQ(path("/opt/qk2Zr9Tw/lib"), "/opt/<name>/lib");
  EXPECT_EQ(path("/data/<user>/stubs/libq7.so.1"), "/data/<user>/stubs/<name>.so");
  EXPECT_EQ(known_value("LD_LIBRARY_PATH", "/acme/apollo:/q/lib", {"/acme/apollo/libcudart.so.12"}),
            "/acme/apollo:/<name>/lib");
}

// In no variable does what has no known form stay, whatever its name.
TEST(KnownValue, HoldsNoCanary) {
  std::mt19937 random(1);  // NOLINT: the same values in every run
  const std::string characters = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  for (const std::string& name : knowledge::env_allow_list()) {
    for (const char* form : {"{}", "/home/carol/{}/lib", "/opt/{}", "0,{}", "tcp:{}@db", "--xla_dump_to={}",
                             "{}.internal", "{{\"a\": \"{}\"}}", "all {}", "nvidia.com/{}", "-D{}", "x:{}:y"}) {
      std::string canary;
      for (int i = 0; i < 16; ++i) canary += characters[random() % characters.size()];
      canary += "7q9Z";
      const std::string value = fmt::format(fmt::runtime(form), canary);
      Snapshot snapshot;
      snapshot.env.fill()[name] = value;
      redact(snapshot, {});
      EXPECT_EQ(snapshot.env.get()->at(name).or_empty().find(canary), std::string::npos) << name << "=" << value;
    }
  }
}

TEST(KnownValue, IsOfAListedVariable) {
  EXPECT_EQ(known_value("EDITOR", "1"), std::nullopt);
  EXPECT_EQ(known_value("TF_CONFIG", "1"), std::nullopt);
  EXPECT_EQ(known_value("NCCL_COMM_ID", "<ip>:5000"), std::nullopt);
  EXPECT_EQ(known_value("CUDA_VISIBLE_DEVICES", "<user>"), std::nullopt);
  EXPECT_EQ(known_value("CUDA_VISIBLE_DEVICES", "hunter22"), std::nullopt);
  EXPECT_EQ(known_value("OMP_NUM_THREADS", "hunter"), std::nullopt);
  EXPECT_EQ(known_value("CUDA_VISIBLE_DEVICES", "0\n1"), std::nullopt);
}

TEST(KnownValue, IsAskedOfPastedTextAndOfFiles) {
  const auto read = read_log(
      "HOME=/root\nPATH=/bin\nSHELL=/bin/sh\nCUDA_VISIBLE_DEVICES=0\nKERAS_HOME=/q8/zeta\n"
      "POCL_PLATFORM_NAME_OVERRIDE=acme9apollo\n",
      "a.log");
  ASSERT_NE(read.env.get(), nullptr);
  EXPECT_TRUE(read.env.get()->at("CUDA_VISIBLE_DEVICES").is("0"));
  EXPECT_TRUE(read.env.get()->at("KERAS_HOME").is("/<name>/<name>"));
  EXPECT_EQ(read.env.get()->at("POCL_PLATFORM_NAME_OVERRIDE").why(), "withheld");
}

}  // namespace
}  // namespace envdoctor::env_test
