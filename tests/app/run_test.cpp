// `envdoctor run` as a shell would use it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>

#include "app/commands/run_environment.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace envdoctor::run_test {
namespace {

TEST(Run, HandsOnStreamsAndExitStatus) {
  const Ran ran = run_envdoctor("run --quiet -- sh -c 'cat; echo err >&2; exit 7'", "echo in |");
  EXPECT_EQ(ran.status, 7);
  EXPECT_EQ(ran.out, "in\n");
  EXPECT_EQ(ran.err, "err\n");
}

TEST(Run, TellsHowItEndedAsAShellDoes) {
  EXPECT_EQ(run_envdoctor("run -- sh -c 'kill -TERM $$'").status, 128 + SIGTERM);
  const Ran missing = run_envdoctor("run -- /nonexistent/program");
  EXPECT_EQ(missing.status, 127);
  EXPECT_NE(missing.err.find("/nonexistent/program: No such file"), std::string::npos) << missing.err;
  EXPECT_EQ(run_envdoctor("run -- /etc/passwd").status, 126);
  EXPECT_EQ(run_envdoctor("run").status, 2);
}

TEST(Run, LeavesArgumentsAsTheyAre) {
  const Ran ran = run_envdoctor(R"(run --quiet -- printf '[%s]' -- --device "" list 'a b')");
  EXPECT_EQ(ran.out, "[--][--device][][list][a b]");
}

TEST(Run, HandsOnSignals) {
  const std::string script = test_folder() + "/signal.sh";
  std::ofstream(script) << binary_path
                        << " run --quiet -- sh -c 'trap \"echo got; exit 5\" USR1; while :; do sleep 0.05; done' &\n"
                           "pid=$!; sleep 1; kill -USR1 $pid; wait $pid; echo $?\n";
  const std::string out = test_folder() + "/signal.out";
  EXPECT_EQ(std::system(("sh " + script + " >" + out).c_str()), 0);  // NOLINT: the test's own words
  EXPECT_EQ(read_whole(out), "got\n5\n");
}

// Starts `envdoctor run` on a terminal of its own with a program that prints a letter for each signal it takes, lets
// `act` loose on it, and gives back what it printed after "ready".
std::string on_a_terminal(const std::function<void(int terminal, pid_t envdoctor)>& act, const char* more = "") {
  const std::string program = write_file_here(
      "count.py",
      std::string("import os, signal, sys\n") + more +
          "taken = {signal.SIGINT, signal.SIGUSR1, signal.SIGTERM}\n"
          "signal.pthread_sigmask(signal.SIG_BLOCK, taken)\n"
          "os.write(1, b'ready')\n"
          "while True:\n"
          "  got = signal.sigtimedwait(taken, 0.8)\n"
          "  if got is None: sys.exit(0)\n"
          "  os.write(1, {signal.SIGINT: b'i', signal.SIGUSR1: b'u', signal.SIGTERM: b't'}[got.si_signo])\n");
  int terminal = -1;
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (pid == 0) {
    execl(binary_path, binary_path, "run", "--quiet", "--", "/usr/bin/python3", program.c_str(), nullptr);
    _exit(127);
  }
  std::string said;
  bool acted = false;
  char bytes[256];
  for (ssize_t count = 0; (count = read(terminal, bytes, sizeof bytes)) > 0;) {
    said.append(bytes, static_cast<std::size_t>(count));
    if (acted || said.find("ready") == said.npos) continue;
    acted = true;
    act(terminal, pid);
  }
  waitpid(pid, nullptr, 0);
  close(terminal);
  return said.substr(said.find("ready") + 5);
}

void repeat(const std::function<void()>& act) {
  for (int i = 0; i < 4; ++i) {
    act();
    usleep(100'000);
  }
}

TEST(Run, LetsCtrlCReachTheProgramOnce) {
  const std::string said =
      on_a_terminal([](int terminal, pid_t) { repeat([&] { (void)!write(terminal, "\x03", 1); }); });
  EXPECT_EQ(std::ranges::count(said, 'i'), 4) << said;
}

TEST(Run, LetsASignalToTheWholeGroupReachTheProgramOnce) {
  EXPECT_EQ(on_a_terminal([](int, pid_t pid) { repeat([&] { kill(-pid, SIGUSR1); }); }), "uuuu");
  EXPECT_EQ(on_a_terminal([](int, pid_t pid) { repeat([&] { kill(-pid, SIGTERM); }); }), "tttt");
}

TEST(Run, HandsOnceOnWhatItAloneIsSent) {
  EXPECT_EQ(on_a_terminal([](int, pid_t pid) { repeat([&] { kill(pid, SIGUSR1); }); }), "uuuu");
}

TEST(Run, HandsOnToAProgramThatLeftTheGroup) {
  EXPECT_EQ(on_a_terminal([](int, pid_t pid) { repeat([&] { kill(-pid, SIGUSR1); }); }, "os.setpgid(0, 0)\n"), "uuuu");
}

TEST(Run, StopsAndGoesOnWithTheProgram) {
  const std::string script = test_folder() + "/stop.sh";
  std::ofstream(script) << binary_path
                        << " run --quiet -- sh -c 'kill -STOP $$; echo on' &\n"
                           "pid=$!; sleep 1; cut -d' ' -f3 /proc/$pid/stat; kill -CONT $pid; wait $pid; echo $?\n";
  const std::string out = test_folder() + "/stop.out";
  EXPECT_EQ(std::system(("sh " + script + " >" + out).c_str()), 0);  // NOLINT: the test's own words
  EXPECT_EQ(read_whole(out), "T\non\n0\n");
}

TEST(Run, HoldsNoStreamThatTheProgramClosed) {
  const std::string timed =
      "s=$(date +%s%N); (" + std::string(binary_path) +
      " run --quiet -- sh -c 'exec >&-; sleep 3' & ) | cat; e=$(date +%s%N); [ $((e-s)) -lt 2500000000 ]";
  EXPECT_EQ(std::system(("sh -c \"" + timed + "\"").c_str()), 0);  // NOLINT: the test's own words
}

TEST(Run, RequireGpuFailsClosed) {
  EXPECT_NE(run_envdoctor("run --require-gpu -- true").status, 0);
  EXPECT_NE(run_envdoctor("run --require-gpu -- sh -c 'exit 9'").status, 0);
  EXPECT_EQ(run_envdoctor("run --require-gpu --device cpu -- true").status, 2);
}

TEST(Run, SetsTheCpuForEveryStack) {
  const Ran ran = run_envdoctor("run --quiet --device cpu -- env");
  for (const char* line : {"CUDA_VISIBLE_DEVICES=-1\n", "HIP_VISIBLE_DEVICES=-1\n", "ROCR_VISIBLE_DEVICES=-1\n",
                           "JAX_PLATFORMS=cpu\n", "ONEAPI_DEVICE_SELECTOR=*:cpu\n"})
    EXPECT_NE(ran.out.find(line), std::string::npos) << line;
}

TEST(Run, PrintsWhatItWouldSet) {
  const Ran ran = run_envdoctor("run --device cpu --memory-growth --print-env", "XLA_FLAGS=--xla_a=1");
  EXPECT_NE(ran.out.find("export CUDA_VISIBLE_DEVICES='-1';\n"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("export TF_FORCE_GPU_ALLOW_GROWTH='true';\n"), std::string::npos);
}

const std::vector<ListedGpu> two = {{"nvidia", 0, "GPU-11111111-aaaa", "0000:17:00.0"},
                                    {"nvidia", 1, "GPU-22222222-aaaa", "0000:65:00.0"}};

std::optional<std::string> value(const std::vector<EnvChange>& changes, const std::string& name) {
  for (const EnvChange& change : changes) {
    if (change.name == name) return change.value.value_or("(taken out)");
  }
  return std::nullopt;
}

TEST(RunEnvironment, ANumberMeansWhatNvidiaSmiCallsIt) {
  const auto changes = environment_changes({.device = "gpu:1"}, two, {});
  EXPECT_EQ(value(changes, "CUDA_VISIBLE_DEVICES"), "GPU-22222222-aaaa");
  EXPECT_EQ(value(changes, "CUDA_DEVICE_ORDER"), "PCI_BUS_ID");
  EXPECT_EQ(value(environment_changes({.device = "gpu:GPU-1111"}, two, {}), "CUDA_VISIBLE_DEVICES"),
            "GPU-11111111-aaaa");
  // Where the kernel lists no GPU, as on WSL2, the number itself, in bus order.
  EXPECT_EQ(value(environment_changes({.device = "gpu:1"}, {}, {}), "CUDA_VISIBLE_DEVICES"), "1");
}

TEST(RunEnvironment, RefusesGpusThatAreNotThere) {
  for (const char* device : {"gpu:2", "gpu:GPU-33", "gpu:GPU-", "gpu:x", "gpu:-1", "tpu", "gpu:"})
    EXPECT_THROW(environment_changes({.device = device}, two, {}), UsageError) << device;
  auto twins = two;
  twins[1].uuid = "GPU-11111111-bbbb";
  EXPECT_THROW(environment_changes({.device = "gpu:GPU-1111"}, twins, {}), UsageError);
}

TEST(RunEnvironment, AnyGpuUndoesWhatHidesAllAndKeepsAGrantedList) {
  const auto hidden =
      environment_changes({.device = "gpu"}, {}, {{"CUDA_VISIBLE_DEVICES", "-1"}, {"JAX_PLATFORMS", "cpu"}});
  EXPECT_EQ(value(hidden, "CUDA_VISIBLE_DEVICES"), "(taken out)");
  EXPECT_EQ(value(hidden, "JAX_PLATFORMS"), "(taken out)");
  EXPECT_EQ(value(environment_changes({.device = "gpu"}, {}, {{"CUDA_VISIBLE_DEVICES", "3"}}), "CUDA_VISIBLE_DEVICES"),
            std::nullopt);
}

TEST(RunEnvironment, OnAmdOneFilterIsEnough) {
  const std::vector<ListedGpu> amd = {{"amd", 0, "GPU-00112233aabbccdd", ""}, {"amd", 1, "", ""}};
  const auto first = environment_changes({.device = "gpu:0"}, amd, {{"HIP_VISIBLE_DEVICES", "1"}});
  EXPECT_EQ(value(first, "ROCR_VISIBLE_DEVICES"), "GPU-00112233aabbccdd");
  EXPECT_EQ(value(first, "HIP_VISIBLE_DEVICES"), "(taken out)");
  EXPECT_EQ(value(environment_changes({.device = "gpu:1"}, amd, {}), "ROCR_VISIBLE_DEVICES"), "1");
}

TEST(RunEnvironment, FlagsAreAddedToThoseThatAreSet) {
  const auto changes = environment_changes({.deterministic = true}, {}, {{"XLA_FLAGS", "--xla_a=1"}});
  EXPECT_EQ(value(changes, "XLA_FLAGS"), "--xla_a=1 --xla_gpu_deterministic_ops=true");
  EXPECT_EQ(value(environment_changes({.tf32 = "off"}, {}, {}), "NVIDIA_TF32_OVERRIDE"), "0");
}

TEST(RunEnvironment, IsQuotedForAShell) {
  EXPECT_EQ(shell_lines({{"A", "it's", ""}, {"B", std::nullopt, ""}}, false), "export A='it'\\''s';\nunset B;\n");
}

// The program in namespaces of its own, with stand-ins for /dev/nvidia0 and /dev/nvidia-uvm and a fake
// libnvidia-ml.so.1 that reports what CMD writes into $FAKE_NVML_PROCESSES.
class InNamespaces : public testing::Test {
 protected:
  Ran run_there(const std::string& namespaces, const std::string& options, const std::string& command) {
    const std::string folder = test_folder();
    std::filesystem::create_directories(folder + "/lib");
    std::filesystem::remove(folder + "/lib/libnvidia-ml.so.1");
    std::filesystem::create_symlink(std::string(test_build_folder) + "/fakes/fake_nvml_healthy.so",
                                    folder + "/lib/libnvidia-ml.so.1");
    std::ofstream(folder + "/cmd.sh") << command;
    std::ofstream(folder + "/there.sh") << "set -e\nmkdir -p " << folder << "/n; mount -t tmpfs none " << folder
                                        << "/n\n"
                                        << "for f in null zero urandom; do touch " << folder
                                        << "/n/$f; mount --bind /dev/$f " << folder << "/n/$f; done\n"
                                        << "touch " << folder << "/n/nvidia0 " << folder << "/n/nvidia-uvm " << folder
                                        << "/n/nvidiactl\nmount --rbind " << folder << "/n /dev\n"
                                        << "export LD_LIBRARY_PATH=" << folder << "/lib FAKE_NVML_PROCESSES=" << folder
                                        << "/nvml\nset +e\n"
                                        << binary_path << " run " << options << " -- sh " << folder
                                        << "/cmd.sh\necho $?\n";
    const std::string line =
        "unshare " + namespaces + " sh " + folder + "/there.sh >" + folder + "/out 2>" + folder + "/err";
    const int status = std::system(line.c_str());  // NOLINT: the test's own words
    return {status, read_whole(folder + "/out"), read_whole(folder + "/err")};
  }
  // Opens the fake nodes, notifies the fake NVML, and continues for a while.
  static constexpr const char* uses_gpu =
      "exec 3<>/dev/nvidia0 4<>/dev/nvidia-uvm\necho 0 $$ 5222 83 >$FAKE_NVML_PROCESSES\nsleep 4\nexit 5\n";
  static bool refused(const Ran& ran) {
    return ran.out.empty() && (ran.err.find("unshare") != ran.err.npos || ran.err.find("mount") != ran.err.npos);
  }
};

TEST_F(InNamespaces, TellsThatItRan) {
  const Ran ran = run_there("-m", "--require-gpu", uses_gpu);
  if (refused(ran)) GTEST_SKIP() << "no mount namespace may be made here: " << ran.err;
  EXPECT_EQ(ran.out, "5\n") << ran.err;
  EXPECT_EQ(ran.err, "envdoctor: ran on GPU 0 (83 % busy, peak 5.1 GiB)\n");
}

TEST_F(InNamespaces, CanNotTellWhereNvmlsPidsAreOthers) {
  const Ran ran = run_there("-m -p -f --mount-proc", "--require-gpu", std::string(uses_gpu) + "exit 0\n");
  if (refused(ran)) GTEST_SKIP() << "no PID namespace may be made here: " << ran.err;
  EXPECT_TRUE(ran.err.starts_with("envdoctor: could not determine whether it used a GPU: ")) << ran.err;
  EXPECT_NE(ran.err.find("inside a container"), std::string::npos) << ran.err;
}

TEST_F(InNamespaces, RequireGpuFailsWhereItCanNotTell) {
  const Ran ran =
      run_there("-m -p -f --mount-proc", "--require-gpu", "exec 3<>/dev/nvidia0 4<>/dev/nvidia-uvm\nsleep 1\n");
  if (refused(ran)) GTEST_SKIP() << "no PID namespace may be made here: " << ran.err;
  EXPECT_EQ(ran.out, "3\n") << ran.err;
}

TEST_F(InNamespaces, TellsThatItNeverOpenedTheGpuThatIsThere) {
  const Ran ran = run_there("-m", "--device cpu --require-gpu", "exit 0\n");
  if (refused(ran)) GTEST_SKIP() << "no mount namespace may be made here: " << ran.err;
  EXPECT_EQ(ran.out, "2\n") << ran.err;
  const Ran idle = run_there("-m", "--device cpu", "sleep 1\n");
  EXPECT_EQ(idle.out, "0\n") << idle.err;
  EXPECT_EQ(idle.err, "envdoctor: ran on the CPU, as asked\n");
}

// A folder /dev of this namespace without any GPU node, and a command in it.
class WithoutGpu : public InNamespaces {
 protected:
  static Ran run_here(const std::string& options) {
    const std::string folder = test_folder(), script = folder + "/there.sh";
    std::ofstream(script) << "set -e\nmkdir -p " << folder << "/n; mount -t tmpfs none " << folder
                          << "/n\nfor f in null "
                          << "zero urandom; do touch " << folder << "/n/$f; mount --bind /dev/$f " << folder
                          << "/n/$f; done\nmount --rbind " << folder << "/n /dev\nset +e\n"
                          << binary_path << " run " << options << "\necho $?\n";
    const std::string line = "unshare -m sh " + script + " >" + folder + "/out 2>" + folder + "/err";
    const int status = std::system(line.c_str());  // NOLINT: the test's own words
    return {status, read_whole(folder + "/out"), read_whole(folder + "/err")};
  }
};

TEST_F(WithoutGpu, RequireGpuFailsBeforeTheTraining) {
  const Ran ran = run_here("--require-gpu -- sh -c 'echo trained'");
  if (refused(ran)) GTEST_SKIP() << "no mount namespace may be made here: " << ran.err;
  EXPECT_EQ(ran.out, "1\n") << ran.err;
  EXPECT_EQ(ran.err, "envdoctor: no GPU can be had: this host has no GPU node in /dev. sh was not started.\n");
}

TEST_F(WithoutGpu, ANumberThatNoGpuHasIsAnErrorAtOnce) {
  const Ran ran = run_here("--device gpu:1 -- sh -c 'echo trained'");
  if (refused(ran)) GTEST_SKIP() << "no mount namespace may be made here: " << ran.err;
  EXPECT_EQ(ran.out, "2\n") << ran.err;
  EXPECT_NE(ran.err.find("--device gpu:1: this host has no GPU node"), ran.err.npos) << ran.err;
}

TEST_F(WithoutGpu, OnTheCpuIsAsAsked) {
  const Ran ran = run_here("--device cpu -- sh -c 'exit 4'");
  if (refused(ran)) GTEST_SKIP() << "no mount namespace may be made here: " << ran.err;
  EXPECT_EQ(ran.out, "4\n") << ran.err;
  EXPECT_EQ(ran.err, "envdoctor: ran on the CPU, as asked\n");
}

TEST_F(InNamespaces, WatchTellsHowItGoesOnAndWhereTheTimeWent) {
  const Ran ran = run_there("-m", "--watch 1", uses_gpu);
  if (refused(ran)) GTEST_SKIP() << "no mount namespace may be made here: " << ran.err;
  // The share is of the time between two looks, which a busy machine rounds otherwise.
  EXPECT_THAT(ran.err, testing::ContainsRegex("envdoctor: 2 s: GPU busy 8[0-9] %, 5.1 GiB; not input-bound\n"));
  EXPECT_NE(ran.err.find("envdoctor: GPU busy "), ran.err.npos) << ran.err;
  EXPECT_EQ(ran.out, "5\n");
}

TEST_F(InNamespaces, WatchTellsThatTheGpuWaitsForTheCpu) {
  const Ran ran = run_there("-m", "--watch 1",
                            "exec 3<>/dev/nvidia0 4<>/dev/nvidia-uvm\necho 0 $$ 5222 12 >$FAKE_NVML_PROCESSES\n"
                            "end=$(($(date +%s) + 5)); while [ $(date +%s) -lt $end ]; do i=0; "
                            "while [ $i -lt 20000 ]; do i=$((i + 1)); done; done\n");
  if (refused(ran)) GTEST_SKIP() << "no mount namespace may be made here: " << ran.err;
  EXPECT_NE(ran.err.find("input-bound: the GPU waits for the CPU"), ran.err.npos) << ran.err;
  EXPECT_NE(ran.err.find("waiting for the CPU's part (input) "), ran.err.npos) << ran.err;
}

// Root may read every process; a service user may not.
TEST(Pid, ThatMayNotBeReadIsUnknown) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
  const Ran ran = run_envdoctor("pid --seconds 0.6 $other",
                                "sleep 20 & other=$!; setpriv --reuid 65534 --regid 65534 --clear-groups");
  EXPECT_EQ(ran.status, 3) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("looked into: /proc/"), ran.out.npos) << ran.out;
  EXPECT_NE(ran.out.find("Open GPU device nodes\n  unknown"), ran.out.npos) << ran.out;
}

TEST(Pid, TellsOfARunningProcess) {
  const Ran ran = run_envdoctor("pid --seconds 0.6 $$", "true;");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("Open GPU device nodes"), std::string::npos) << ran.out;
  EXPECT_EQ(run_envdoctor("pid 999999999").status, 2);
  EXPECT_EQ(run_envdoctor("pid word").status, 2);
}

