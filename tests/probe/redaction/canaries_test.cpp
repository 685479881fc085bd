// Secrets in every form that a name and a value are written in, and lines that only look like one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "probe/redaction/redact.h"

namespace envdoctor::canaries_test {
namespace {

const std::vector<std::string> keys = {"password",       "DB_PASSWORD",
                                       "passwd",         "pwd",
                                       "passphrase",     "secret",
                                       "CLIENT_SECRET",  "secret_key",
                                       "api_key",        "apikey",
                                       "X-API-Key",      "access_key",
                                       "signature",      "private_key",
                                       "LICENSE_KEY",    "AccountKey",
                                       "auth_token",     "HF_TOKEN",
                                       "access_token",   "session_key",
                                       "WANDB_API_KEY",  "refresh_token",
                                       "credential",     "sig",
                                       "PGPASSWORD",     "encryption_key",
                                       "ssh_key",        "X-Amz-Signature",
                                       "GITHUB_TOKEN",   "otp",
                                       "client_secret",  "OPENAI_API_KEY",
                                       "mysql_pwd",      "redis_pass",
                                       "webhook_secret", "bot_token",
                                       "signing_key",    "jwt",
                                       "NGC_API_KEY",    "AWS_SECRET_ACCESS_KEY"};
const std::vector<std::string> forms = {"{}={}",      "{}: {}",           "\"{}\": \"{}\"", "'{}': '{}'",     "--{} {}",
                                        "--{}={}",    "export {}=\"{}\"", "-e {}={}",       "?a=1&{}={}",     "{} = {}",
                                        "<{}>{}</x>", "set {}={}",        "{} := {}",       "$env:{}=\"{}\"", "{}=>{}",
                                        "[{}] {}",    "ENV {} {}",        "{} is {}",       "ARG {} {}",      "({}={}"};

std::string value(std::mt19937& random) {
  static const std::string characters = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789-_+/.,@!%";
  std::string text;
  for (auto length = 6 + random() % 26; text.size() < length;) text += characters[random() % characters.size()];
  return "q" + text + "Z";
}

TEST(Canaries, OfEveryNameInEveryFormAreWithheld) {
  std::mt19937 random(1);  // NOLINT: the same values in every run
  for (const std::string& key : keys) {
    for (const std::string& form : forms) {
      if (key == "secret" && form.starts_with('<')) continue;  // the mark that stands for what was withheld
      const std::string secret = value(random);
      const std::string text = "before " + fmt::format(fmt::runtime(form), key, secret) + " after";
      const std::string redacted = redact_text(text, {});
      EXPECT_EQ(redacted.find(secret.substr(0, 5)), std::string::npos) << text << " -> " << redacted;
      EXPECT_EQ(redacted.find(secret.substr(secret.size() - 5)), std::string::npos) << text << " -> " << redacted;
      EXPECT_EQ(redact_text(redacted, {}), redacted);
    }
  }
}

struct Canary {
  const char* text;
  const char* part;
};

TEST(Canaries, OfOtherShapesAreWithheld) {
  for (const auto& [text, part] :
       std::vector<Canary>{{"MASTER_ADDR=10.1.2.3", "10.1"},
                           {"NODE_IP=10.4.5.6", "10.4"},
                           {"KUBERNETES_SERVICE_HOST=10.96.0.1", "10.96"},
                           {"connecting to 213.9.113.7 failed", "213.9"},
                           {"192.168.3.4", "192.168"},
                           {"ip-10-1-2-77.eu-west-1.compute.internal", "10-1"},
                           {"https://x/y?sig=abc%2Fdef&se=2026", "abc%2F"},
                           {"Cookie: sid=abcd; user=carol", "carol"},
                           {"Authorization: Basic YWxhZGRpbjpvcGVu", "YWxh"},
                           {"curl -u carol:word1234 https://x", "word"},
                           {"AIzaSyA1234567890abcdefghijklmnopqrstuv", "123456"},
                           {"npm_abcdefghijklmnopqrstuvwxyz0123456789", "abcdef"},
                           {"pypi-AgEIcHlwaS5vcmcCJDAwMDAwMDAw", "AgEI"},
                           {"sk_live_51H8abcdefghijklmnop", "51H8"},
                           {"-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA", "MIIE"},
                           {"MIIEpAIBAAKCAQEA1234567890abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN", "MIIE"},
                           {"wandb: 0123456789abcdef0123456789abcdef01234567", "89abcdef"},
                           {"password=abc,TAIL", "TAIL"},
                           {"S/N: 1324ABC77", "1324"},
                           {"board_serial=XY1234567", "1234567"},
                           {"3cec.ef12.3456", "ef12"},
                           {"enx3cecef123456", "3cecef"},
                           {"machine-id 0123456789abcdef0123456789abcdef", "89abcdef0"},
                           {"/data/users/carolcanary/x", "carol"},
                           {"/mnt/nfs/carolcanary/x", "carol"},
                           {"/scratch/carolcanary", "carol"},
                           {"cd ~carolcanary/x", "carol"},
                           {R"(C:\Users\Carol Canary\AppData)", "Carol"},
                           {"Jan  2 03:04:05 gpunode17 kernel: NVRM", "gpunode17"},
                           {"git@gitlab-internal:team/repo", "gitlab"},
                           {"SSH_AUTH_SOCK=/tmp/ssh-Ab12/agent.7", "Ab12"},
                           {"using glptt-0123456789abcdefghij now", "0123456789"},
                           {"runner GR1348941abcdefghij0123456789", "abcdefghij"},
                           {"ABIA0123456789ABCDEF", "0123456789"},
                           {"key 0123456789abcdef0123456789abcdef-us12", "456789"},
                           {"AC0123456789abcdefghijabcdefghij01", "456789"},
                           {"sq0csp-0123456789_abcdefghijklmnopqrstuvwxy", "456789"},
                           {"https://hooks.slack.com/services/T0123/B4567/q8Rt2Zw5", "q8Rt2Zw5"},
                           {"12345678:Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2", "Ef3Gh4"},
                           {"M0Ab1Cd2Ef3Gh4Ij5Kl6Mn7O.p8Qr9S.t0Uv1Wx2Yz3Ab4Cd5Ef6Gh7Ij8K", "Gh4Ij5"},
                           {"=AKC1a2B3c4D5e6F7", "2B3c4D"},
                           {"x 'Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2Yz3A'", "Gh4Ij5"},
                           {"cl_pw']  =>  \"a1b2c3d4e5f6a7b8c9d0e1f2\"", "c3d4e5"},
                           {"ibmkey\"]   Q1w2E3r4T5y6U7i8O9p0A1s2", "E3r4T5"},
                           {"BEGIN OPENSSH PRIVATE KEY", "PRIVATE"},
                           {"PuTTY-User-Key-File-2: ssh-rsa", "ssh-rsa"},
                           {"0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R", "2c3D4e"}}) {
    EXPECT_EQ(redact_text(text, {}).find(part), std::string::npos) << text << " -> " << redact_text(text, {});
  }
}

TEST(Canaries, WhatOnlyLooksSoStays) {
  std::vector<std::string> lines = {
      "max_token: 1024000",
      "12:00:00:11:22:33",
      "listen 127.0.0.1:8080",
      "bind 0.0.0.0",
      "eos_token: </s>",
      "pad_token=<pad>",
      "num_token = 12",
      "tokens: 128",
      "undefined symbol: cuFoo@LIBCUDA_1.0",
      "memcpy@@GLIBC_2.14 is needed",
      "actions/checkout@v4",
      "user@1000.service",
      "commit 0123456789abcdef0123456789abcdef01234567",
      "0000:65:00.0 3D controller",
      "NVRM: Xid (PCI:0000:65:00): 79, GPU has fallen off the bus",
      "[PASS] gemm fp32",
      "passed: 12",
      "bypass = 3",
      "compass: 4",
      "keyboard: us",
      "author: x",
      "signal 11",
      "design: y",
      "keys: 3",
      "primary key",
      "tokenizer: bert",
      "secretary",
      "std::unordered_map<Key, Value>",
      "OpenCL C 3.0",
      "__cxa_throw@plt",
      "torch~=2.0",
      "GPU-0badcafe",
      "sm_90a",
      "compute_80,code=sm_80",
      "/usr/local/cuda-12.4/lib64",
      "/home",
      "/opt/conda/envs/tf",
      "/proc/driver/nvidia/version",
      "PWD=/usr/src",
      "2026-01-02 03:04:05.123456",
      "libcudart-e409450e.so.11.0.221",
      "pytorch-2.4.1-py3.11_cuda12.1_cudnn9.1.0_0",
      "cutlass_80_tensorop_s1688gemm_128x128_16x5_nn_align4",
      "volta_fp16_s884cudnn_fp16_256x128_ldg8_relu_f2f_exp_small_nhwc2nchw_tn_v1",
      "undefined symbol: _ZN2at6native13BinaryFunctorIfffNS_10MulFunctorIfEEEE",
      "_ZN7cutlass4gemm6kernel4GemmINS0_11threadblock12MmaPipelinedINS0_9GemmShapeILi128ELi64ELi8EEE",
      "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
      "PROCESSOR_ARCHITECTURE=AMD64",
      "WithOneWrongNumberOf256GivesAWrongResult.cpp",
      "cache_key: ampere_sgemm_128x64_tn",
      "vocabulary_token_id: 151643",
      "kernel void __launch_bounds__(1024) reduce_kernel"};
  for (const char* name : {"TensorRT", "cuDNN", "NCCL", "Driver Version:", "CUDA Version:", "libnvinfer", "torch",
                           "OpenCL Driver", "Level Zero", "ROCm", "runtime", "toolkit"}) {
    for (const char* version : {"10.3.0.26", "8.9.7.29", "12.4.1.1", "2.21.5.1", "1.3.26.3", "11.8.0.0", "9.1.0.70",
                                "12.2.140.1", "13.0.88.2", "10.0.1.6"})
      lines.push_back(fmt::format("{} {}", name, version));
  }
  for (const char* key : {"max_new_tokens", "num_key_value_heads", "token_type_ids", "vocab_size", "pass_count",
                          "keep_alive", "hidden_size", "sequence_length", "tokens_per_second", "batch_size"}) {
    for (const char* number : {"1", "32", "4096", "0.5"}) lines.push_back(fmt::format("{}: {}", key, number));
  }
  EXPECT_GE(lines.size(), 200U);
  for (const std::string& line : lines) EXPECT_EQ(redact_text(line, {}), line);
}

}  // namespace
}  // namespace envdoctor::canaries_test
