// Expectations about the frameworks in this Python environment.
#include <fmt/format.h>

#include "checks/expect/expect_keys.h"
#include "checks/facts/facts.h"
#include "checks/facts/presence.h"

namespace envdoctor {
namespace {

// Whether the framework itself lists a GPU, and where that stands.
std::pair<Flag, std::string> lists_gpu(const Snapshot& snapshot, const std::string& framework) {
  if (framework == "torch") return {of(snapshot.torch, &Torch::cuda_available), "/torch/cuda_available"};
  if (framework == "jax") {
    return {of(snapshot.jax, &Jax::backend).then([](const std::string& backend) {
              return backend == "gpu" || backend == "cuda" || backend == "rocm";
            }),
            "/jax/backend"};
  }
  return {of(snapshot.tensorflow, &Tensorflow::physical_gpus).then([](std::int64_t n) { return n > 0; }),
          "/tensorflow/physical_gpus"};
}

bool packages_known(const Snapshot& snapshot) { return of(snapshot.python, &Python::packages).get() != nullptr; }

}  // namespace

Judged judge_framework(const Report& report, const Expectation& expectation) {
  const auto [lists, path] = lists_gpu(report.snapshot, expectation.value);
  if (lists.get()) {
    return {*lists.get() ? Met::yes : Met::no,
            fmt::format("{} {} a GPU.", expectation.value, *lists.get() ? "lists" : "does not list"),
            {evidence(path, *lists.get() ? "yes" : "no")}};
  }
  if (packages_known(report.snapshot) && framework_version(report.snapshot, expectation.value).empty())
    return {Met::no,
            expectation.value + " is not installed in this Python environment.",
            {evidence("/python/packages", "not in it")}};
  return {Met::unknown, fmt::format("{} was not asked whether it lists a GPU.", expectation.value), {}};
}

Judged judge_framework_version(const Report& report, const Expectation& expectation) {
  const std::string name = expectation.key.substr(0, expectation.key.find('.'));
  const std::string version = framework_version(report.snapshot, name);
  if (!version.empty()) return judge_version(name, version, framework_seen(report.snapshot, name).path, expectation);
  if (packages_known(report.snapshot))
    return {
        Met::no, name + " is not installed in this Python environment.", {evidence("/python/packages", "not in it")}};
  return {Met::unknown, fmt::format("The installed version of {} is unknown.", name), {}};
}

std::string learn_framework(const Report& report) {
  for (const char* name : {"tensorflow", "torch", "jax"}) {
    if (judge_framework(report, {"framework", name}).met == Met::yes) return name;
  }
  return {};
}

}  // namespace envdoctor
