// Expectations about what the kernels gave: agreement with the CPU, and speed.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "checks/expect_keys.h"
#include "checks/facts.h"

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

bool is_opencl_cpu(const Snapshot& snapshot, const std::string& subject) {
  const auto platforms = of(snapshot.opencl, &Opencl::platforms);
  if (!platforms.get()) return false;
  for (const OpenclPlatform& platform : *platforms.get()) {
    if (!platform.name.get() || !platform.devices.get()) continue;
    for (const OpenclDevice& device : *platform.devices.get()) {
      if (device.name.get() && device.type.is("cpu") &&
          subject == "opencl:" + *platform.name.get() + "/" + *device.name.get())
        return true;
    }
  }
  return false;
}

// The results on devices that aren't the host's own processor, with their places.
std::vector<std::pair<const ComputeResult*, std::string>> on_gpus(const Snapshot& snapshot) {
  std::vector<std::pair<const ComputeResult*, std::string>> found;
  const auto* results = snapshot.compute.get();
  for (std::size_t i = 0; results && i < results->size(); ++i) {
    const auto* device = (*results)[i].device.get();
    if (device && *device != "host" && !is_opencl_cpu(snapshot, *device))
      found.emplace_back(&(*results)[i], at("/compute", i));
  }
  return found;
}

std::string name_of(const ComputeResult& result) {
  return fmt::format("{} {} on {}", result.kernel.get() ? *result.kernel.get() : "a kernel",
                     result.precision.get() ? *result.precision.get() : "", *result.device.get());
}

}  // namespace

bool valid_speed(const std::string& value) { return rate_of(value).first >= 0; }

Judged judge_compute(const Report& report, const Expectation&) {
  int agreed = 0;
  for (const auto& [result, path] : on_gpus(report.snapshot)) {
    const Text outcome = of(result->agreement, &Agreement::outcome);
    if (!outcome.get()) continue;  // timed only
    if (*outcome.get() == "outside")
      return {
          Met::no, name_of(*result) + " lies outside its bound.", {seen(path + "/agreement/outcome", *outcome.get())}};
    if (*outcome.get() != "same-bits" && *outcome.get() != "within-bound")
      return {Met::unknown,
              name_of(*result) + " could not be judged.",
              {seen(path + "/agreement/outcome", *outcome.get())}};
    ++agreed;
  }
  if (agreed == 0) return {Met::unknown, "No kernel's result on a GPU was compared with the CPU's.", {}};
  return {Met::yes, fmt::format("{} results on GPUs agree with the CPU's.", agreed), {}};
}

Judged judge_speed(const Report& report, const Expectation& expectation) {
  const std::string kernel = expectation.key.substr(0, expectation.key.size() - 4);
  const auto [wanted, unit] = rate_of(expectation.value);
  Judged slowest{
      .told = fmt::format("{} was not timed on a GPU in {}.", kernel, unit == "peak" ? "shares of its peak" : unit)};
  double least = INFINITY;
  for (const auto& [result, path] : on_gpus(report.snapshot)) {
    if (!result->kernel.is(kernel)) continue;
    const bool share = unit == "peak";
    const Real value =
        share ? result->share_of_peak
              : (of(result->rate, &ComputeRate::unit).is(unit) ? of(result->rate, &ComputeRate::value) : Real());
    if (!value.get() || *value.get() >= least) continue;
    least = *value.get();
    const std::string told = share ? fmt::format("{:.2f} of its peak", least) : fmt::format("{:.1f} {}", least, unit);
    slowest = {least >= wanted ? Met::yes : Met::no,
               fmt::format("{} reaches {}; {} was expected.", name_of(*result), told, expectation.value),
               {seen(path + (share ? "/share_of_peak" : "/rate/value"), fmt::format("{}", least))}};
  }
  return slowest;
}

std::string learn_compute(const Report& report) {
  return judge_compute(report, {}).met == Met::yes ? "agree" : std::string();
}

}  // namespace envdoctor