TEST(Pid, StopsWhenItsInputEndsAndTellsTheVerdictInJson) {
  const auto start = std::chrono::steady_clock::now();
  const Ran ran = run_envdoctor("pid --seconds 60 --until-input-ends --format json $$", "sleep 0.7 |");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_NE(ran.out.find("\"use\": "), std::string::npos) << ran.out;
}

// Who asks for itself has started the program: what the program opens in order to look is not its own.
TEST(Pid, LeavesItselfOutOfWhoeverStartedIt) {
  const Ran ran = run_envdoctor("pid --seconds 0.6 --format json $$", "true;");
  EXPECT_NE(ran.out.find("\"processes\": 1"), std::string::npos) << ran.out;
}

// Another user's process: its names are withheld as our own are.
TEST(Pid, WithholdsWhoseProcessItIs) {
  const Ran ran = run_envdoctor("pid --seconds 0.3 --format json $!",
                                "env USER=carolcanary HOME=/srv/carolcanary CUDA_CACHE_PATH=/srv/carolcanary/cache "
                                "CUDA_VISIBLE_DEVICES=0 sleep 5 & sleep 0.5;");  // until it has become that program
  EXPECT_NE(ran.out.find("CUDA_VISIBLE_DEVICES"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("carolcanary"), std::string::npos) << ran.out;
}

TEST(Explain, HasTopicsAndSuggestsThem) {
  const Ran ran = run_envdoctor("explain force-cpu");
  EXPECT_EQ(ran.status, 0);
  EXPECT_TRUE(ran.out.starts_with("Force the CPU\n")) << ran.out;
  const Ran typo = run_envdoctor("explain force-cp");
  EXPECT_EQ(typo.status, 2);
  EXPECT_NE(typo.err.find("did you mean 'force-cpu'"), std::string::npos) << typo.err;
  EXPECT_EQ(run_envdoctor("explain script_reader").status, 2);
}

}  // namespace
}  // namespace envdoctor::run_test
