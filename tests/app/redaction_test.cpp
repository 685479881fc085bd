// Puts canaries into every text of a snapshot and searches everything that the program writes. The fields are walked
// by their own list, so a new field is covered automatically.
#include <gmock/gmock.h>

#include "compare/documents.h"
#include "evidence/json.h"
#include "probe/redaction/redact.h"
#include "reports/reports.h"
#include "tests/support/process.h"

namespace envdoctor::redaction_test {
namespace {

using testing::IsEmpty;

// What a text that holds them says, and the part of each that must never be read again.
struct Canary {
  const char* text;
  const char* part;
};
// Known by their shape, whoever's they are.
const std::vector<Canary> shapes = {{"/home/alicecanary/venv", "alicecanary"},
                                    {"/mnt/nfs/home/bobcanary/x", "bobcanary"},
                                    {R"(C:\Users\carolcanary\x)", "carolcanary"},
                                    {"GPU-0badcafe-1234-5678-9abc-def012345678", "9abc-def0"},
                                    {"3c:ec:ef:12:34:56", "ef:12:34"},
                                    {"worker 192.168.77.78", "192.168.77"},
                                    {"fe80::3eec:efff:fe12:3456", "3eec:efff"},
                                    {"dave.canary@example.org", "dave.canary"},
                                    {"https://erin:canarypass@pypi.example.org/x", "canarypass"},
                                    {"token=canarysecret77", "canarysecret"},
                                    {"ghp_canaryCANARYcanaryCANARY77", "canaryCANARY"},
                                    {"Serial Number : 1320221013927", "1320221013927"}};
// Known because they are this user's and this host's.
const std::vector<Canary> names = {{"by frankcanary", "frankcanary"}, {"on nodecanary.cluster.example", "nodecanary"}};

std::string said(const std::vector<Canary>& canaries) {
  std::string words;
  for (const Canary& canary : canaries) words += (words.empty() ? "" : " ") + std::string(canary.text);
  return words;
}

std::vector<std::string> canaries_in(const std::string& text) {
  std::vector<std::string> found;
  for (const auto* list : {&shapes, &names}) {
    for (const Canary& canary : *list) {
      if (text.find(canary.part) != text.npos) found.emplace_back(canary.part);
    }
  }
  return found;
}

// Fills every field; a text with `words`, or a reason with them in place of every value that is no list or struct.
struct Filler {
  std::string words;
  bool reasons = false;
  int texts = 0;
  int depth = 0;

