// visibility.double-filter: the second variable counts what the first one left, and finds too little.
#include <algorithm>

#include "checks/facts/facts.h"
#include "checks/facts/presence.h"
#include "checks/facts/visible.h"
#include "checks/visibility/settings.h"

namespace envdoctor::visibility_double_filter {

using enum SymptomClass;
namespace {

constexpr const char* id = "visibility.double-filter";

struct Pair {
  const char* first;
  const char* second;
};

// The highest number in the second list that the first list can't have left a device for; -1: all fit.
long beyond(const std::string& second, std::size_t left) {
  long worst = -1;
  for (const std::string& entry : entries_of(second)) {
    if (!starts_as_number(entry) || entry.front() == '-') break;
    const long number = std::strtol(entry.c_str(), nullptr, 10);
    if (number >= static_cast<long>(left)) worst = std::max(worst, number);
  }
  return worst;
}

void tell(const Pair& pair, const std::string& first, const std::string& second, std::size_t left, bool nothing_left,
          Answers& answers) {
  Finding& finding = answers.found(id, std::string("env:") + pair.second);
  const std::string count = std::to_string(left) + (left == 1 ? " GPU" : " GPUs");
  finding.explanation = std::string(pair.first) + "=" + first + " leaves at most " + count +
                        ", numbered anew from 0; " + pair.second + "=" + second +
                        " then asks for a number beyond them" + (nothing_left ? " and no GPU is left." : ".");
  finding.severity = nothing_left ? Severity::error : Severity::warning;
  finding.evidence = {evidence(std::string("/env/") + pair.first, first),
                      evidence(std::string("/env/") + pair.second, second)};
  finding.fix = {{.text = std::string("Set only one of the two; with ") + pair.first + " kept, unset the other.",
                  .command = std::string("unset ") + pair.second}};
}

// Answers true if there is nothing wrong with this pair.
bool judge(const Snapshot& snapshot, const Pair& pair, Answers& answers) {
  const Text first = env_of(snapshot, pair.first), second = env_of(snapshot, pair.second);
  if (!first.get() || !second.get() || first.get()->empty() || second.get()->empty() || second.is("all")) return true;
  const std::size_t left = entries_of(*first.get()).size();
  if (beyond(*second.get(), left) < 0) return true;
  const bool nothing = beyond(entries_of(*second.get()).front(), left) >= 0;  // cut at the very first entry
  tell(pair, *first.get(), *second.get(), left, nothing, answers);
  return false;
}

// A program that asks for a number which the variable's own list is too short for counts what the variable left.
void judge_program(const Facts& facts, Answers& answers) {
  const Symptom* asked = nullptr;
  for (const char* what : {"gpu-index", "cuda-device-index", "tensorflow-device"}) {
    if (!asked && !facts.all({missing, what}).empty()) asked = facts.all({missing, what}).front();
  }
  if (!asked) return;
  const auto entries = entries_of(visibility::setting_of(facts, "CUDA_VISIBLE_DEVICES").value);
  const auto names_number = [](const std::string& e) { return starts_as_number(e) && e[0] != '-'; };
  const std::size_t gpus = visibility::listed_gpus(facts);
  if (entries.empty() || gpus == 1 || !std::ranges::all_of(entries, names_number)) return;
  // Where the variable itself goes beyond the list, that is the cause.
  const auto beyond_list = [gpus](const std::string& e) { return std::stoul(e.substr(0, 6)) >= gpus; };
  if (gpus > 0 && std::ranges::any_of(entries, beyond_list)) return;
  add_finding(answers, *asked, id, Confidence::likely, "env:CUDA_VISIBLE_DEVICES");
}

void judge_environment(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  if (!snapshot.env.get()) return answers.unknown(id, why_unknown("/env", snapshot.env));
  const Flag amd = has_gpu(snapshot, Vendor::amd), nvidia = has_gpu(snapshot, Vendor::nvidia);
  if (amd.is(false) && nvidia.is(false)) return answers.not_applicable(id, "no GPU that such variables could select");
  bool sound = true;
  // What the runtime lists stands above the arithmetic.
  if (!amd.is(false) && !hip_device_seen(snapshot)) {
    const Text hip = env_of(snapshot, "HIP_VISIBLE_DEVICES");
    const bool own = hip.get() && !hip.get()->empty();
    // Beside a known NVIDIA GPU the variable is more likely meant for that one.
    const bool rocm = amd.is(true) || !nvidia.is(true);
    if (own) sound = judge(snapshot, {"ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"}, answers);
    if (!own && rocm) sound = judge(snapshot, {"ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"}, answers);
  }
  if (!nvidia.is(false) && !framework_version(snapshot, "jax").empty())
    sound = judge(snapshot, {"CUDA_VISIBLE_DEVICES", "JAX_CUDA_VISIBLE_DEVICES"}, answers) && sound;
  if (sound) answers.passed(id);
}

void judge(const Facts& facts, Answers& answers) {
  judge_environment(facts, answers);
  judge_program(facts, answers);
}

}  // namespace

Diagnosis diagnosis() {
  return {
      .id = "visibility.double-filter",
      .layer = Layer::visibility,
      .severity = Severity::error,
      .title = "Two variables filter the GPUs one after the other",
      .claim =
          "The second variable counts what the first one left, so together they leave other devices than either names, "
          "or none.",
      .proof = "The second variable's numbers lie beyond what the first one leaves.",
      .disproof = "Only one of the variables is set, or together they leave the wanted device.",
      .remedy = "Set only one of them.",
      .explains = {"usage.detected-unused", "usage.wrong-gpu", "visibility.invalid-ordinal"},
      .judge = judge,
  };
}

}  // namespace envdoctor::visibility_double_filter
