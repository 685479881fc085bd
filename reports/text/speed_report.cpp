#include "reports/text/kernel_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "checks/compute/compute_facts.h"
#include "checks/facts/presence.h"
#include "evidence/lines.h"

namespace envdoctor {
namespace {

std::string digits(double value) { return value < 999.5 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value); }

std::string ratio_text(double value) {
  return value < 0.01 ? "<0.01" : value < 100 ? fmt::format("{:.2g}", value) : fmt::format("{:.0f}", value);
}

// What makes two rows the same problem on two devices.
std::string problem_of(const ComputeResult& result) {
  std::string out = text_of(result.kernel) + " " + text_of(result.precision);
  const std::string variant = text_of(result.variant);
  if (text_of(result.kernel).starts_with("copy")) out += variant;
  if (variant.ends_with("with copies")) out += " with copies";
  for (const auto& [name, value] : result.size.or_empty()) {
    if (name != "rounds") out += fmt::format(" {}={}", name, value);
  }
  return out;
}

// The cost of a run, or of each operation in it, so that the number of rounds doesn't matter.
double cost(const ComputeResult& result, double ms) {
  const double* flops = result.flops.get();
  return flops && *flops > 0 ? ms / *flops : ms;
}

std::map<std::string, double> fastest_cpu(const Snapshot& snapshot, const std::vector<ComputeResult>& results) {
  std::map<std::string, double> fastest;
  for (const ComputeResult& result : results) {
    const double* ms = median_ms(result);
    // On a CPU a launch is a function call and a copy stays in memory, so there is nothing to compare.
    const bool of_devices = result.kernel.is("launch") || result.kernel.is("copy-in") || result.kernel.is("copy-out");
    if (!ms || *ms <= 0 || of_devices || !compute::is_cpu(snapshot, text_of(result.device))) continue;
    const auto [at, fresh] = fastest.try_emplace(problem_of(result), cost(result, *ms));
    if (!fresh) at->second = std::min(at->second, cost(result, *ms));
  }
  return fastest;
}

std::string columns_of(const std::string& kernel, const std::string& size, const std::string& time,
                       const std::string& noise, const std::string& rate, const std::string& share,
                       const std::string& ratio) {
  constexpr std::size_t kernel_columns = 18, size_columns = 17;
  std::string head = fmt::format("    {:<{}} {}", kernel, kernel_columns, size);
  // Text that is too long for its column gets a line of its own.
  constexpr std::size_t width = 4 + kernel_columns + 1 + size_columns;
  if (columns(head) > width)
    head += "\n" + std::string(width, ' ');
  else
    head += std::string(width - columns(head), ' ');
  std::string line = head + fmt::format(" {:>7} {:>5} {:>12} {:>5} {:>5}", time, noise, rate, share, ratio);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

// Half of the median's interval, relative to the median.
std::string noise_of(const ComputeTime& time) {
  if (!time.low_ms.get() || !time.high_ms.get() || *time.median_ms.get() <= 0) return "";
  return fmt::format("{:.0f} %", 50 * (*time.high_ms.get() - *time.low_ms.get()) / *time.median_ms.get());
}

std::string row_text(const ComputeResult& result, const std::map<std::string, double>& cpu) {
  const bool copy = text_of(result.kernel).starts_with("copy");
  const std::string kernel = text_of(result.kernel) + " " + text_of(copy ? result.variant : result.precision);
  const double* ms = median_ms(result);
  if (!ms) return wrap(fmt::format("    {:<18} ", kernel), size_text(result) + "  " + result.time.why());
  std::string rate, share, ratio;
  if (const ComputeRate* measured = result.rate.get(); measured && measured->value.get())
    rate = digits(*measured->value.get()) + " " + text_of(measured->unit);
  if (const double* part = result.share_of_peak.get()) share = fmt::format("{:.0f} %", 100 * *part);
  if (const auto best = cpu.find(problem_of(result)); best != cpu.end() && *ms > 0)
    ratio = ratio_text(best->second / cost(result, *ms));
  return columns_of(kernel, size_text(result), time_text(*ms), noise_of(*result.time.get()), rate, share, ratio);
}

bool was_timed(const ComputeResult& result) { return result.time.get() || result.time.outcome() == Outcome::failed; }

}  // namespace

std::string time_text(double ms) {
  if (ms < 1e-3) return digits(ms * 1e6) + " ns";
  if (ms < 1) return digits(ms * 1e3) + " us";
  return ms < 1e3 ? digits(ms) + " ms" : digits(ms * 1e-3) + " s";
}

std::string speed_text(const Snapshot& snapshot) {
  const auto& results = snapshot.compute.or_empty();
  const std::map<std::string, double> cpu = fastest_cpu(snapshot, results);
  std::vector<std::string> devices;
  for (const ComputeResult& result : results) {
    const std::string name = text_of(result.device);
    if (was_timed(result) && std::ranges::find(devices, name) == devices.end()) devices.push_back(name);
  }
  std::string out;
  for (const std::string& device : devices) {
    out += wrap("  ", device.empty() ? "unnamed device" : device);
    out += columns_of("kernel", "size", "time", "+-", "rate", "peak", "x CPU");
    std::set<std::string> origins;
    for (const ComputeResult& result : results) {
      if (!was_timed(result) || text_of(result.device) != device || is_minor_size(snapshot, result)) continue;
      out += row_text(result, cpu);
      if (result.share_of_peak.get() && result.peak_origin.get()) origins.insert(*result.peak_origin.get());
    }
    for (const std::string& origin : origins) out += wrap("    peak: ", origin);
  }
  if (!out.empty())
    out += wrap("  ",
                "Median wall-clock times; +- is half the 95 % confidence interval of the median. x CPU: speed relative "
                "to the fastest CPU device of this host.");
  return out;
}

}  // namespace envdoctor
