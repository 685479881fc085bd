#include "host/process/subprocess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "host/process/shared_count.h"
#include "tests/support/sanitized.h"

namespace envdoctor::subprocess_test {
namespace {

using How = Ended::How;
using testing::HasSubstr;
using testing::StartsWith;

constexpr Milliseconds plenty{20'000};
constexpr Limits quick{.time = Milliseconds(sanitized ? 1000 : 500), .memory_mib = 1024};

Milliseconds since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - start);
}

Ended run_one(Limits limits, SubprocessGroup::Work work) {
  SubprocessGroup group;
  Ended result{.why = "never called"};
  int calls = 0;
  group.start("one", limits, std::move(work), [&](const Ended& end) {
    result = end;
    ++calls;
  });
  group.run(plenty);
  EXPECT_EQ(calls, 1);
  return result;
}

Ended exec_one(Limits limits, std::vector<std::string> argv, std::vector<std::string> env = {}) {
  SubprocessGroup group;
  Ended result{.why = "never called"};
  group.exec("program", limits, std::move(argv), std::move(env), [&](const Ended& end) { result = end; });
  group.run(plenty);
  return result;
}

[[noreturn]] void sleep_for_ever() {
  for (;;) pause();
}

bool group_lives(pid_t leader) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::string line;
    std::getline(std::ifstream(entry.path() / "stat"), line);
    char state = 0;
    int parent = 0;
    int group = 0;
    const auto name_end = line.rfind(')');
    if (name_end == std::string::npos) continue;
    if (std::sscanf(line.c_str() + name_end + 1, " %c %d %d", &state, &parent, &group) != 3) continue;
    if (group == leader && state != 'Z' && state != 'X') return true;
  }
  return false;
}

