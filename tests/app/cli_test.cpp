#include <gmock/gmock.h>

#include <filesystem>

#include "tests/support/golden.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace envdoctor::cli_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::string examples = std::string(source_folder) + "/docs/examples/";

TEST(CommandLine, PrintsItsVersionAndHelp) {
  EXPECT_THAT(run_envdoctor("--version").out, StartsWith("envdoctor 0."));
  EXPECT_THAT(run_envdoctor("--version").out, HasSubstr("built with "));
  const Ran help = run_envdoctor("--help");
  EXPECT_EQ(help.status, 0);
  std::istringstream lines(help.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(CommandLine, SaysThatAGuessByWordsIsOneAndOfWhichText) {
  const std::string report =
      "echo 'docker compose up: the container with runtime nvidia does not start; daemon.json has only runc, '"
      "'nvidia-container-toolkit was never configured' |";
  const Ran ran = run_envdoctor("diagnose --log -", report);
  EXPECT_THAT(ran.out, HasSubstr("visibility.container-toolkit-missing, host, possible"));
  EXPECT_THAT(ran.out, HasSubstr("If that is right"));
  EXPECT_THAT(ran.out, HasSubstr("stdin /texts/0/resembles = "));
  EXPECT_EQ(ran.status, 3);
}

TEST(CommandLine, HelpHasEightyColumns) {
  int commands = 0;
  std::istringstream program(run_envdoctor("--help | sed -n '/^Subcommands/,/^$/p'").out);
  for (std::string line; std::getline(program, line);) {
    if (!line.starts_with("  ") || line[2] == ' ') continue;
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    std::istringstream help(run_envdoctor(name + " --help").out);
    for (std::string row; std::getline(help, row);) EXPECT_LE(row.size(), 80U) << name << ": " << row;
    ++commands;
  }
  EXPECT_GT(commands, 10);
}

TEST(CommandLine, ATypoIsAnErrorThatNamesTheNearestWord) {
  const Ran ran = run_envdoctor("captrue");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("did you mean 'capture'?"));
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_THAT(run_envdoctor("--only drivr").err, HasSubstr("did you mean 'driver'?"));
  EXPECT_EQ(run_envdoctor("--skip nonsense").status, 2);
  EXPECT_EQ(run_envdoctor("--no-such-option").status, 2);
  EXPECT_EQ(run_envdoctor("--expect gpus=many").status, 2);
  EXPECT_EQ(run_envdoctor("show nothing").status, 2);
  EXPECT_EQ(run_envdoctor("explain no.such-id").status, 2);
  EXPECT_EQ(run_envdoctor("diagnose").status, 2);
}

TEST(CommandLine, APythonThatIsNotThereIsAnErrorThatSaysSo) {
  const Ran ran = run_envdoctor("show python --quick --python no-such-environment");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("--python no-such-environment: no interpreter"));
  EXPECT_EQ(run_envdoctor("show python --quick --python /nowhere/at/all").status, 2);
}

TEST(Diagnose, ExitStatusIsTheVerdict) {
  EXPECT_EQ(run_envdoctor("diagnose " + examples + "healthy.json").status, 0);
  EXPECT_EQ(run_envdoctor("diagnose " + examples + "no-gpu.json").status, 1);
  EXPECT_EQ(run_envdoctor("diagnose " + examples + "no-gpu.json --expect gpus=0").status, 0);
  EXPECT_EQ(run_envdoctor("diagnose " + examples + "no-gpu.json --fail-on never").status, 0);
  const std::string empty = write_file_here("empty.json", R"({"schema": "envdoctor.snapshot/1"})");
  EXPECT_EQ(run_envdoctor("diagnose " + empty).status, 3);
}

TEST(Diagnose, TakesStandardInputAndReports) {
  const Ran from_file = run_envdoctor("diagnose " + examples + "no-gpu.json --format json");
  const Ran from_pipe = run_envdoctor("diagnose - --format json", "cat " + examples + "no-gpu.json |");
  EXPECT_EQ(from_file.out, from_pipe.out);
  const std::string report = write_file_here("report.json", from_file.out);
  EXPECT_EQ(run_envdoctor("diagnose " + report + " --format json").out, from_file.out);
}

TEST(Diagnose, KeepsTheReportsOfAllSnapshotsInOneFile) {
  const std::string both = "diagnose " + examples + "no-gpu.json " + examples + "healthy.json ";
  const std::string out = test_folder() + "/all.json", text = test_folder() + "/all.txt";
  EXPECT_EQ(run_envdoctor(both + "-o " + out + " -o " + text).status, 1);
  EXPECT_EQ(run_envdoctor(both + "--format json").out, read_whole(out));
  const std::string first = run_envdoctor("diagnose " + examples + "no-gpu.json --format json").out;
  const std::string second = run_envdoctor("diagnose " + examples + "healthy.json --format json").out;
  EXPECT_EQ(read_whole(out), "[\n" + first + ",\n" + second + "]\n");
  EXPECT_THAT(read_whole(text), HasSubstr("healthy.json\n\nPASS"));
  EXPECT_THAT(read_whole(text), HasSubstr("no-gpu.json\n\nFAIL"));
}