  void operator()(std::string& text) {
    text = words;
    ++texts;
  }
  void operator()(std::int64_t& number) { number = 1; }
  void operator()(double& number) { number = 1; }
  void operator()(bool& flag) { flag = true; }
  template <class T>
  void operator()(std::vector<T>& list) {
    if (depth > 12) return;  // a tree
    ++depth;
    list.resize(1);
    (*this)(list.front());
    --depth;
  }
  template <class T>
  void operator()(std::map<std::string, T>& map) {
    (*this)(map["name"]);
  }
  template <class T>
  void operator()(Reading<T>& reading) {
    if (reasons && (std::is_same_v<T, std::string> || std::is_arithmetic_v<T>)) {
      reading = failed(words);
      ++texts;
    } else {
      (*this)(reading.fill());
    }
  }
  template <Fields T>
  void operator()(T& value) {
    T::each(value, [this](std::string_view, auto& field) { (*this)(field); });
    if constexpr (std::is_same_v<T, Symptom>) (*this)(value.details);
  }
};

Snapshot filled(const std::string& words, bool reasons, int* texts = nullptr) {
  Filler fill{words, reasons};
  Snapshot snapshot;
  fill(snapshot);
  if (texts) *texts = fill.texts;
  return snapshot;
}

int count(const std::string& text, const std::string& part) {
  int times = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++times;
  return times;
}

// All that the program could write about a snapshot, by name.
std::map<std::string, std::string> everything(const Snapshot& snapshot) {
  std::map<std::string, std::string> all{{"snapshot", to_json(snapshot)}, {"show", render_show(snapshot, "")}};
  const Report report = judge(snapshot, {});
  for (const Format& format : all_formats()) all[format.name] = format.render(report, {.verbose = true});
  const auto lists = visible_to_programs(snapshot);
  all["visible text"] = visible_text(lists);
  all["visible json"] = visible_json(lists);
  const auto compared = compare::compare_snapshots({snapshot, filled("other", false)}, {"A", "B"});
  all["compare text"] = compare::text_of(compared);
  all["compare json"] = compare::json_of(compared);
  return all;
}

TEST(Canaries, StandInEveryTextOfASnapshotAndAreSeenWithoutRedaction) {
  for (const bool reasons : {false, true}) {
    int texts = 0;
    const Snapshot snapshot = filled(said(shapes) + " " + said(names), reasons, &texts);
    EXPECT_GT(texts, 200);
    EXPECT_EQ(count(to_json(snapshot), "canarysecret77"), texts);
    const auto all = everything(snapshot);
    for (const char* name : {"snapshot", "show", "json", "text", "html", "junit", "compare text", "compare json"})
      EXPECT_FALSE(canaries_in(all.at(name)).empty()) << name;
  }
}

TEST(Canaries, NoneIsLeftInAnyFormat) {
  const Identity frank =
      identity_of({{"HOME", "/srv/frank"}, {"USER", "frankcanary"}, {"HOSTNAME", "nodecanary.cluster"}});
  for (const bool reasons : {false, true}) {
    Snapshot snapshot = filled(said(shapes) + " " + said(names), reasons);
    redact(snapshot, frank);
    for (const auto& [name, text] : everything(snapshot)) EXPECT_THAT(canaries_in(text), IsEmpty()) << name;
    const std::string once = to_json(snapshot);
    redact(snapshot, frank);
    EXPECT_EQ(to_json(snapshot), once) << "a second pass changes something";
  }
}

TEST(Canaries, EachIsFoundOutAlone) {
  for (const Canary& canary : shapes) EXPECT_THAT(canaries_in(redact_text(canary.text, {})), IsEmpty()) << canary.text;
}

// A snapshot that somebody took with --no-redact is not handed on by accident.
TEST(Canaries, NoneGoesThroughTheProgram) {
  const std::string file = write_file_here("host.json", to_json(filled(said(shapes), false)));
  const std::string other = write_file_here("other.json", to_json(filled("other", false)));
  const std::string report =
      write_file_here("report.json", run_envdoctor("diagnose " + file + " --no-redact --format json").out);
  std::vector<std::string> commands;
  for (const Format& format : all_formats()) commands.push_back("diagnose -v " + file + " --format " + format.name);
  for (const char* command : {"compare ", "compare --format json "}) commands.push_back(command + file + " " + other);
  std::string fleet = report;  // three that are alike, so that the outlier on the first is reported
  for (const char* name : {"b.json", "c.json", "d.json"})
    fleet += " " + write_file_here(name, run_envdoctor("diagnose " + other + " --format json").out);
  EXPECT_THAT(run_envdoctor("fleet " + fleet).out, testing::HasSubstr("Outliers"));
  for (const char* command : {"fleet ", "fleet --format json "}) commands.push_back(command + fleet);
  commands.push_back("visible " + file);
  commands.push_back("visible --format json " + file);
  commands.push_back("expect --learn " + file);
  int seen = 0;
  for (const std::string& command : commands) {
    const Ran ran = run_envdoctor(command);
    EXPECT_LE(ran.status, 3) << command << ran.err;
    EXPECT_THAT(canaries_in(ran.out + ran.err), IsEmpty()) << command;
    seen += canaries_in(run_envdoctor(command + " --no-redact").out).empty() ? 0 : 1;
  }
  EXPECT_GE(seen, static_cast<int>(commands.size()) - 8);
  const std::string log = write_file_here("train.log",
                                          "Could not load dynamic library 'libcudnn.so.8'; dlerror: "
                                          "/home/alicecanary/x 192.168.77.78: cannot open shared object file\n");
  EXPECT_THAT(canaries_in(run_envdoctor("diagnose --format json --log " + log).out), IsEmpty());
  EXPECT_THAT(canaries_in(run_envdoctor("diagnose --no-redact --format json --log " + log).out),
              testing::Contains("alicecanary"));
}

TEST(Canaries, NoneOfThisHostIsLeft) {
  const std::string home = test_folder() + "/home/alicecanary";
  std::filesystem::create_directories(home);
  const std::string env =
      "env HOME=" + home + " USER=frankcanary LOGNAME=frankcanary HOSTNAME=nodecanary.cluster " +
      "CUDA_VISIBLE_DEVICES=GPU-0badcafe-1234-5678-9abc-def012345678 LD_LIBRARY_PATH=" + home +
      "/lib XLA_FLAGS=--dump_to=/scratch/frankcanary/192.168.77.78/x NVIDIA_API_KEY=nvapi-canarysecret77 " +
      "TF_CONFIG='{\"cluster\":{\"worker\":[\"nodecanary:2222\"]}}'";
  std::vector<std::string> commands = {"show", "visible", "expect --learn --quick", "capture --quick"};
  for (const Format& format : all_formats())
    commands.push_back(std::string("check --quick -v --format ") + format.name);
  for (const std::string& command : commands) {
    const Ran ran = run_envdoctor(command, env);
    EXPECT_LE(ran.status, 3) << command << ran.err;
    EXPECT_THAT(canaries_in(ran.out + ran.err), IsEmpty()) << command;
  }
  const auto kept = canaries_in(run_envdoctor("capture --quick --no-redact", env).out);
  EXPECT_THAT(kept, testing::IsSupersetOf({"alicecanary", "frankcanary", "nodecanary", "9abc-def0", "192.168.77"}));
  EXPECT_THAT(kept, testing::Not(testing::Contains("canarysecret"))) << "a key is never kept";
}

}  // namespace
}  // namespace envdoctor::redaction_test
