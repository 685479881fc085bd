// SYCL's, OpenCL's and the frameworks' lists, and every filter against a second, plain implementation.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <set>
#include <sstream>

#include "checks/facts/visible.h"
#include "tests/support/builders.h"
#include "tests/support/opencl_hosts.h"

namespace envdoctor::facts_visible_programs_test {
namespace {

Snapshot with_env(Snapshot snapshot, const std::string& name, const std::string& value) {
  snapshot.env.fill()[name] = value;
  return snapshot;
}

Snapshot two_gpus() {
  Snapshot snapshot = healthy_nvidia_host();
  NvidiaDevice second = nvml_a100(1, "0000:17:00.0");
  second.uuid = "GPU-11111111";
  CudaDevice second_in_cuda = cuda_a100(1, "0000:17:00.0");
  second_in_cuda.uuid = "GPU-11111111";
  snapshot.pci.get()->push_back(pci_a100("0000:17:00.0"));
  snapshot.nvidia.get()->devices.get()->push_back(second);
  snapshot.nvidia.get()->cuda_devices.get()->push_back(second_in_cuda);
  return snapshot;
}

TEST(VisibleToFramework, IsItsRuntimesListUnlessTheBuildHasNoGpu) {
  Snapshot snapshot = two_gpus();
  snapshot.torch.fill().version = "2.4.1+cu121";
  EXPECT_EQ(visible_to_framework(snapshot, "torch").devices.size(), 2U);
  snapshot.torch.fill().version = "2.4.1+cpu";
  const VisibleList none = visible_to_framework(snapshot, "torch");
  EXPECT_TRUE(none.devices.empty());
  ASSERT_EQ(none.hidden.size(), 2U);
  EXPECT_EQ(none.hidden[0].by, "build");
}

TEST(VisibleToFramework, FollowsJaxsOwnVariables) {
  Snapshot snapshot = two_gpus();
  snapshot.jax.fill().version = "0.4.30";
  EXPECT_EQ(visible_to_framework(snapshot, "jax").devices.size(), 2U);
  const VisibleList second = visible_to_framework(with_env(snapshot, "JAX_CUDA_VISIBLE_DEVICES", "1,9"), "jax");
  ASSERT_EQ(second.devices.size(), 1U);
  EXPECT_EQ(second.devices[0].uuid, "GPU-11111111");
  EXPECT_TRUE(visible_to_framework(with_env(snapshot, "JAX_PLATFORMS", "cpu"), "jax").devices.empty());
  EXPECT_EQ(visible_to_framework(with_env(snapshot, "JAX_PLATFORMS", "cuda,cpu"), "jax").devices.size(), 2U);
  EXPECT_EQ(visible_to_framework(with_env(snapshot, "JAX_CUDA_VISIBLE_DEVICES", "all"), "jax").devices.size(), 2U);
}

Snapshot two_arcs() {
  Snapshot snapshot = plain_host();
  for (const char* address : {"0000:03:00.0", "0000:04:00.0"}) {
    snapshot.pci.get()->push_back(pci_gpu(address, "8086", "56a0", "i915"));
    snapshot.level_zero.fill().devices.fill().push_back({.name = "Arc", .type = "gpu", .pci_address = address});
  }
  return snapshot;
}

TEST(VisibleToSycl, AppliesItsSelectorToLevelZerosList) {
  EXPECT_EQ(visible_to_sycl(two_arcs()).devices.size(), 2U);
  const VisibleList one = visible_to_sycl(with_env(two_arcs(), "ONEAPI_DEVICE_SELECTOR", "level_zero:1"));
  ASSERT_EQ(one.devices.size(), 1U);
  EXPECT_EQ(one.devices[0].address, "0000:04:00.0");
  EXPECT_EQ(one.hidden.back().by, "ONEAPI_DEVICE_SELECTOR");
  EXPECT_TRUE(visible_to_sycl(with_env(two_arcs(), "ONEAPI_DEVICE_SELECTOR", "opencl:cpu")).devices.empty());
}

TEST(SelectSycl, TakesInclusionsThenExclusions) {
  using Kept = std::vector<std::size_t>;
  EXPECT_EQ(select_sycl("level_zero:gpu", 2), (Kept{0, 1}));
  EXPECT_EQ(select_sycl("Level_Zero:0", 2), Kept{0});
  EXPECT_EQ(select_sycl("*:*;!level_zero:0", 2), Kept{1});
  EXPECT_EQ(select_sycl("!level_zero:1", 2), Kept{0});
  EXPECT_EQ(select_sycl("level_zero:1.0", 2), Kept{1});
  EXPECT_EQ(select_sycl("cuda:*", 2), Kept{});
}

TEST(VisibleToOpencl, SaysWhyAGpuIsInNoPlatform) {
  Snapshot snapshot = with_loader(healthy_nvidia_host());
  VisibleList list = visible_to_opencl(snapshot);
  ASSERT_EQ(list.hidden.size(), 1U);
  EXPECT_EQ(list.hidden[0].why, "no registered driver is for it");
  add_driver(snapshot, opencl_icd("nvidia.icd", "libnvidia-opencl.so.1"),
             opencl_platform("NVIDIA CUDA", {opencl_device("NVIDIA A100-SXM4-40GB", "gpu")}));
  list = visible_to_opencl(snapshot);
  EXPECT_TRUE(list.hidden.empty());
  ASSERT_EQ(list.devices.size(), 1U);
  EXPECT_TRUE(list.observed);
  EXPECT_NE(visible_to_opencl(Snapshot{}).unknown, "");
}

TEST(VisibleToPrograms, HasOneListForEachStackAndFramework) {
  Snapshot snapshot = with_loader(two_gpus());
  snapshot.torch.fill().version = "2.4.1+cu121";
  std::vector<std::string> stacks;
  for (const VisibleList& list : visible_to_programs(snapshot)) stacks.push_back(list.stack);
  EXPECT_EQ(stacks, (std::vector<std::string>{"cuda", "opencl", "torch"}));
  EXPECT_TRUE(visible_to_programs(Snapshot{}).empty());
}

// ---- Each rule once more, the plain way: one entry after the other, by text alone.

using Positions = std::vector<std::size_t>;

std::vector<std::string> parts(const std::string& text, char mark) {
  std::vector<std::string> all;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, mark);) all.push_back(part);
  if (!text.empty() && text.back() == mark) all.emplace_back();
  return all;
}

