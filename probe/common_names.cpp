#include "probe/common_names.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace envdoctor {

namespace {

// Accounts and hosts that images, clusters and installers name, and words that stand in every path.
constexpr std::array common_names = {"admin",   "amd",        "app",       "bin",       "build",
                                     "centos",  "client",     "conda",     "cuda",      "data",
                                     "debian",  "default",    "demo",      "dev",       "docker",
                                     "ec2",     "ec2-user",   "env",       "envdoctor", "etc",
                                     "gitlab",  "gpu",        "guest",     "home",      "host",
                                     "hpc",     "intel",      "jax",       "jenkins",   "jovyan",
                                     "jupyter", "keras",      "lab",       "lib",       "lib64",
                                     "linux",   "local",      "localhost", "main",      "master",
                                     "media",   "mesa",       "mnt",       "mpi",       "node",
                                     "nobody",  "nogroup",    "none",      "nvidia",    "nvidia-persistenced",
                                     "oneapi",  "opencl",     "opt",       "pocl",      "proc",
                                     "project", "python",     "ray",       "render",    "rocm",
                                     "root",    "run",        "runner",    "scratch",   "server",
                                     "share",   "slurm",      "spark",     "srv",       "staff",
                                     "sudo",    "users",      "wheel",     "adm",       "student",
                                     "sys",     "tensorflow", "test",      "tmp",       "torch",
                                     "train",   "ubuntu",     "user",      "usr",       "vagrant",
                                     "var",     "venv",       "video",     "vscode",    "work",
                                     "worker",  "workspace"};

}  // namespace

bool tells_something(std::string_view name) {
  return name.size() >= 3 && std::ranges::find(common_names, name) == common_names.end() &&
         std::ranges::any_of(name, [](unsigned char c) { return std::isalpha(c) != 0; });
}

}  // namespace envdoctor