// A killed orphan may remain a zombie until init takes notice; that counts as gone.
bool group_is_gone(pid_t leader) {
  for (int i = 0; i < 100 && group_lives(leader); ++i) usleep(10'000);
  return !group_lives(leader);
}

TEST(SubprocessGroup, HandsOnAnAnswer) {
  const Ended end = run_one({}, [](const Channel& channel) {
    channel.step("a step");
    channel.answer(std::string("an\0swer", 7));
  });
  EXPECT_EQ(end.how, How::answered);
  EXPECT_EQ(end.answer, std::string("an\0swer", 7));
  EXPECT_EQ(end.step, "a step");
  EXPECT_EQ(end.why, "");
  EXPECT_EQ(end.status, 0);
}

TEST(SubprocessGroup, TakesAnswersFarLongerThanAPipeHolds) {
  const std::string huge(10u << 20, 'x');
  const Ended end = run_one({}, [&](const Channel& channel) { channel.answer(huge); });
  EXPECT_EQ(end.how, How::answered);
  EXPECT_TRUE(end.answer == huge);
}

TEST(SubprocessGroup, LetsTheLastAnswerCount) {
  const Ended end = run_one({}, [](const Channel& channel) {
    channel.answer("first");
    channel.answer("");
  });
  EXPECT_EQ(end.how, How::answered);
  EXPECT_EQ(end.answer, "");
}

struct Hostile {
  const char* name = "";
  How how = How::answered;
  const char* why = "";  // contained in it
  void (*work)(const Channel&) = nullptr;
};

const Hostile hostile[] = {
    {"aborts", How::crashed, "SIGABRT in clGetPlatformIDs", [](const Channel&) { abort(); }},
    {"segfaults", How::crashed, "SIGSEGV in clGetPlatformIDs", [](const Channel&) { raise(SIGSEGV); }},
    {"calls exit(0)", How::exited, "status 0 without an answer", [](const Channel&) { _exit(0); }},
    {"calls exit(3)", How::exited, "status 3 without an answer", [](const Channel&) { _exit(3); }},
    {"returns silently", How::exited, "without an answer", [](const Channel&) {}},
    {"throws", How::exited, "exception: nonsense", [](const Channel&) { throw std::runtime_error("nonsense"); }},
    {"throws no exception class", How::exited, "exception", [](const Channel&) { throw 7; }},
    {"hangs", How::timed_out,
     sanitized ? "no answer within 1 s in clGetPlatformIDs" : "no answer within 0.5 s in clGetPlatformIDs",
     [](const Channel&) { sleep_for_ever(); }},
    {"loops", How::timed_out, "no answer within",
     [](const Channel&) {
       volatile bool on = true;
       while (on) {
       }
     }},
    {"hangs and ignores SIGTERM", How::timed_out, "no answer within",
     [](const Channel&) {
       signal(SIGTERM, SIG_IGN);
       sleep_for_ever();
     }},
    {"stops itself", How::timed_out, "no answer within", [](const Channel&) { raise(SIGSTOP); }},
    {"leaves its group and hangs", How::timed_out, "no answer within",
     [](const Channel&) {
       setsid();
       sleep_for_ever();
     }},
    {"says garbage", How::malformed, "malformed",
     [](const Channel&) {
       for (int number = 3; number < 64; ++number) {
         [[maybe_unused]] const auto n = write(number, "\1\2\3\0garbage", 11);
       }
       sleep_for_ever();
     }},
    {"announces 4 GiB", How::malformed, "longer than 64 MiB",
     [](const Channel&) {
       for (int number = 3; number < 64; ++number) {
         [[maybe_unused]] const auto n = write(number,
                                               "\xff\xff\xff\xff"
                                               "a",
                                               5);
       }
     }},
    {"breaks off its answer", How::malformed, "cut short",
     [](const Channel&) {
       for (int number = 3; number < 64; ++number) {
         [[maybe_unused]] const auto n = write(number,
                                               "\x09\0\0\0"
                                               "ashort",
                                               11);
       }
     }},
};

// What this machine needs at the moment for as many children that do nothing.
Milliseconds cost_of_children(std::size_t count) {
  const auto start = std::chrono::steady_clock::now();
  SubprocessGroup group;
  for (std::size_t i = 0; i < count; ++i)
    group.start("idle", {}, [](const Channel& channel) { channel.answer(""); }, {});
  group.run(plenty);
  return since(start);
}

TEST(SubprocessGroup, SurvivesHostileChildrenEveryTime) {
  constexpr int rounds = 20;
  int late = 0;
  for (int round = 0; round < rounds; ++round) {
    const Milliseconds allowed = quick.time + Milliseconds(500) + 2 * cost_of_children(std::size(hostile) + 1);
    // All side by side, beside a healthy one: the run lasts as long as the slowest, plus TERM and KILL.
    SubprocessGroup group;
    const auto start = std::chrono::steady_clock::now();
    std::size_t ended = 0;
    for (const Hostile& one : hostile) {
      const auto work = [&one](const Channel& channel) {
        channel.step("clGetPlatformIDs");
        one.work(channel);
      };
      // Who ends or talks nonsense is found out by that, however late a busy machine lets it begin.
      const Limits limits = one.how == How::timed_out ? quick : Limits{.time = plenty, .memory_mib = quick.memory_mib};
      group.start(one.name, limits, work, [&](const Ended& end) {
        ++ended;
        EXPECT_EQ(end.how, one.how) << one.name << ": " << end.why;
        EXPECT_THAT(end.why, HasSubstr(one.why)) << one.name;
      });
    }
    std::string answer;
    group.start(
        "healthy", {}, [](const Channel& channel) { channel.answer("fine"); },
        [&](const Ended& end) { answer = end.answer; });
    group.run(plenty);
    EXPECT_EQ(ended, std::size(hostile));
    EXPECT_EQ(answer, "fine");
    if (since(start) > allowed) ++late;
    if (HasFailure()) return;
  }
  EXPECT_LE(late, rounds / 4)
      << "rounds that took longer than the limit plus half a second; a busy machine may cause some";
}

TEST(SubprocessGroup, KeepsOnlyTheTailOfWhatAChildPrints) {
  const Ended end = run_one({}, [](const Channel& channel) {
    const std::string block(1u << 20, '.');
    for (int i = 0; i < 50; ++i) {
      [[maybe_unused]] auto n = write(1, block.data(), block.size());
      n = write(2, block.data(), block.size());
    }
    printf("the end\n");  // in a stdio buffer until the child ends
    channel.answer("done");
  });
  EXPECT_EQ(end.how, How::answered);
  EXPECT_LE(end.printed.size(), 4096U);
  EXPECT_THAT(end.printed, testing::EndsWith("the end\n"));
}

TEST(SubprocessGroup, EndsAChildThatEatsMemory) {
  const auto start = std::chrono::steady_clock::now();
  const Ended end = run_one({.time = plenty, .memory_mib = 256}, [](const Channel& channel) {
    channel.step("cuInit");
    for (;;) {
      constexpr std::size_t size = 1u << 20;
      volatile char* block = static_cast<char*>(malloc(size));
      for (std::size_t i = 0; i < size; i += 1024) block[i] = 1;
      usleep(300);
    }
  });
  EXPECT_EQ(end.how, How::out_of_memory);
  EXPECT_THAT(end.why, StartsWith("took more than 256 MiB of memory in cuInit"));
  EXPECT_LE(since(start), Milliseconds(15'000));
}

TEST(SubprocessGroup, IsNotDelayedByAGrandchildThatHoldsThePipes) {
  for (int round = 0; round < 20; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const Ended end = run_one({}, [](const Channel& channel) {
      if (fork() == 0) sleep_for_ever();
      channel.answer(std::to_string(getpid()));
    });
    EXPECT_EQ(end.how, How::answered);
    EXPECT_EQ(end.why, "");
    EXPECT_LE(since(start), Milliseconds(4000));
    EXPECT_TRUE(group_is_gone(std::stoi(end.answer))) << "the grandchild lives on";
    if (HasFailure()) return;
  }
}

TEST(SubprocessGroup, CountsAnAnswerThatIsFollowedByAHang) {
  const auto start = std::chrono::steady_clock::now();
  const Ended end = run_one({}, [](const Channel& channel) {
    channel.answer("all there is");
    sleep_for_ever();
  });
  EXPECT_EQ(end.how, How::answered);
  EXPECT_EQ(end.answer, "all there is");
  EXPECT_THAT(end.why, HasSubstr("did not exit"));
  EXPECT_LE(since(start), Milliseconds(4000));
}

TEST(SubprocessGroup, CountsAnAnswerThatIsFollowedByACrash) {
  const Ended end = run_one({}, [](const Channel& channel) {
    channel.answer("all there is");
    abort();
  });
  EXPECT_EQ(end.how, How::answered);
  EXPECT_EQ(end.answer, "all there is");
  EXPECT_THAT(end.why, StartsWith("answered, then ended by SIGABRT"));
}

TEST(SubprocessGroup, TakesAStepAfterAnAnswerAsMoreToCome) {
  const Ended end = run_one({}, [](const Channel& channel) {
    channel.answer("the first half");
    channel.step("clBuildProgram");
    abort();
  });
  EXPECT_EQ(end.how, How::crashed);
  EXPECT_EQ(end.why, "ended by SIGABRT in clBuildProgram");
  EXPECT_EQ(end.answer, "the first half");
}

TEST(SubprocessGroup, LastsAsLongAsTheSlowestChild) {
  SubprocessGroup group;
  int ended = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 10; ++i) {
    group.start(
        "sleeper", {},
        [](const Channel& channel) {
          usleep(500'000);
          channel.answer("");
        },
        [&](const Ended& end) { ended += end.how == How::answered ? 1 : 0; });
  }
  group.run(plenty);
  EXPECT_EQ(ended, 10);
  EXPECT_GE(since(start), Milliseconds(500));
  EXPECT_LE(since(start), Milliseconds(4500));  // one after the other: 5000
}

TEST(SubprocessGroup, MayBeGivenMoreWorkByAChildThatEnded) {
  SubprocessGroup group;
  std::vector<std::string> answers;
  std::function<void(const Ended&)> next = [&](const Ended& end) {
    answers.push_back(end.answer);
    if (answers.size() == 4) return;
    group.start(
        "next", {}, [&](const Channel& channel) { channel.answer(end.answer + "+"); }, next);
  };
  group.start(
      "first", {}, [](const Channel& channel) { channel.answer("1"); }, next);
  group.run(plenty);
  EXPECT_THAT(answers, testing::ElementsAre("1", "1+", "1++", "1+++"));
}

TEST(SubprocessGroup, EndsAllWhenTheWholeTimeIsUpAndSaysWhoStillRuns) {
  SubprocessGroup group;
  std::vector<std::string> whys;
  std::vector<std::string> running;
  for (const char* name : {"one", "two"}) {
    group.start(
        name, {}, [](const Channel&) { sleep_for_ever(); },
        [&](const Ended& end) {
          EXPECT_EQ(end.how, How::timed_out);
          whys.push_back(end.why);
        });
  }
  const auto start = std::chrono::steady_clock::now();
  group.run(Milliseconds(300), [&](const std::vector<std::string>& names) { running = names; });
  EXPECT_LE(since(start), Milliseconds(4000));
  EXPECT_EQ(whys.size(), 2U);
  EXPECT_THAT(whys[0], HasSubstr("the whole run"));
  EXPECT_THAT(running, testing::ElementsAre("one", "two"));
}

TEST(SubprocessGroup, LeavesNoChildBehindWhenInterrupted) {
  const std::string file = testing::TempDir() + "/apart_pid." + std::to_string(getpid());
  const pid_t parent = fork();
  if (parent == 0) {
    SubprocessGroup group;
    group.start("sleeper", {},
                [&](const Channel&) {
                  if (fork() == 0) sleep_for_ever();
                  std::ofstream(file + ".new") << getpid();
                  rename((file + ".new").c_str(), file.c_str());
                  sleep_for_ever();
                },
                {});
    group.run(plenty);
    _exit(0);
  }
  pid_t leader = 0;
  for (int i = 0; i < 500 && leader == 0; ++i) {
    usleep(10'000);
    std::ifstream(file) >> leader;
  }
  ASSERT_GT(leader, 0);
  kill(parent, SIGINT);
  int status = 0;
  ASSERT_EQ(waitpid(parent, &status, 0), parent);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
  EXPECT_TRUE(group_is_gone(leader));
  unlink(file.c_str());
}

TEST(SubprocessGroup, GivesAChildNoInputAndNoCoreFile) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "typed", 5), 5);
  close(ends[1]);
  const int input = dup(0);
  dup2(ends[0], 0);
  const Ended end =
      exec_one({}, {"/bin/sh", "-c", "cat; ulimit -Sc; echo $NAME >&2"}, {"NAME=value", "PATH=/bin:/usr/bin"});
  dup2(input, 0);
  close(input);
  close(ends[0]);
  EXPECT_EQ(end.how, How::answered);
  EXPECT_EQ(end.answer, "0\n");  // 1 byte, in the blocks of 512 that the shell counts
  EXPECT_EQ(end.printed, "value\n");
}

struct Shared {
  SharedCount loads{}, works{};
  std::vector<Ended> ended{};

  void run(std::function<void()> load, std::vector<SubprocessGroup::Work> works_done, Limits limits = {}) {
    SubprocessGroup group;
    std::vector<SubprocessGroup::Member> members;
    for (SubprocessGroup::Work& work : works_done)
      members.push_back({"member", limits, std::move(work), [this](const Ended& end) { ended.push_back(end); }});
    group.start_sharing(std::move(load), std::move(members));
    group.run(plenty);
  }
};

TEST(SubprocessSharing, LoadsOnceForAllAndHearsEachOfThem) {
  Shared shared;
  const pid_t own = getpid();
  const auto work = [&](const Channel& channel) {
    shared.works.add();
    channel.answer(getppid() == own && getpgrp() == getpid() ? "ours" : "not ours");
  };
  shared.run([&] { shared.loads.add(); }, {work, work, work});
  EXPECT_EQ(shared.loads.value(), 1);
  EXPECT_EQ(shared.works.value(), 3);
  ASSERT_EQ(shared.ended.size(), 3U);
  for (const Ended& end : shared.ended) EXPECT_EQ(end.answer, "ours") << end.why;
}

TEST(SubprocessSharing, BlamesOnlyTheMemberThatCameToGrief) {
  Shared shared;
  const auto crash = [](const Channel& channel) {
    channel.step("the step");
    abort();
  };
  shared.run([] {}, {crash, [](const Channel& channel) { channel.answer("well"); }});
  ASSERT_EQ(shared.ended.size(), 2U);
  std::ranges::sort(shared.ended, {}, &Ended::answer);
  EXPECT_EQ(shared.ended[0].how, How::crashed);
  EXPECT_EQ(shared.ended[0].step, "the step");
  EXPECT_EQ(shared.ended[1].answer, "well");
}

TEST(SubprocessSharing, DoesWithoutWhatCannotBeShared) {
  for (const auto& load : {std::function<void()>([] { abort(); }), std::function<void()>(sleep_for_ever),
                           std::function<void()>([] { throw std::runtime_error("no"); })}) {
    Shared shared;
    const auto work = [&](const Channel& channel) {
      shared.works.add();
      channel.answer("well");
    };
    shared.run(load, {work, work});
    EXPECT_EQ(shared.works.value(), 2);
    ASSERT_EQ(shared.ended.size(), 2U);
    for (const Ended& end : shared.ended) EXPECT_EQ(end.answer, "well");
  }
}

TEST(SubprocessSharing, EndsAMemberPastItsLimit) {
  Shared shared;
  const auto hang = [](const Channel&) { sleep_for_ever(); };
  shared.run([] {}, {hang, hang}, quick);
  ASSERT_EQ(shared.ended.size(), 2U);
  for (const Ended& end : shared.ended) EXPECT_EQ(end.how, How::timed_out);
}

TEST(SubprocessExec, SaysThatAProgramIsNotThere) {
  const Ended end = exec_one({}, {"no-such-program-of-envdoctor"});
  EXPECT_EQ(end.how, How::exited);
  EXPECT_EQ(end.status, 127);
  EXPECT_EQ(end.why, "no-such-program-of-envdoctor cannot be started: No such file or directory");
}

TEST(SubprocessExec, TellsAStatusOtherThanZeroAndKeepsTheOutput) {
  const Ended end = exec_one({}, {"sh", "-c", "echo out; echo err >&2; exit 9"});
  EXPECT_EQ(end.how, How::exited);
  EXPECT_EQ(end.status, 9);
  EXPECT_EQ(end.why, "exited with status 9");
  EXPECT_EQ(end.answer, "out\n");
  EXPECT_EQ(end.printed, "err\n");
}

TEST(SubprocessExec, EndsAProgramPastItsLimitWithItsGrandchildren) {
  const auto start = std::chrono::steady_clock::now();
  const Ended end = exec_one(quick, {"sh", "-c", "echo $$; sleep 100 & sleep 100; true"});
  EXPECT_EQ(end.how, How::timed_out);
  EXPECT_EQ(end.why, sanitized ? "no end within 1 s" : "no end within 0.5 s");
  EXPECT_LE(since(start), Milliseconds(4000));
  EXPECT_TRUE(group_is_gone(std::stoi(end.answer)));
}

TEST(SubprocessExec, TakesLargeOutputAndRefusesEndlessOutput) {
  const Ended large = exec_one({}, {"head", "-c", "10000000", "/dev/zero"});
  EXPECT_EQ(large.how, How::answered);
  EXPECT_EQ(large.answer.size(), 10'000'000U);
  const Ended endless = exec_one({}, {"cat", "/dev/zero"});
  EXPECT_EQ(endless.how, How::malformed);
  EXPECT_EQ(endless.why, "more than 16 MiB of output");
  EXPECT_EQ(endless.answer.size(), 16u << 20);
}

Ended ask_one(Limits limits, const std::string& script) {
  SubprocessGroup group;
  Ended result{.why = "never called"};
  group.exec_framed("program", limits, {"/bin/sh", "-c", script}, {"PATH=/bin:/usr/bin"},
                    [&](const Ended& end) { result = end; });
  group.run(plenty);
  return result;
}

TEST(SubprocessExecFramed, TakesAnswersFromDescriptor3AndKeepsWhatIsPrinted) {
  const Ended end = ask_one({}, R"(echo out; printf '\005\000\000\000ahello' >&3; echo err >&2)");
  EXPECT_EQ(end.how, How::answered);
  EXPECT_EQ(end.answer, "hello");
  EXPECT_EQ(end.printed, "out\nerr\n");
}

TEST(SubprocessExecFramed, BlamesTheStepThatAProgramDiedIn) {
  const Ended end = ask_one({}, R"(printf '\004\000\000\000swork' >&3; kill -ILL $$)");
  EXPECT_EQ(end.how, How::crashed);
  EXPECT_EQ(end.why, "ended by SIGILL in work");
}

TEST(SubprocessExecFramed, KeepsAsMuchOfTheEndAsItIsTold) {
  const Limits limits{.printed_bytes = 10};
  EXPECT_EQ(ask_one(limits, "seq 1 1000 >&2; exit 1").printed, "\n999\n1000\n");
}

// "ready", then the frame that says that the process leaves.
const std::string says_that_it_leaves = R"(printf '\005\000\000\000aready\000\000\000\000e' >&3;)";

TEST(SubprocessExecFramed, IsEndedAndNotWaitedForOnceItSaysThatItLeaves) {
  const Ended end = ask_one({}, says_that_it_leaves + " exec sleep 100");
  EXPECT_EQ(end.how, How::answered);
  EXPECT_EQ(end.answer, "ready");
  EXPECT_EQ(end.why, "");
  EXPECT_LT(end.duration, Milliseconds(50'000));
}

TEST(SubprocessExecFramed, IsWaitedForWhileItHasAChild) {
  const Ended end = ask_one({}, "sleep 100 & " + says_that_it_leaves + " wait");
  EXPECT_EQ(end.how, How::answered);
  EXPECT_THAT(end.why, HasSubstr("did not exit"));
}

}  // namespace
}  // namespace envdoctor::subprocess_test