bool digits(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// HIP: exact decimal numbers; the list ends at the first entry that is none or names no device; repetitions don't
// count.
Positions naive_hip(const std::string& value, std::size_t devices) {
  Positions kept;
  if (value.empty()) {
    for (std::size_t d = 0; d < devices; ++d) kept.push_back(d);
    return kept;
  }
  for (const std::string& entry : parts(value, ',')) {
    const bool exact = digits(entry) && (entry == "0" || entry[0] != '0');
    if (!exact || std::stoul(entry) >= devices) break;
    if (std::count(kept.begin(), kept.end(), std::stoul(entry)) == 0) kept.push_back(std::stoul(entry));
  }
  return kept;
}

// ROCr: as HIP, but blanks don't matter, leading noughts mean octal, and a repetition ends the list.
Positions naive_rocr(const std::string& value, std::size_t devices) {
  Positions kept;
  for (std::string entry : parts(value, ',')) {
    while (!entry.empty() && entry.front() == ' ') entry.erase(0, 1);
    while (!entry.empty() && entry.back() == ' ') entry.pop_back();
    if (!digits(entry)) break;
    const std::size_t number = std::stoul(entry, nullptr, entry.size() > 1 && entry[0] == '0' ? 8 : 10);
    if (number >= devices || std::count(kept.begin(), kept.end(), number) > 0) break;
    kept.push_back(number);
  }
  return kept;
}

// Level Zero and JAX: a set of numbers; what names no device is passed over.
Positions naive_set(const std::string& value, std::size_t devices) {
  std::set<std::size_t> kept;
  for (const std::string& entry : parts(value, ',')) {
    if (digits(entry) && std::stoul(entry) < devices) kept.insert(std::stoul(entry));
  }
  return {kept.begin(), kept.end()};
}

Positions naive_sycl(const std::string& value, std::size_t devices) {
  Positions kept;
  for (std::size_t d = 0; d < devices; ++d) {
    bool any_inclusion = false, in = false, out = false;
    for (const std::string& term : parts(value, ';')) {
      if (term.empty()) continue;
      const bool minus = term[0] == '!';
      any_inclusion |= !minus;
      const std::string rest = term.substr(minus ? 1 : 0);
      const std::string backend = rest.substr(0, rest.find(':'));
      bool hit = false;
      for (const std::string& word : parts(rest.substr(rest.find(':') + 1), ','))
        hit |= word == "*" || word == "gpu" || word == std::to_string(d);
      hit = hit && (backend == "*" || backend == "level_zero");
      (minus ? out : in) |= hit;
    }
    if ((in || !any_inclusion) && !out) kept.push_back(d);
  }
  return kept;
}

Positions chosen(const Selection& selection) {
  Positions all;
  for (const Selected& one : selection.chosen) all.push_back(one.device);
  return all;
}

// Random texts of these pieces; both answers must agree, and not always be the same answer.
void agree(const std::vector<std::string>& pieces, char mark, const std::function<Positions(const std::string&)>& ours,
           const std::function<Positions(const std::string&)>& plain) {
  std::mt19937 random(20261121);
  std::set<Positions> answers;
  for (int round = 0; round < 5000; ++round) {
    std::string value;
    for (std::size_t i = 0, count = random() % 5; i < count; ++i)
      value += (i ? std::string(1, mark) : "") + pieces[random() % pieces.size()];
    const Positions found = ours(value);
    ASSERT_EQ(found, plain(value)) << '"' << value << '"';
    answers.insert(found);
  }
  EXPECT_GT(answers.size(), 4U);
}

TEST(EveryFilter, AgreesWithASecondImplementation) {
  const std::vector<std::string> numbers = {"0", "1", "2", "3", "7", "01", "-1", "", "x", "12"};
  const std::vector<Selectable> three(3);
  agree(
      numbers, ',', [&](const std::string& v) { return chosen(select_hip(v, three)); },
      [](const std::string& v) { return naive_hip(v, 3); });
  agree(
      {"0", "1", " 2", "2 ", "7", "01", "010", "-1", "", "x"}, ',',
      [&](const std::string& v) { return chosen(select_rocr(v, three)); },
      [](const std::string& v) { return naive_rocr(v, 3); });
  agree(
      numbers, ',', [](const std::string& v) { return select_jax(v, 3); },
      [](const std::string& v) { return naive_set(v, 3); });
  agree(
      {"level_zero:0", "level_zero:1,2", "*:gpu", "!level_zero:1", "opencl:0", "!*:2", "level_zero:*", "cuda:gpu"}, ';',
      [](const std::string& v) { return select_sycl(v, 3); }, [](const std::string& v) { return naive_sycl(v, 3); });
}

}  // namespace
}  // namespace envdoctor::facts_visible_programs_test
