#include "checks/compute/compute_facts.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "checks/facts/presence.h"
#include "knowledge/lazy_regex.h"

namespace envdoctor::compute {
namespace {

// 0 of "framework:torch/cuda:0" and "framework:tensorflow/GPU:0"; none: a CPU, or no framework.
std::optional<std::int64_t> framework_ordinal(const std::string& device) {
  static const LazyRegex form("framework:[^/]*/(?:cuda|GPU|gpu):([0-9]+)", RE2::Latin1);
  std::int64_t ordinal = 0;
  return RE2::FullMatch(device, form, &ordinal) ? std::optional(ordinal) : std::nullopt;
}

std::vector<const OpenclDevice*> opencl_devices_named(const Snapshot& snapshot, const std::string& subject) {
  std::vector<const OpenclDevice*> named;
  for (const OpenclPlatform& platform : of(snapshot.opencl, &Opencl::platforms).or_empty()) {
    for (const OpenclDevice& device : platform.devices.or_empty()) {
      if (subject == "opencl:" + text_of(platform.name) + "/" + text_of(device.name)) named.push_back(&device);
    }
  }
  return named;
}

// The PCI address of "cuda:1" or "opencl:Platform/Device"; empty: unknown, or not a single device.
std::string address_of(const Snapshot& snapshot, const std::string& device) {
  std::vector<std::string> places;
  for (const CudaDevice& d : of(snapshot.nvidia, &Nvidia::cuda_devices).or_empty()) {
    if (d.pci_address.get() && device == fmt::format("cuda:{}", d.ordinal.value_or(-1)))
      places.push_back(*d.pci_address.get());
  }
  for (const OpenclDevice* d : opencl_devices_named(snapshot, device)) {
    if (d->pci_address.get()) places.push_back(*d->pci_address.get());
  }
  if (const auto ordinal = framework_ordinal(device)) return address_of(snapshot, fmt::format("cuda:{}", *ordinal));
  return places.size() == 1 ? normal_address(places.front()) : "";
}

}  // namespace

std::vector<Row> rows(const Snapshot& snapshot) {
  std::vector<Row> rows;
  const auto& results = snapshot.compute.or_empty();
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (const Agreement* agreement = results[i].agreement.get())
      rows.push_back({i, &results[i], agreement, agreement->kind()});
  }
  return rows;
}

bool burns_host_cores(const Snapshot& snapshot, const std::string& device) {
  // A driver may busy-wait on one core; real work uses clearly more than that.
  constexpr double more_than_waiting = 1.6;
  return std::ranges::any_of(snapshot.compute.or_empty(), [&](const ComputeResult& result) {
    return result.device.is(device) && result.host_cores.or_empty() >= more_than_waiting;
  });
}

bool is_cpu(const Snapshot& snapshot, const std::string& device) {
  return device == "host" || burns_host_cores(snapshot, device) ||
         std::ranges::any_of(opencl_devices_named(snapshot, device),
                             [](const OpenclDevice* one) { return one->type.is("cpu"); });
}

bool stopped(const Snapshot& snapshot, const ComputeNotRun& row) {
  if (!row.why.get()) return true;
  const std::string& why = *row.why.get();
  const auto same_kernel = [&](const ComputeResult& result) {
    return result.device == row.device && result.kernel == row.kernel &&
           (!row.precision.get() || result.precision == row.precision);
  };
  if (why.starts_with("time: ")) return std::ranges::none_of(snapshot.compute.or_empty(), same_kernel);
  return !why.starts_with("missing: ") && !why.starts_with("busy: ");
}

std::string subject(const Snapshot& snapshot, const ComputeResult& result) {
  const std::string device = text_of(result.device), address = address_of(snapshot, device);
  return !address.empty() ? "gpu:" + address : !device.empty() ? device : "host";
}

std::vector<Evidence> proof(const std::vector<Row>& rows) {
  std::vector<Evidence> proof;
  for (const Row& row : rows) {
    const std::string place = at("/compute", row.index, "agreement");
    proof.push_back(
        evidence(place + "/outcome", full_problem_name(*row.result) + ": " + text_of(row.agreement->outcome)));
    if (row.agreement->pattern.get()) proof.push_back(evidence(place + "/pattern", *row.agreement->pattern.get()));
    if (row.by_chance()) proof.push_back(evidence(place + "/bound", *row.agreement->bound.get()));
    if (row.agreement->confirmed_by.get())
      proof.push_back(evidence(place + "/confirmed_by", *row.agreement->confirmed_by.get()));
    std::string list;
    for (const ComputeSample& sample : row.agreement->samples.or_empty())
      list += fmt::format("{}{} instead of {} at {}", list.empty() ? "" : ", ", text_of(sample.got),
                          text_of(sample.expected), sample.index.value_or(-1));
    if (!list.empty()) proof.push_back(evidence(place + "/samples", list));
  }
  return proof;
}

std::string in_problems(const std::vector<Row>& rows) {
  constexpr std::size_t shown = 3;
  std::string list;
  for (std::size_t i = 0; i < std::min(shown, rows.size()); ++i)
    list += (i == 0 ? "in " : i + 1 == rows.size() ? " and " : ", ") + full_problem_name(*rows[i].result);
  return list + (rows.size() > shown ? fmt::format(" and {} more", rows.size() - shown) : "");
}

void judge(const Snapshot& snapshot, Answers& answers, const std::function<bool(const Row&)>& picked,
           const std::function<void(Finding&, const std::vector<Row>&)>& describe) {
  if (!snapshot.compute.get()) return answers.unknown(why_unknown("/compute", snapshot.compute));
  const std::vector<Row> all = rows(snapshot);
  std::map<std::string, std::vector<Row>> by_device;
  for (const Row& row : all) {
    if (picked(row)) by_device[subject(snapshot, *row.result)].push_back(row);
  }
  for (const auto& [device, found] : by_device) {
    Finding& finding = answers.found_on(device);
    finding.evidence = proof(found);
    if (std::ranges::all_of(found, &Row::by_chance)) finding.confidence = Confidence::likely;
    describe(finding, found);
  }
  if (all.empty()) return answers.unknown("/compute: no result was compared with a reference");
  const auto doubtful =
      std::ranges::find_if(all, [](const Row& row) { return row.agreement->outcome.is("not-trustworthy"); });
  if (doubtful == all.end()) return answers.passed();
  answers.unknown(fmt::format("/compute: {} is mostly zero or one value, so nothing is proved",
                              full_problem_name(*doubtful->result)));
}

void judge_cause(const Facts& facts, Answers& answers, WrongResult cause,
                 const std::function<void(Finding&, const std::vector<Row>&)>& describe) {
  judge(
      facts.snapshot(), answers, [&](const Row& row) { return row.cause == cause; }, describe);
  add_printed(facts, answers, cause);
}

bool is_narrow(std::optional<WrongResult> cause) {
  using enum WrongResult;
  static constexpr std::array narrow = {tf32_inputs,   bf16_inputs,      fp16_inputs,        fp32_inputs,
                                        narrow_inputs, fp16_accumulator, narrow_accumulator, truncating_accumulator};
  return cause && std::ranges::find(narrow, *cause) != narrow.end();
}

}  // namespace envdoctor::compute
