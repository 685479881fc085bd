// The verdict of 'verify' and 'bench': about the devices they ran on, and nothing else.
#include <algorithm>
#include <set>

#include "checks/compute/compute_facts.h"
#include "checks/engine/verdict.h"
#include "checks/facts/presence.h"

namespace envdoctor {
namespace {

bool ran_on_gpu(const Snapshot& snapshot, const std::set<std::string>& devices) {
  for (const std::string& device : devices) {
    if (device.starts_with("cuda:")) return true;
    if (device.starts_with("framework:") && device.find("/cpu") == device.npos && device.find("/CPU") == device.npos)
      return true;
  }
  const Opencl* opencl = snapshot.opencl.get();
  if (!opencl || !opencl->platforms.get()) return false;
  for (const OpenclPlatform& platform : *opencl->platforms.get()) {
    if (!platform.devices.get() || !platform.name.get()) continue;
    for (const OpenclDevice& device : *platform.devices.get()) {
      if (device.type.is("gpu") && device.name.get() &&
          devices.contains("opencl:" + *platform.name.get() + "/" + *device.name.get()))
        return true;
    }
  }
  return false;
}

const ComputeNotRun* stopped(const Snapshot& snapshot) {
  const auto* rows = snapshot.compute_not_run.get();
  if (!rows) return nullptr;
  const auto row = std::ranges::find_if(*rows, [&](const ComputeNotRun& r) { return compute::stopped(snapshot, r); });
  return row == rows->end() ? nullptr : &*row;
}

// The first result that proves nothing, since it is mostly zero or one value.
const ComputeResult* doubtful(const Snapshot& snapshot) {
  const auto* results = snapshot.compute.get();
  if (!results) return nullptr;
  const auto row = std::ranges::find_if(*results, [](const ComputeResult& result) {
    return result.agreement.get() && result.agreement.get()->outcome.is("not-trustworthy");
  });
  return row == results->end() ? nullptr : &*row;
}

}  // namespace

void reach_verdict_of_devices(Report& report) {
  const Snapshot& snapshot = report.snapshot;
  std::set<std::string> devices;
  if (snapshot.compute.get()) {
    for (const ComputeResult& result : *snapshot.compute.get()) devices.insert(text_of(result.device));
  }
  const bool host_ran = devices.erase("host") > 0;
  const std::string no_gpu = ran_on_gpu(snapshot, devices) ? "" : "; no GPU was looked at";
  const auto worst = std::ranges::max_element(report.findings, {}, &Finding::severity);
  const bool found = worst != report.findings.end();
  const ComputeNotRun* row = stopped(snapshot);
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
  } else if (const ComputeResult* result = doubtful(snapshot)) {
    report.verdict = Verdict::incomplete;
    report.verdict_why = text_of(result->device) + ": " + text_of(result->kernel) +
                         " gave mostly zero or one value, which proves nothing";
  } else {
    report.verdict = found && worst->severity == Severity::warning ? Verdict::warn : Verdict::pass;
    const std::string what = devices.size() > 1 ? std::to_string(devices.size()) + " devices compute"
                             : devices.empty()  ? "this host computes"
                                                : *devices.begin() + " computes";
    report.verdict_why = report.verdict == Verdict::warn ? worst->title + no_gpu : what + " what it must" + no_gpu;
  }
}

}  // namespace envdoctor