TEST(Diagnose, WritesOneFileForEachSnapshotWhereItsNameIsAskedFor) {
  const std::string both = "diagnose " + examples + "no-gpu.json " + examples + "healthy.json ";
  const Ran ran = run_envdoctor(both + "-o " + test_folder() + "/all.xml");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("-o junit=report-{}.xml"));
  EXPECT_FALSE(std::filesystem::exists(test_folder() + "/all.xml"));
  EXPECT_EQ(run_envdoctor(both + "--format html").status, 2);
  EXPECT_EQ(run_envdoctor(both + "-o " + test_folder() + "/r-{}.xml").status, 1);
  for (const char* name : {"no-gpu", "healthy"}) {
    const std::string alone = run_envdoctor("diagnose " + examples + name + ".json --format junit").out;
    EXPECT_EQ(read_whole(test_folder() + "/r-" + name + ".xml"), alone);
  }
  EXPECT_EQ(run_envdoctor("diagnose " + examples + "healthy.json " + examples + "healthy.json -o 'r-{}.md'").status, 2);
}

TEST(Diagnose, WritesSeveralReportsInOneRun) {
  const std::string folder = test_folder();
  const Ran ran =
      run_envdoctor("diagnose " + examples + "healthy.json -o json=" + folder + "/r -o " + folder + "/r.txt");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_THAT(read_whole(folder + "/r"), StartsWith("{"));
  EXPECT_THAT(read_whole(folder + "/r.txt"), StartsWith("PASS"));
  EXPECT_EQ(run_envdoctor("diagnose " + examples + "healthy.json -o /no/such/folder/r").status, 2);
}

// A report with the words of before 2026-11-22: `ladders` with `rungs`, checks that are `sound` or `found`.
std::string old_report(const std::string& example) {
  return R"({"schema": "envdoctor.report/1", "verdict": "fail", "ladders": [{"subject": "gpu:0000:65:00.0", "stack": "cuda",
    "rungs": [{"rung": "hardware", "state": "holds", "why": ""}], "first_broken": "runtime"}],
    "checks": [{"id": "hardware.no-gpu", "state": "sound"}, {"id": "driver.missing", "state": "found"}],
    "findings": [{"id": "driver.missing", "severity": "error", "rung": "kernel-driver", "root": true}],
    "snapshot": )" +
         read_whole(examples + example) + "}";
}

TEST(OldReports, AreReadForTheirSnapshot) {
  const std::string old = write_file_here("old.json", old_report("healthy.json"));
  const std::string snapshot = examples + "healthy.json";
  EXPECT_EQ(run_envdoctor("diagnose " + old + " --format json").out,
            run_envdoctor("diagnose " + snapshot + " --format json").out);
  const Ran compared = run_envdoctor("compare " + old + " " + snapshot);
  EXPECT_EQ(compared.status, 0);
  EXPECT_THAT(compared.out, HasSubstr("No known difference."));
}

TEST(OldReports, CountInAFleet) {
  const Ran ran = run_envdoctor("fleet " + write_file_here("old.json", old_report("healthy.json")) + " --format json");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("\"root\": \"driver.missing\""));
  EXPECT_THAT(ran.out, HasSubstr("\"damaged\": []"));
}

struct BadInput {
  const char* name;
  std::string content;
  const char* complaint;
};

