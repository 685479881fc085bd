// The verdict of 'verify' and 'bench': only about the devices that they ran on.
#include <algorithm>
#include <set>

#include "checks/compute/compute_facts.h"
#include "checks/engine/verdict.h"
#include "checks/facts/facts.h"
#include "checks/facts/gpus.h"
#include "checks/facts/presence.h"

namespace envdoctor {
namespace {

bool ran_on_gpu(const Snapshot& snapshot, const std::set<std::string>& devices) {
  for (const std::string& device : devices) {
    if (compute::burns_host_cores(snapshot, device)) continue;
    if (device.starts_with("cuda:")) return true;
    if (device.starts_with("framework:") && device.find("/cpu") == device.npos && device.find("/CPU") == device.npos)
      return true;
  }
  for (const OpenclPlatform& platform : of(snapshot.opencl, &Opencl::platforms).or_empty()) {
    for (const OpenclDevice& device : platform.devices.or_empty()) {
      if (device.type.is("gpu") && platform.name.get() && device.name.get() &&
          !compute::burns_host_cores(snapshot, "opencl:" + *platform.name.get() + "/" + *device.name.get()) &&
          devices.contains("opencl:" + *platform.name.get() + "/" + *device.name.get()))
        return true;
    }
  }
  return false;
}

// A GPU that a driver lists but no kernel ran on, unless the user selected devices; empty: there is none.
std::string gpu_left_out(const Report& report) {
  const Snapshot& snapshot = report.snapshot;
  const auto of_framework = [](const auto& row) { return row.device.or_empty().starts_with("framework:"); };
  if (report.options.host_asked || std::ranges::any_of(snapshot.compute.or_empty(), of_framework) ||
      std::ranges::any_of(snapshot.compute_not_run.or_empty(), of_framework))
    return "";
  std::set<std::string> ran;
  for (const ComputeResult& result : snapshot.compute.or_empty()) ran.insert(compute::subject(snapshot, result));
  for (const Gpu& gpu : gpus_of(snapshot)) {
    const bool listed = gpu.nvml_index >= 0 && gpu.granted;
    if (listed && !ran.contains(gpu.subject())) return gpu.subject() + " (" + gpu.name + ")";
  }
  for (const OpenclPlatform& platform : of(snapshot.opencl, &Opencl::platforms).or_empty()) {
    for (const OpenclDevice& device : platform.devices.or_empty()) {
      if (!device.type.is("gpu") || !platform.name.get() || !device.name.get()) continue;
      const std::string name = "opencl:" + *platform.name.get() + "/" + *device.name.get();
      const std::string place = device.pci_address.get() ? "gpu:" + normal_address(*device.pci_address.get()) : name;
      if (!ran.contains(name) && !ran.contains(place)) return name;
    }
  }
  return "";
}

// The first row that fits; null: none.
template <class Row, class Fits>
const Row* first(const List<Row>& rows, Fits fits) {
  const auto found = std::ranges::find_if(rows.or_empty(), fits);
  return found == rows.or_empty().end() ? nullptr : &*found;
}

}  // namespace

void reach_verdict_of_devices(Report& report) {
  const Snapshot& snapshot = report.snapshot;
  std::set<std::string> devices;
  for (const ComputeResult& result : snapshot.compute.or_empty()) devices.insert(text_of(result.device));
  const bool host_ran = devices.erase("host") > 0;
  std::string no_gpu = ran_on_gpu(snapshot, devices) ? "" : "; no GPU was looked at";
  for (const std::string& device : devices) {
    if (compute::burns_host_cores(snapshot, device))
      no_gpu += "; " + device + " calls itself no CPU, but computes on this host's cores";
  }
  const auto worst = std::ranges::max_element(report.findings, {}, &Finding::severity);
  const bool found = worst != report.findings.end();
  const ComputeNotRun* row =
      first(snapshot.compute_not_run, [&](const ComputeNotRun& r) { return compute::stopped(snapshot, r); });
  // A result that proves nothing, because it is mostly zero or a single value.
  const ComputeResult* doubtful = first(snapshot.compute, [](const ComputeResult& result) {
    return result.agreement.or_empty().outcome.is("not-trustworthy");
  });
  // An impossible rate, or a meaningless time.
  const ComputeResult* refused = first(snapshot.compute, [](const ComputeResult& result) {
    return result.rate.outcome() == Outcome::failed && result.rate.why().starts_with("rejected: ");
  });
  const std::string left_out = gpu_left_out(report);
  if (found && worst->severity == Severity::error) {
    report.verdict = Verdict::fail;
    report.verdict_why = worst->title;
  } else if (devices.empty() && !(host_ran && report.options.host_asked)) {
    report.verdict = Verdict::incomplete;
    report.verdict_why = row        ? text_of(row->device) + ": " + text_of(row->why)
                         : host_ran ? "no GPU was looked at: there is no device but the CPU itself"
                                    : "no device was looked at";
  } else if (row) {
    report.verdict = Verdict::incomplete;
    report.verdict_why = text_of(row->device) + ": " + text_of(row->why);
  } else if (doubtful) {
    report.verdict = Verdict::incomplete;
    report.verdict_why = text_of(doubtful->device) + ": " + text_of(doubtful->kernel) +
                         " gave mostly zero or one value, which proves nothing";
  } else if (refused) {
    report.verdict = Verdict::incomplete;
    report.verdict_why = text_of(refused->device) + ": " + full_problem_name(*refused) + ": " + refused->rate.why();
  } else if (!left_out.empty()) {
    report.verdict = Verdict::incomplete;
    report.verdict_why = "nothing ran on " + left_out + ", which its driver lists";
  } else {
    report.verdict = found && worst->severity == Severity::warning ? Verdict::warn : Verdict::pass;
    const std::string what = devices.size() > 1 ? std::to_string(devices.size()) + " devices compute"
                             : devices.empty()  ? "this host computes"
                                                : *devices.begin() + " computes";
    report.verdict_why = report.verdict == Verdict::warn ? worst->title + no_gpu : what + " what it must" + no_gpu;
  }
}

}  // namespace envdoctor
