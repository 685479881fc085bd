// The list of keys for --expect, and the keys about versions, sizes of the host and frameworks.
#include "checks/expect/expect_keys.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "checks/facts/facts.h"
#include "checks/facts/presence.h"
#include "knowledge/gpus/drivers.h"
#include "knowledge/lazy_regex.h"

namespace envdoctor {

std::int64_t mib_of(const std::string& size) {
  static const LazyRegex form("([0-9]+) *(MiB|GiB|TiB|)", RE2::Latin1);
  std::int64_t number = 0;
  std::string unit;
  if (!RE2::FullMatch(size, form, &number, &unit) || number > INT32_MAX) return -1;
  return unit == "TiB" ? number << 20 : unit == "GiB" ? number << 10 : number;
}

namespace {

bool valid_count(const std::string& value) { return RE2::FullMatch(value, "[0-9]{1,6}"); }
bool valid_version(const std::string& value) {
  return value.size() < 40 && RE2::FullMatch(value, "[0-9](?:[0-9.]*[0-9])?");
}
bool valid_size(const std::string& value) { return mib_of(value) >= 0; }
bool valid_word(const std::string& value) { return !value.empty() && value.size() <= 100; }
bool valid_stack(const std::string& value) {
  return value == "cuda" || value == "opencl" || value == "rocm" || value == "level-zero";
}
bool valid_framework(const std::string& value) { return value == "tensorflow" || value == "torch" || value == "jax"; }
bool valid_agree(const std::string& value) { return value == "agree"; }

// A version against "key" (equal as far as written), "key.min" or "key.max".
Judged judge_version(const std::string& what, const Text& version, const std::string& path,
                     const Expectation& expectation) {
  if (!version.get()) return not_known(what + "'s version", path, version);
  const std::string& here = *version.get();
  if (here.empty() || here.front() < '0' || here.front() > '9')
    return {Met::unknown, fmt::format("{} is {}, which is no version.", what, here), {evidence(path, here)}};
  const int order = knowledge::compare_versions(here, expectation.value);
  const bool min = expectation.key.ends_with(".min"), max = expectation.key.ends_with(".max");
  const bool begins = here == expectation.value || here.starts_with(expectation.value + ".");
  const bool met = min ? order >= 0 : max ? order <= 0 || begins : order == 0 || begins;
  const char* bound = min ? " or newer" : max ? " or older" : "";
  return {met ? Met::yes : Met::no,
          fmt::format("{} is {}; {}{} was expected.", what, here, expectation.value, bound),
          {evidence(path, here)}};
}

Judged judge_driver(const Report& report, const Expectation& expectation) {
  return judge_version("The NVIDIA driver", of(report.snapshot.nvidia, &Nvidia::kernel_driver_version),
                       "/nvidia/kernel_driver_version", expectation);
}
Judged judge_cuda(const Report& report, const Expectation& expectation) {
  return judge_version("The highest CUDA version that the driver takes",
                       of(report.snapshot.nvidia, &Nvidia::cuda_driver_version), "/nvidia/cuda_driver_version",
                       expectation);
}
Judged judge_rocm(const Report& report, const Expectation& expectation) {
  return judge_version("ROCm", of(report.snapshot.rocm, &Rocm::version), "/rocm/version", expectation);
}
Judged judge_python(const Report& report, const Expectation& expectation) {
  return judge_version("Python", of(report.snapshot.python, &Python::version), "/python/version", expectation);
}
Judged judge_keras(const Report& report, const Expectation& expectation) {
  return judge_version("Keras", of(report.snapshot.keras, &Keras::version), "/keras/version", expectation);
}
Judged judge_shm(const Report& report, const Expectation& expectation) {
  const Number shm = of(report.snapshot.host, &HostFacts::shm_mib);
  if (!shm.get()) return not_known("The size of /dev/shm", "/host/shm_mib", shm);
  return {*shm.get() >= mib_of(expectation.value) ? Met::yes : Met::no,
          fmt::format("/dev/shm has {} MiB; {} or more were expected.", *shm.get(), expectation.value),
          {evidence("/host/shm_mib", std::to_string(*shm.get()))}};
}

std::string learn_driver(const Report& report) {
  return text_of(of(report.snapshot.nvidia, &Nvidia::kernel_driver_version));
}
std::string learn_cuda(const Report& report) {
  return text_of(of(report.snapshot.nvidia, &Nvidia::cuda_driver_version));
}
std::string learn_rocm(const Report& report) { return text_of(of(report.snapshot.rocm, &Rocm::version)); }

// Whether the framework itself lists a GPU, and the evidence.
std::pair<Flag, std::string> lists_gpu(const Snapshot& snapshot, const std::string& framework) {
  if (framework == "torch") return {of(snapshot.torch, &Torch::cuda_available), "/torch/cuda_available"};
  const auto is_gpu = [](const std::string& backend) {
    return backend == "gpu" || backend == "cuda" || backend == "rocm";
  };
  if (framework == "jax") return {of(snapshot.jax, &Jax::backend).then(is_gpu), "/jax/backend"};
  return {of(snapshot.tensorflow, &Tensorflow::physical_gpus).then([](std::int64_t n) { return n > 0; }),
          "/tensorflow/physical_gpus"};
}

Judged no_answer(const Snapshot& snapshot, const std::string& framework, const std::string& why) {
  if (!of(snapshot.python, &Python::packages).get() || !framework_version(snapshot, framework).empty())
    return {Met::unknown, why, {}};
  return {Met::no,
          framework + " is not installed in this Python environment.",
          {evidence("/python/packages", "not in it")}};
}

Judged judge_framework(const Report& report, const Expectation& expectation) {
  const std::string& name = expectation.value;
  const auto [lists, path] = lists_gpu(report.snapshot, name);
  if (!lists.get())
    return no_answer(report.snapshot, name, fmt::format("{} was not asked whether it lists a GPU.", name));
  return {*lists.get() ? Met::yes : Met::no,
          fmt::format("{} {} a GPU.", name, *lists.get() ? "lists" : "does not list"),
          {evidence(path, *lists.get() ? "yes" : "no")}};
}

Judged judge_framework_version(const Report& report, const Expectation& expectation) {
  const std::string name = expectation.key.substr(0, expectation.key.find('.'));
  const std::string version = framework_version(report.snapshot, name);
  if (!version.empty()) return judge_version(name, version, framework_seen(report.snapshot, name).path, expectation);
  return no_answer(report.snapshot, name, fmt::format("The installed version of {} is unknown.", name));
}

std::string learn_framework(const Report& report) {
  for (const char* name : {"tensorflow", "torch", "jax"}) {
    if (judge_framework(report, {"framework", name}).met == Met::yes) return name;
  }
  return {};
}

constexpr const char* a_version = "a version, such as 12.4";
constexpr const char* a_size = "a size, such as 80GiB";

constexpr ExpectKey keys[] = {
    {"compute", "expect.compute", "agree", valid_agree, judge_compute, learn_compute},
    {"cuda.min", "expect.driver", a_version, valid_version, judge_cuda, learn_cuda},
    {"driver", "expect.driver", a_version, valid_version, judge_driver, nullptr},
    {"driver.max", "expect.driver", a_version, valid_version, judge_driver, nullptr},
    {"driver.min", "expect.driver", a_version, valid_version, judge_driver, learn_driver},
    {"framework", "expect.framework", "tensorflow, torch or jax", valid_framework, judge_framework, learn_framework},
    {"gpu", "expect.gpu", "a model, such as H100", valid_word, judge_gpu, learn_gpu},
    {"gpus", "expect.gpus", "a number of GPUs, 0 or more", valid_count, judge_gpus, learn_gpus},
    {"jax.min", "expect.framework", a_version, valid_version, judge_framework_version, nullptr},
    {"keras.min", "expect.framework", a_version, valid_version, judge_keras, nullptr},
    {"link.width.min", "expect.link", "a number of PCIe lanes, such as 16", valid_count, judge_link_width,
     learn_link_width},
    {"memory.min", "expect.memory", a_size, valid_size, judge_gpu_memory, learn_gpu_memory},
    {"python", "expect.python", a_version, valid_version, judge_python, nullptr},
    {"python.min", "expect.python", a_version, valid_version, judge_python, nullptr},
    {"rocm.min", "expect.driver", a_version, valid_version, judge_rocm, learn_rocm},
    {"shm.min", "expect.memory", a_size, valid_size, judge_shm, nullptr},
    {"stack", "expect.stack", "cuda, opencl, rocm or level-zero", valid_stack, judge_stack, learn_stack},
    {"tensorflow.min", "expect.framework", a_version, valid_version, judge_framework_version, nullptr},
    {"torch.min", "expect.framework", a_version, valid_version, judge_framework_version, nullptr},
    // Matches any kernel's name before .min that no other key matches: keep it last.
    {"*.min", "expect.speed", "a rate, such as 900GB/s or 40GFLOP/s, or a share such as 0.8peak", valid_speed,
     judge_speed, nullptr},
};

bool is_kernel_name(std::string_view name) {
  return !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") == name.npos;
}

}  // namespace

std::span<const ExpectKey> expect_keys() { return keys; }

const ExpectKey* expect_key(std::string_view key) {
  const auto found = std::ranges::find(keys, key, [](const ExpectKey& k) { return std::string_view(k.key); });
  if (found != std::end(keys)) return &*found;
  return key.ends_with(".min") && is_kernel_name(key.substr(0, key.size() - 4)) ? std::end(keys) - 1 : nullptr;
}

Expectation read_expectation(const std::string& text) {
  const auto equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (equals == text.npos) throw BadExpectation(fmt::format("{}: KEY=VALUE belongs here, such as gpus=8", text));
  const ExpectKey* key = expect_key(name);
  if (!key) {
    std::string known;
    for (const ExpectKey& k : keys)
      known += (known.empty() ? "" : ", ") + std::string(k.key == std::string("*.min") ? "KERNEL.min" : k.key);
    throw BadExpectation(fmt::format("{}: nothing that can be expected; there are {}", name, known));
  }
  std::string value = text.substr(equals + 1);
  if (!key->valid(value))
    throw BadExpectation(fmt::format("{}={}: {} belongs after {}=", name, value, key->takes, name));
  return {name, std::move(value)};
}

}  // namespace envdoctor
