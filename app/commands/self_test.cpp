#include "app/commands/self_test.h"

#include <fmt/format.h>

#include <cmath>

#include "checks/engine/report.h"
#include "evidence/json.h"
#include "kernels/core/verify.h"
#include "knowledge/topic_texts.h"
#include "probe/paste/log_reader.h"

namespace envdoctor::self_test {
namespace {

constexpr const char* kernel_name = "gemm";

std::string found_in(const Report& report) { return report.findings.empty() ? "nothing" : report.findings.front().id; }

Report judge_known(const Snapshot& snapshot) { return judge(snapshot, {.from_files = true}); }

// What is wrong with it; empty: nothing.
std::string against_healthy(std::string_view host) {
  const Report report = judge_known(snapshot_from_json(host, "the embedded host"));
  for (const Finding& finding : report.findings) {
    if (finding.severity != Severity::info) return fmt::format("{} was found on a healthy host", finding.id);
  }
  return report.verdict == Verdict::pass ? "" : "a healthy host didn't pass: " + report.verdict_why;
}

std::string against_root(const Snapshot& snapshot, const std::string& id) {
  const Report report = judge_known(snapshot);
  if (found_in(report) != id) return fmt::format("{} was expected, and {} was found", id, found_in(report));
  return report.verdict == Verdict::fail ? "" : id + " was found, and the verdict isn't fail";
}

// One product of matrices on the host, in a child; the fault is injected into that child's arithmetic.
Snapshot product(const kernels::Fault& fault) {
  kernels::VerifyOptions options{.effort = kernels::Effort::quick,
                                 .kernels = {kernel_name},
                                 .precisions = {kernels::Precision::fp32},
                                 .repeat = 1,
                                 .limits = {.time = Milliseconds(10'000)},
                                 .whole = Milliseconds(10'000)};
  const auto work = [&fault](const kernels::Job& job, const kernels::VerifyOptions& how,
                             const kernels::Reporter& reporter) {
    const auto device = kernels::open_host({}, fault);
    kernels::verify_on(*device, job.kernels, how, reporter);
  };
  return run_in_children({{.subject = "host", .backend = "host", .is_cpu = true}},
                         kernels::selected_kernels(kernels::all_kernels(), options), options, work,
                         kernels::Order::sequential);
}

// Empty: each size ran, and each outcome is one of those wanted.
std::string against_product(const kernels::Fault& fault, bool right) {
  const Snapshot snapshot = product(fault);
  const auto* results = snapshot.compute.get();
  if (const auto* lost = snapshot.compute_not_run.get(); lost && !lost->empty())
    return lost->front().why.get() ? *lost->front().why.get() : "the kernel didn't run";
  if (!results || results->empty()) return "the kernel didn't run";
  bool wrong = false;
  for (const ComputeResult& result : *results) {
    const Agreement* agreement = result.agreement.get();
    if (!agreement || !agreement->outcome.get()) return "the kernel's result wasn't compared";
    const std::string& outcome = *agreement->outcome.get();
    wrong = wrong || outcome == "outside";
    if (right && outcome != "same-bits" && outcome != "within-bound")
      return "this processor's result is " + outcome + " where the reference leaves no room for it";
  }
  return right || wrong ? "" : "a wrong element was put into the result, and it was taken for right";
}

}  // namespace

SelfTestInput embedded_input() {
  const auto file = [](const char* name) { return knowledge::bytes_of(embedded_files, name); };
  return {.healthy_host = file("healthy-host.json"),
          .broken_host = file("two-driver-versions.json"),
          .log = file("unreachable-driver.log"),
          .fault = [](const kernels::Step&, int, std::span<std::byte> bytes) {
            // The highest bit but one of the exponent, of one element in the middle.
            if (bytes.size() >= 64) bytes[bytes.size() / 8 * 4 + 3] ^= std::byte{0x20};
          }};
}

std::vector<SelfTestPart> run_self_test(const SelfTestInput& input) {
  std::vector<SelfTestPart> parts;
  const auto part = [&parts](const char* name, const char* shows, const auto& why_not) {
    SelfTestPart done{.name = name, .shows = shows};
    try {
      done.why_not = why_not();
    } catch (const std::exception& error) {
      done.why_not = error.what();
    }
    parts.push_back(std::move(done));
  };
  part("healthy-host", "a healthy host is kept quiet about", [&] { return against_healthy(input.healthy_host); });
  part("broken-host", "a kernel module and libraries of two versions are found", [&] {
    return against_root(snapshot_from_json(input.broken_host, "the embedded host"), "driver.version-mismatch");
  });
  part("log", "an unreachable driver is read from what programs print",
       [&] { return against_root(read_log(input.log, "the embedded log"), "driver.unreachable"); });
  part("kernel", "a product of matrices agrees with its reference on this processor",
       [&] { return against_product(input.flaw, true); });
  part("fault", "one wrong element of that product is noticed", [&] { return against_product(input.fault, false); });
  return parts;
}

}  // namespace envdoctor::self_test
