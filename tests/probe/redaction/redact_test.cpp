#include "probe/redaction/redact.h"

#include <gmock/gmock.h>

#include <random>

namespace envdoctor::redact_test {
namespace {

using testing::HasSubstr;
using testing::Not;

Identity alice() {
  return identity_of({{"HOME", "/home/alice"}, {"USER", "alice"}, {"HOSTNAME", "node17.cluster.example"}});
}
std::string redacted(std::string_view text) { return redact_text(text, alice()); }

TEST(Redaction, WritesHomeDirectoriesAsVariable) {
  EXPECT_EQ(redacted("/home/alice/venv/lib"), "$HOME/venv/lib");
  EXPECT_EQ(redacted("/home/alice"), "$HOME");
  EXPECT_EQ(redacted("/home/alice/a:/home/bob/b:/opt"), "$HOME/a:$HOME/b:/opt");
  EXPECT_EQ(redacted("-L/home/alice/lib"), "-L$HOME/lib");
  EXPECT_EQ(redacted("/mnt/nfs/home/bob/x"), "/mnt/nfs/home/<user>/x");
  EXPECT_EQ(redacted("/Users/bob/x"), "$HOME/x");
  EXPECT_EQ(redacted("/mnt/c/Users/bob/x"), "/mnt/c/Users/<user>/x");
  EXPECT_EQ(redacted(R"(C:\Users\bob\cuda)"), R"(C:\Users\<user>\cuda)");
}

TEST(Redaction, LeavesPathsThatOnlyLookLikeHomeAlone) {
  EXPECT_EQ(redacted("/usr/local/cuda/lib64:/opt/homestead/x"), "/usr/local/cuda/lib64:/opt/homestead/x");
  const Identity root = identity_of({{"HOME", "/root"}, {"USER", "root"}});
  EXPECT_EQ(redact_text("/root/.cache", root), "$HOME/.cache");
  EXPECT_EQ(redact_text("/proc/1/root/etc /rootfs /opt/root", root), "/proc/1/root/etc /rootfs /opt/root");
  const Identity slash = identity_of({{"HOME", "/"}});
  EXPECT_EQ(redact_text("/usr/lib", slash), "/usr/lib");
}

TEST(Redaction, CutsUuidsToEightDigits) {
  const std::string tail = "-1234-5678-9abc-def012345678";
  EXPECT_EQ(redacted("GPU-3fa5b1c2" + tail), "GPU-3fa5b1c2");
  EXPECT_EQ(redacted("0,GPU-3fa5b1c2" + tail + ",MIG-00000001" + tail), "0,GPU-3fa5b1c2,MIG-00000001");
  EXPECT_EQ(redacted("MIG-GPU-3fa5b1c2" + tail + "/7/0"), "MIG-GPU-3fa5b1c2/7/0");
  EXPECT_EQ(redacted("uuid 3FA5b1c2" + tail + "."), "uuid 3FA5b1c2.");
  EXPECT_EQ(redacted("GPU-3fa5b1c2-1234"), "GPU-3fa5b1c2");
  EXPECT_EQ(redacted("GPU-abcdef0123456789"), "GPU-abcdef01");  // an AMD one
  EXPECT_EQ(redacted("GPU-3fa5b1"), "GPU-3fa5b1");              // a short prefix is kept as written
}

TEST(Redaction, ReplacesNamesOfUserAndHostAsWords) {
  EXPECT_EQ(redacted("/scratch/alice/env"), "/scratch/<user>/env");
  EXPECT_EQ(redacted("malice alice_2 alicexy"), "malice alice_2 alicexy");
  EXPECT_EQ(redacted("ssh node17.cluster.example."), "ssh <host>.");
  EXPECT_EQ(redacted("node17: node170"), "<host>: node170");
}

TEST(Redaction, KeepsNamesThatManyMachinesShare) {
  const Identity shared = identity_of({{"USER", "nvidia"}, {"HOSTNAME", "localhost"}, {"LOGNAME", "root"}});
  EXPECT_EQ(redact_text("/usr/lib/nvidia on localhost by root", shared), "/usr/lib/nvidia on localhost by root");
}

TEST(Redaction, TakesCredentialsOutOfAddresses) {
  EXPECT_EQ(redacted("https://me:secret@pypi.org/simple"), "https://pypi.org/simple");
  EXPECT_EQ(redacted("https://me:secret@pypi.example/simple"), "https://<host>/<name>");
}

TEST(Redaction, KnowsAddressesSecretsAndSerialNumbersByTheirShape) {
  EXPECT_EQ(redacted("mail bob@lab.example.org now"), "mail <email> now");
  EXPECT_EQ(redacted("eth0 3c:ec:ef:12:34:56 up"), "eth0 <mac> up");
  EXPECT_EQ(redacted("3C-EC-EF-12-34-56"), "<mac>");
  EXPECT_EQ(redacted("guid 506b:4b03:00c1:a1b2"), "guid <mac>");
  EXPECT_EQ(redacted("grpc://10.1.2.3:8470, 172.16.4.5"), "grpc://<ip>:8470, <ip>");
  EXPECT_EQ(redacted("connect to 9.1.0.70:2222"), "connect to <ip>:2222");
  EXPECT_EQ(redacted("at fe80::1%eth0 or [2001:6b0::5]:22"), "at <ip> or [<ip>]:22");
  EXPECT_EQ(redacted("HF_TOKEN=abcdefgh1 rest"), "HF_TOKEN=<secret> rest");
  EXPECT_EQ(redacted("Authorization: Bearer abc.def.ghi"), "Authorization: <secret>");
  EXPECT_EQ(redacted("Serial Number   : 1320221013927"), "Serial Number   : <serial>");
}

TEST(Redaction, KnowsEachKindOfSecretByItself) {
  const std::string long_enough = "aB3dE5fG7hJ9kL1mN3pQ5";
  for (const char* name : {"secret", "PASSWORD", "passwd", "passphrase", "API_KEY", "access-key", "credentials"})
    EXPECT_EQ(redacted(std::string(name) + ": " + long_enough), std::string(name) + ": <secret>");
  for (const char* start :
       {"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "hf_", "xoxb-", "nvapi-", "sk-"})
    EXPECT_EQ(redacted("see " + (start + long_enough)), "see <secret>");
  EXPECT_EQ(redacted("id AKIAABCDEFGHIJKLMNOP"), "id <secret>");
  EXPECT_EQ(redacted("id ASIAABCDEFGHIJKLMNOP"), "id <secret>");
  EXPECT_EQ(redacted("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0"), "<secret>");
  EXPECT_EQ(redacted("sent bearer abcdefgh"), "sent bearer <secret>");
  EXPECT_EQ(redacted("SERIAL NO: 12345678"), "SERIAL NO: <serial>");
}

TEST(Redaction, LeavesWhatOnlyLooksLikeAnAddressAlone) {
  for (const char* text : {"8.9.7.29",
                           "10.3.2.106",
                           "cuDNN version 8.9.7.29",
                           "nvidia-curand-cu12==10.3.2.106",
                           "cudnn=8.9.7.29",
                           "nvidia-curand-cu11 10.2.10.91",
                           "libcurand.so.10.3.2.106",
                           "/opt/cudnn/8.9.7.29/lib",
                           "96.00.89.00.01",
                           "0000:65:00.0",
                           "00000000:65:00.0 and 0000:b1:00.1",
                           "127.0.0.1:6006",
                           "0.0.0.0",
                           "12:34:56",
                           "2026-11-21-12-30",
                           "std::vector<a::b>",
                           "dead::beef()",
                           "10.3.2.106+cuda12",
                           "user@1000.service",
                           "GLIBC_2.34",
                           "memcpy@GLIBC_2.14",
                           "fade::in",
                           "tokenizers=parallel",
                           "serial8250: ttyS0",
                           "driver 535.104.05",
                           "23.17.26241.33"})
    EXPECT_EQ(redacted(text), text);
}

// Whatever is put together from parts that matter: nothing of them remains, and a second pass changes nothing.
TEST(Redaction, IsCompleteAndIdempotentOnMixedText) {
  const std::vector<std::string> parts = {"/home/alice",
                                          "alice",
                                          "node17",
                                          ".cluster.example",
                                          "GPU-",
                                          "MIG-",
                                          "3fa5b1c2-1234-5678-9abc-def012345678",
                                          "3fa5b1c2",
                                          "-1234",
                                          "/",
                                          ":",
                                          " ",
                                          "x",
                                          "-",
                                          ".",
                                          "://",
                                          "@",
                                          "/home/",
                                          "/Users/",
                                          "$HOME",
                                          "<user>",
                                          "\\",
                                          "="};
  std::mt19937 random(20261120);
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (auto count = random() % 9; count > 0; --count) text += parts[random() % parts.size()];
    const std::string once = redacted(text);
    ASSERT_EQ(redacted(once), once) << text;
    ASSERT_THAT(once, Not(HasSubstr("9abc-def0"))) << text;
    ASSERT_THAT(once, Not(HasSubstr("/home/alice"))) << text;
  }
}

TEST(Redaction, ReachesEveryTextOfASnapshot) {
  Snapshot snapshot;
  SharedLibrary library{.soname = std::string("libcuda.so.1"), .path = std::string("/home/alice/libcuda.so.1")};
  library.version = failed("/home/alice/x: EACCES");
  snapshot.libraries.fill().push_back(library);
  snapshot.env.fill()["LD_LIBRARY_PATH"] = std::string("/home/alice/lib");
  snapshot.log.fill().push_back({.details = {{"path", "/home/alice/log"}}});
  redact(snapshot, alice());
  EXPECT_TRUE(snapshot.libraries.get()->front().path.is("$HOME/libcuda.so.1"));
  EXPECT_EQ(snapshot.libraries.get()->front().version.why(), "$HOME/x: EACCES");
  EXPECT_EQ(snapshot.libraries.get()->front().found.outcome(), Outcome::not_probed);
  EXPECT_TRUE(snapshot.env.get()->at("LD_LIBRARY_PATH").is("$HOME/lib"));
  EXPECT_EQ(snapshot.log.get()->front().detail("path"), "$HOME/log");
}

}  // namespace
}  // namespace envdoctor::redact_test
