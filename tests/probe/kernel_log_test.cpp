#include <gtest/gtest.h>

#include "probe/os/kernel_events.h"
#include "probe/probes.h"
#include "tests/support/fake_files.h"

namespace envdoctor::kernel_log_test {
namespace {

TEST(KernelLog, TellsXidsWithFullAddressesOnce) {
  const auto found = parse_kernel_log(
      "[    0.000000] Linux version 6.8.0 (a@b)\n"
      "[  100.000001] NVRM: Xid (PCI:0000:C1:00): 79, pid=1234, GPU has fallen off the bus.\n"
      "[  101.000001] NVRM: Xid (PCI:0000:c1:00): 79, pid=1235, GPU has fallen off the bus.\n"
      "[  102.000001] NVRM: Xid (PCI:0000:41:00): 31, pid=7, Ch 00000010\n");
  ASSERT_EQ(found.xid.size(), 2U);
  EXPECT_TRUE(found.xid[0].code.is(79));
  EXPECT_TRUE(found.xid[0].gpu.is("0000:c1:00.0"));
  EXPECT_TRUE(found.xid[1].code.is(31));
  ASSERT_FALSE(found.events.empty());
  EXPECT_TRUE(found.events[0].source.is("kernel"));
  EXPECT_TRUE(found.events[0].line.is(2));
}

TEST(KernelLog, ForgetsAnEarlierBoot) {
  const auto found = parse_kernel_log(
      "[  100.000001] NVRM: Xid (PCI:0000:c1:00): 79, GPU has fallen off the bus.\n"
      "Jan 1 00:00:00 kernel: [    0.000000] Linux version 6.8.0 (a@b)\n");
  EXPECT_TRUE(found.xid.empty());
  EXPECT_TRUE(found.events.empty());
}

TEST(KernelLog, KeepsTheLastLinesOfALongOne) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "NVRM: Xid (PCI:0000:41:00): " + std::to_string(i) + ", x\n";
  const auto found = parse_kernel_log(text);
  EXPECT_EQ(found.xid.size(), 200U);
  EXPECT_TRUE(found.xid.back().code.is(999));
}

TEST(KernelLog, OfNoiseSaysNothing) {
  EXPECT_TRUE(parse_kernel_log("").events.empty());
  EXPECT_TRUE(parse_kernel_log(std::string(100'000, '\xff')).events.empty());
  EXPECT_TRUE(parse_kernel_log("NVRM: Xid (PCI:").xid.empty());
}

Snapshot probed(const FakeFiles& files) {
  const Host host{.files = files, .live = false};
  const GatherOptions options;
  Session session(host, options);
  probe_kernel_log(session);
  return session.so_far();
}

TEST(KernelLog, ThatMayNotBeReadIsAProbeThatFailed) {
  FakeFiles files;
  files.errors["/dev/kmsg"] = "EPERM";
  const Snapshot snapshot = probed(files);
  EXPECT_FALSE(snapshot.log.get());
  EXPECT_FALSE(snapshot.nvidia.get());
  ASSERT_TRUE(snapshot.probes.get());
  const ProbeStatus& status = snapshot.probes.get()->at("kernel-log");
  EXPECT_TRUE(status.status.is("failed"));
  ASSERT_TRUE(status.error.get());
  EXPECT_TRUE(status.error.get()->kind.is("denied"));
}

TEST(KernelLog, OfACapturedHostIsReadFromItsFiles) {
  FakeFiles files;
  files.texts["/var/log/dmesg"] = "[ 5.0] NVRM: Xid (PCI:0000:41:00): 48, x\n";
  const Snapshot snapshot = probed(files);
  ASSERT_TRUE(snapshot.nvidia.get() && snapshot.nvidia.get()->xid.get());
  EXPECT_EQ(snapshot.nvidia.get()->xid.get()->size(), 1U);
}

}  // namespace
}  // namespace envdoctor::kernel_log_test
