#include "probe/redaction/public_hosts.h"

#include <algorithm>
#include <span>
#include <string>

#include "knowledge/lower_case.h"

namespace envdoctor {
namespace public_hosts {
namespace {

// Compared by hand: a pattern of these takes longer to compile than most texts take to read.
constexpr std::string_view public_domains[] = {"github.com",
                                               "githubusercontent.com",
                                               "gitlab.com",
                                               "pypi.org",
                                               "pypa.io",
                                               "pythonhosted.org",
                                               "python.org",
                                               "pytorch.org",
                                               "nvidia.com",
                                               "nvidia.cn",
                                               "nvcr.io",
                                               "nvidia.github.io",
                                               "tensorflow.org",
                                               "huggingface.co",
                                               "hf.co",
                                               "anaconda.org",
                                               "anaconda.com",
                                               "conda.io",
                                               "conda-forge.org",
                                               "amd.com",
                                               "radeon.com",
                                               "intel.com",
                                               "khronos.org",
                                               "docker.com",
                                               "docker.io",
                                               "ghcr.io",
                                               "quay.io",
                                               "google.com",
                                               "googleapis.com",
                                               "kernel.org",
                                               "ubuntu.com",
                                               "debian.org",
                                               "readthedocs.io",
                                               "readthedocs.org",
                                               "stackoverflow.com",
                                               "apache.org",
                                               "gnu.org",
                                               "wandb.ai",
                                               "microsoft.com",
                                               "aka.ms",
                                               "jax.dev",
                                               "keras.io",
                                               "redhat.com",
                                               "launchpad.net",
                                               "freedesktop.org",
                                               "llvm.org",
                                               "goo.gl",
                                               "bit.ly",
                                               "numpy.org",
                                               "scipy.org",
                                               "kaggle.com",
                                               "kubernetes.io",
                                               "k8s.io",
                                               "gcr.io",
                                               "neptune.ai",
                                               "comet.com",
                                               "lambdalabs.com",
                                               "paperspace.com",
                                               "wikipedia.org",
                                               "hf-mirror.com",
                                               "tuna.tsinghua.edu.cn",
                                               "modelscope.cn",
                                               "daocloud.io",
                                               "onnxruntime.ai",
                                               "schemastore.org",
                                               "fburl.com",
                                               "vllm.ai",
                                               "ollama.com",
                                               "openai.com",
                                               "anthropic.com",
                                               "mozilla.org",
                                               "archlinux.org",
                                               "fedoraproject.org",
                                               "centos.org",
                                               "rockylinux.org",
                                               "almalinux.org",
                                               "opensuse.org",
                                               "nodejs.org",
                                               "npmjs.org",
                                               "npmjs.com",
                                               "crates.io",
                                               "rust-lang.org",
                                               "golang.org",
                                               "go.dev",
                                               "julialang.org",
                                               "r-project.org",
                                               "zenodo.org",
                                               "arxiv.org",
                                               "sourceforge.net",
                                               "spack.io",
                                               "easybuild.io",
                                               "apptainer.org",
                                               "sylabs.io",
                                               "schedmd.com",
                                               "open-mpi.org",
                                               "mpich.org",
                                               "openucx.org",
                                               "cmake.org",
                                               "boost.org",
                                               "opencv.org",
                                               "ffmpeg.org",
                                               "blender.org",
                                               "mathworks.com",
                                               "lunarg.com",
                                               "openxla.org",
                                               "triton-lang.org",
                                               "ray.io",
                                               "lightning.ai",
                                               "mlflow.org",
                                               "deepspeed.ai",
                                               "ultralytics.com",
                                               "stackexchange.com",
                                               "serverfault.com",
                                               "superuser.com",
                                               "askubuntu.com",
                                               "reddit.com",
                                               "youtube.com",
                                               "helm.sh",
                                               "mvapich.cse.ohio-state.edu"};
constexpr auto domains_of_mirrors = std::to_array<std::string_view>(
    {"edu.cn", "aliyun.com", "aliyuncs.com", "huaweicloud.com", "cloud.tencent.com", "163.com"});
constexpr auto shared_domains = std::to_array<std::string_view>(
    {"github.com", "githubusercontent.com", "gitlab.com", "huggingface.co", "hf.co", "wandb.ai", "ghcr.io", "docker.io",
     "quay.io", "gcr.io", "googleapis.com", "neptune.ai", "comet.com", "kaggle.com"});
constexpr std::string_view domains_of_experiments[] = {"wandb.ai", "neptune.ai", "comet.com"};

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_of_label(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; }

// Labels with dots between.
bool is_name_of_host(std::string_view host) {
  char before = '.';
  for (const char c : host) {
    if (c == '.' ? before == '.' : !is_of_label(c)) return false;
    before = c;
  }
  return before != '.';
}

bool is_below(std::string_view host, std::string_view domain) {
  return host.ends_with(domain) && (host.size() == domain.size() || host[host.size() - domain.size() - 1] == '.');
}

bool is_below_one_of(std::string_view host, std::span<const std::string_view> domains) {
  return is_name_of_host(host) &&
         std::ranges::any_of(domains, [host](std::string_view domain) { return is_below(host, domain); });
}

// "mirrors.tuna.edu.cn", "pypi.mirror.cloud.aliyuncs.com".
bool is_mirror(std::string_view host) {
  if (!is_name_of_host(host)) return false;
  return std::ranges::any_of(domains_of_mirrors, [host](std::string_view domain) {
    if (!is_below(host, domain) || host.size() == domain.size()) return false;
    const std::string before = "." + std::string(host.substr(0, host.size() - domain.size()));
    return before.find(".mirror.") != before.npos || before.find(".mirrors.") != before.npos;
  });
}

// What containers and clusters call themselves, and the registry of Amazon's own images.
bool stands_everywhere(std::string_view host) {
  return host.starts_with("kubernetes.default.svc") || host == "host.docker.internal" ||
         host == "gateway.docker.internal" || host == "host.containers.internal" ||
         host == "metadata.google.internal" ||
         (host.starts_with("763104351884.dkr.ecr.") && host.ends_with(".amazonaws.com"));
}

}  // namespace
}  // namespace public_hosts

using namespace public_hosts;

bool is_public(std::string_view host) {
  const std::string low = lower_case(host);
  return std::ranges::none_of(low, public_hosts::is_letter) || low == "localhost" || low == "localhost.localdomain" ||
         is_below_one_of(low, public_domains) || is_mirror(low) || stands_everywhere(low);
}

bool is_shared(std::string_view host) { return is_below_one_of(lower_case(host), shared_domains); }

bool is_of_experiments(std::string_view host) { return is_below_one_of(lower_case(host), domains_of_experiments); }

}  // namespace envdoctor
