// Expectations about the kernels' results: agreement with the CPU, and speed.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "checks/compute/compute_facts.h"
#include "checks/expect/expect_keys.h"
#include "checks/facts/presence.h"
#include "knowledge/lazy_regex.h"

namespace envdoctor {
namespace {

// "0.8peak" -> {0.8, "peak"}, "900 GB/s" -> {900, "GB/s"}; a unit that isn't known: {-1, ""}.
std::pair<double, std::string> rate_of(const std::string& value) {
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number < 0) return {-1, ""};
  std::string unit(end, value.data() + value.size());
  if (unit.starts_with(' ')) unit.erase(0, 1);
  if (unit == "peak" && number <= 1) return {number, unit};
  if (unit == "GB/s" || unit == "GFLOP/s") return {number, unit};
  if (unit == "TB/s") return {number * 1000, "GB/s"};
  if (unit == "TFLOP/s") return {number * 1000, "GFLOP/s"};
  return {-1, ""};
}

// Not the host's own CPU under any of its names: "host", an OpenCL CPU, "framework:tensorflow/CPU:0".
bool is_gpu(const Snapshot& snapshot, const Text& device) {
  static const LazyRegex cpu_of_framework("^framework:(?:[^/]*/)?(?:cpu|CPU)", RE2::Latin1);
  return device.get() && !compute::is_cpu(snapshot, *device.get()) &&
         !RE2::PartialMatch(*device.get(), cpu_of_framework);
}

// The results on GPUs, with their places.
std::vector<std::pair<const ComputeResult*, std::string>> on_gpus(const Snapshot& snapshot) {
  std::vector<std::pair<const ComputeResult*, std::string>> found;
  const auto& results = snapshot.compute.or_empty();
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (is_gpu(snapshot, results[i].device)) found.emplace_back(&results[i], at("/compute", i));
  }
  return found;
}

// Kernels that failed on GPUs by themselves.
std::vector<std::pair<const ComputeNotRun*, std::string>> stopped_on_gpus(const Snapshot& snapshot) {
  std::vector<std::pair<const ComputeNotRun*, std::string>> found;
  const auto& rows = snapshot.compute_not_run.or_empty();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (is_gpu(snapshot, rows[i].device) && compute::stopped(snapshot, rows[i]))
      found.emplace_back(&rows[i], at("/compute_not_run", i, "why"));
  }
  return found;
}

std::string name_of(const ComputeResult& result) { return full_problem_name(result) + " on " + text_of(result.device); }

}  // namespace

bool valid_speed(const std::string& value) { return rate_of(value).first >= 0; }

Judged judge_compute(const Report& report, const Expectation&) {
  int agreed = 0;
  Judged doubt{.explanation = "No kernel's result on a GPU was compared with the CPU's."};
  for (const auto& [result, path] : on_gpus(report.snapshot)) {
    const Text outcome = of(result->agreement, &Agreement::outcome);
    if (!outcome.get()) continue;  // timed only
    const Evidence proof = evidence(path + "/agreement/outcome", *outcome.get());
    if (outcome.is("outside")) return {Met::no, name_of(*result) + " lies outside its bound.", {proof}};
    const bool agrees = outcome.is("same-bits") || outcome.is("within-bound");
    agreed += agrees ? 1 : 0;
    if (!agrees && doubt.evidence.empty()) doubt = {Met::unknown, name_of(*result) + " could not be judged.", {proof}};
  }
  for (const auto& [row, path] : stopped_on_gpus(report.snapshot)) {
    if (!doubt.evidence.empty()) break;
    doubt = {Met::unknown,
             fmt::format("{} on {} was not run to its end.", text_of(row->kernel), text_of(row->device)),
             {evidence(path, text_of(row->why))}};
  }
  if (agreed == 0 || !doubt.evidence.empty()) return doubt;
  return {Met::yes, fmt::format("{} results on GPUs agree with the CPU's.", agreed), {}};
}

Judged judge_speed(const Report& report, const Expectation& expectation) {
  const std::string kernel = expectation.key.substr(0, expectation.key.size() - 4);
  const auto [wanted, unit] = rate_of(expectation.value);
  const bool share = unit == "peak";
  struct Best {
    double value = -1;
    const ComputeResult* result = nullptr;
    std::string path{};
  };
  std::map<std::string, Best> devices;  // small sizes never reach a device's speed: its best one counts
  for (const auto& [result, path] : on_gpus(report.snapshot)) {
    if (!result->kernel.is(kernel) || text_of(result->variant).ends_with("with copies")) continue;
    const bool comparable = share || of(result->rate, &ComputeRate::unit).is(unit);
    const Real value = share ? result->share_of_peak : of(result->rate, &ComputeRate::value);
    Best& best = devices[*result->device.get()];
    if (comparable && value.get() && *value.get() > best.value) best = {*value.get(), result, path};
  }
  for (const auto& [row, path] : stopped_on_gpus(report.snapshot)) {
    if (row->kernel.value_or(kernel) == kernel) devices.try_emplace(text_of(row->device));
  }
  const auto slowest = std::ranges::min_element(devices, {}, [](const auto& d) { return d.second.value; });
  if (slowest == devices.end() || !slowest->second.result)
    return {.explanation =
                fmt::format("{} was not timed on {} in {}.", kernel,
                            slowest == devices.end() ? "a GPU" : slowest->first, share ? "shares of its peak" : unit)};
  const Best& best = slowest->second;
  const std::string reached =
      share ? fmt::format("{:.2f} of its peak", best.value) : fmt::format("{:.1f} {}", best.value, unit);
  return {best.value >= wanted ? Met::yes : Met::no,
          fmt::format("{} reaches {}; {} was expected.", name_of(*best.result), reached, expectation.value),
          {evidence(best.path + (share ? "/share_of_peak" : "/rate/value"), fmt::format("{}", best.value))}};
}

std::string learn_compute(const Report& report) {
  return judge_compute(report, {}).met == Met::yes ? "agree" : std::string();
}

}  // namespace envdoctor