TEST(Diagnose, RefusesBadInputNamingFileAndPlace) {
  const std::string whole = read_whole(examples + "healthy.json");
  const std::vector<BadInput> inputs = {
      {"truncated.json", whole.substr(0, whole.size() / 2), "parse error at line"},
      {"empty.json", "", "parse error"},
      {"binary.json",
       std::string("\x7f"
                   "ELF\0\xff\xfe",
                   7),
       "parse error"},
      {"deep.json", std::string(200000, '['), "nested deeper"},
      {"other.json", R"({"schema": "other/9"})", "/schema"},
      {"wrong.json", R"({"schema": "envdoctor.snapshot/1", "pci": [{"address": 7}]})",
       "/pci/0/address: a text expected"},
      {"old-log.json", R"({"schema": "envdoctor.snapshot/1", "log": [{"event": "cuda.no-device", "line": 3}]})",
       "at /log/0: the log is in the form of before 2026-11-22"},
      {"old-report.json",
       R"({"schema": "envdoctor.report/1", "ladders": [],
           "snapshot": {"schema": "envdoctor.snapshot/1", "log": [{"event": "cuda.no-device"}]}})",
       "at /snapshot/log/0: the log is in the form of before 2026-11-22"},
      {"huge.json", "[" + std::string(70 << 20, ' ') + "]", "larger than"},
  };
  for (const BadInput& input : inputs) {
    const Ran ran = run_envdoctor("diagnose " + write_file_here(input.name, input.content));
    EXPECT_EQ(ran.status, 2) << input.name;
    EXPECT_THAT(ran.err, HasSubstr(input.name));
    EXPECT_THAT(ran.err, HasSubstr(input.complaint));
    EXPECT_THAT(ran.out, IsEmpty());
  }
  EXPECT_EQ(run_envdoctor("diagnose /no/such/file.json").status, 2);
  EXPECT_EQ(run_envdoctor("diagnose /").status, 2);
}

TEST(Knowledge, RefusesALogPatternThatCouldNeverBeFound) {
  write_file_here("late.log", "word1s\n");
  for (const char* pattern : {"broken (", "ab[0-9]", "words|\\\\p{Greek}"}) {
    const std::string file = write_file_here(
        "wordings.json",
        std::string(
            R"({"reports": [], "patterns": [{"id": "a", "class": "missing", "subject": "device", "pattern": ")") +
            pattern + "\"}]}");
    const std::string folder = file.substr(0, file.rfind('/'));
    const Ran ran = run_envdoctor("diagnose --knowledge " + folder + " --log " + folder + "/late.log");
    EXPECT_EQ(ran.status, 2) << pattern;
    EXPECT_THAT(ran.err, HasSubstr("wordings.json: at /patterns/0/pattern: an RE2 expression"));
  }
}

// What a command prints is what it writes to a file.
TEST(CommandLine, TakesAFileForWhateverIsNoReport) {
  const std::string file = testing::TempDir() + "out.txt", pair = examples + "healthy.json " + examples + "no-gpu.json";
  for (const std::string& command :
       {"compare " + pair, "visible " + examples + "healthy.json", "expect --learn " + examples + "healthy.json",
        "fleet " + examples, std::string("list"), std::string("explain force-cpu"),
        std::string("explain hardware.no-gpu")}) {
    std::filesystem::remove(file);
    const Ran printed = run_envdoctor(command), written = run_envdoctor(command + " -o " + file);
    EXPECT_THAT(printed.out, Not(IsEmpty())) << command;
    EXPECT_THAT(written.out, IsEmpty()) << command;
    EXPECT_EQ(read_whole(file), printed.out) << command;
    EXPECT_EQ(written.status, printed.status) << command;
  }
}

TEST(CommandLine, ATypoInAFormatOrAnExpectationIsNoFileAndNoKernel) {
  EXPECT_THAT(run_envdoctor("--quick -o jnuit=/dev/null").err, HasSubstr("did you mean 'junit'?"));
  EXPECT_EQ(run_envdoctor("--quick -o jnuit=/dev/null").status, 2);
  EXPECT_THAT(run_envdoctor("--quick -o junit=/nowhere/at/all.xml").err,
              HasSubstr("folder /nowhere/at does not exist"));
  EXPECT_THAT(run_envdoctor("--quick --expect traid.min=0.8peak").err, HasSubstr("did you mean 'triad'?"));
  const std::string healthy = "diagnose " + examples + "healthy.json --expect ";
  EXPECT_EQ(run_envdoctor(healthy + "copy-in.min=1GB/s").status, 1) << "not timed, so not met";
}

TEST(CommandLine, ALogInPlaceOfASnapshotIsToldWhereItGoes) {
  EXPECT_THAT(run_envdoctor("diagnose " + std::string(source_folder) + "/README.md").err, HasSubstr("--log"));
}

TEST(CommandLine, TablesHaveEightyColumns) {
  for (const char* command : {"list", "expect", "explain driver", "explain opencl"}) {
    std::istringstream help(run_envdoctor(command).out);
    int lines = 0;
    for (std::string line; std::getline(help, line); ++lines) EXPECT_LE(line.size(), 80U) << command << ": " << line;
    EXPECT_GT(lines, 5) << command;
  }
  EXPECT_THAT(run_envdoctor("list").out, HasSubstr("fft-butterfly"));
}

TEST(CommandLine, RefusesAFormatThatACommandDoesNotHave) {
  for (const char* command :
       {"list", "explain force-cpu", "show", "expect", "fleet .", "compare a b", "visible", "pid 1"}) {
    for (const char* how : {" --format html", " -o junit=/dev/null"}) {
      const Ran ran = run_envdoctor(std::string(command) + how);
      EXPECT_EQ(ran.status, 2) << command << how;
      EXPECT_THAT(ran.err, HasSubstr(" writes ")) << command << how;
    }
  }
}

TEST(Fleet, NamesHostsByTheirFilesBelowTheFolder) {
  const Ran ran = run_envdoctor("fleet --format json " + std::string(source_folder) + "/docs/schema " + examples);
  EXPECT_THAT(ran.out, HasSubstr("\"healthy.json\""));
  EXPECT_THAT(ran.out, Not(HasSubstr(examples)));
  const Ran twice = run_envdoctor("fleet --format json " + examples + "healthy.json " + examples);
  EXPECT_THAT(twice.out, HasSubstr(examples + "healthy.json"));
}

TEST(Check, HasNoColourAndNoProgressInAPipe) {
  const Ran ran = run_envdoctor("--quick");
  EXPECT_THAT(ran.out, Not(HasSubstr("\033")));
  EXPECT_THAT(ran.err, IsEmpty());
  EXPECT_THAT(run_envdoctor("diagnose " + examples + "no-gpu.json --color always").out, HasSubstr("\033["));
}

TEST(Capture, ThenDiagnoseSaysWhatCheckSaid) {
  const std::string here = test_folder() + "/here.json";
  ASSERT_EQ(run_envdoctor("capture --quick -o " + here).status, 0);
  const std::string once = run_envdoctor("diagnose " + here + " --format json").out;
  // A report that is diagnosed again is that report: capture, report and replay agree byte for byte.
  EXPECT_EQ(run_envdoctor("diagnose " + write_file_here("once.json", once) + " --format json").out, once);
  const std::string live = run_envdoctor("check --quick --format json").out;
  const std::string replayed = run_envdoctor("diagnose " + write_file_here("live.json", live) + " --format json").out;
  std::string expected = live;
  const std::string kind = R"("kind": "host")";
  ASSERT_NE(expected.find(kind), std::string::npos);
  expected.replace(expected.find(kind), kind.size(), R"("kind": "files")");
  EXPECT_EQ(replayed, expected);
}

TEST(List, NamesEveryDiagnosisAndProbe) {
  const std::string out = run_envdoctor("list").out;
  EXPECT_THAT(out, HasSubstr("driver.version-mismatch"));
  EXPECT_THAT(out, HasSubstr("opencl"));
  EXPECT_THAT(run_envdoctor("explain driver.version-mismatch").out, StartsWith("driver.version-mismatch: "));
}

TEST(Show, IsOnePageWithoutJudgement) {
  const Ran ran = run_envdoctor("show --quick");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, StartsWith("Host\n"));
  EXPECT_THAT(run_envdoctor("show env --quick").out, Not(HasSubstr("Host\n")));
}

// Defects of the time when a log had rules of its own beside the checks, each through the program.
struct Pasted {
  const char* name;
  const char* text;
  const char* says;   // what the report must hold
  const char* never;  // and what it must not
};

class APaste : public testing::TestWithParam<Pasted> {};

TEST_P(APaste, IsJudgedAsAHostIs) {
  const Pasted& pasted = GetParam();
  const Ran ran = run_envdoctor("diagnose --color never --log " + write_file_here("paste.log", pasted.text));
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr(pasted.says));
  EXPECT_THAT(ran.out, Not(HasSubstr(pasted.never)));
}

INSTANTIATE_TEST_SUITE_P(
    Each, APaste,
    testing::Values(
        Pasted{
            "OfAContainer",
            "root@3f2a9c1b7d21:/work# python train.py\nkernel version 450.51.5 does not match DSO version 460.27.4\n",
            "driver.compat-package, host", "driver.version-mismatch"},
        Pasted{"OfTwoLines",
               "NVRM: API mismatch: the client has the version 535.183.01, but\n"
               "NVRM: this kernel module has the version 535.171.04.  Please\n",
               "535.171.04", "compat-package"},
        Pasted{"OfAnIllegalAccess", "RuntimeError: CUDA error: an illegal memory access was encountered\n",
               "usage.program-fault", "hardware."},
        Pasted{"OfAMismatch", "Failed to initialize NVML: Driver/library version mismatch\n", "driver.version-mismatch",
               "compatibility package"},
        Pasted{"OfOneLine", "failed call to cuInit: CUDA_ERROR_UNKNOWN: unknown error\n",
               "paste.log:1 CUDA_ERROR_UNKNOWN\n  fix", "/nvidia/"}),
    [](const testing::TestParamInfo<Pasted>& one) { return one.param.name; });

}  // namespace
}  // namespace envdoctor::cli_test
