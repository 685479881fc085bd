// The checks of training scripts: each id passed, failed, absent and unknown. The reader's results for real scripts are
// tested with the reader.
#include <gtest/gtest.h>
#include "tests/support/builders.h"

#include <algorithm>

#include "checks/engine/report.h"

namespace envdoctor::script_checks_test {
namespace {

struct Line {
  std::string kind{};
  std::string name{};
  std::string value{"-"};  // "-": computed
  std::map<std::string, std::string> more{};
};

Snapshot script(const std::vector<Line>& lines) {
  Snapshot snapshot;
  auto& log = snapshot.log.fill();
  std::int64_t number = 0;
  for (const Line& line : lines) {
    Symptom symptom = symptom_of({SymptomClass::noted, "script-" + line.kind}, line.more, "train.py");
    symptom.line = ++number;
    symptom.details.try_emplace("sure", "yes");
    symptom.details["name"] = line.name;
    if (line.value != "-") symptom.details["value"] = line.value;
    log.push_back(symptom);
  }
  log.push_back(symptom_of({SymptomClass::present, "script"}, {}, "train.py"));
  snapshot.pci.fill();
  return snapshot;
}

Report judged(const Snapshot& snapshot) { return judge(snapshot, {.only = {"script"}}); }

const Finding* finding(const Report& report, const std::string& id) {
  const auto found = std::ranges::find(report.findings, id, &Finding::id);
  return found == report.findings.end() ? nullptr : &*found;
}

CheckState state(const Report& report, const std::string& id) {
  const auto found = std::ranges::find(report.checks, id, &CheckResult::id);
  return found == report.checks.end() ? CheckState::unknown : found->state;
}

struct Case {
  const char* id;
  std::vector<Line> broken;
  std::vector<Line> sound;
};

std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.id; }

const Line import_tf{"import", "tensorflow"};
const Line first_op{"call", "tensorflow.constant", "1.0"};
const Line hide{"set-variable", "CUDA_VISIBLE_DEVICES", "-1"};
const Line set_visible{"call", "tensorflow.config.set_visible_devices", "[], 'GPU'"};

const Case cases[] = {
    {"script.variable-too-late", {import_tf, first_op, hide}, {import_tf, hide, first_op}},
    {"script.device-config-too-late", {import_tf, first_op, set_visible}, {import_tf, set_visible, first_op}},
    {"script.keras-backend-too-late",
     {{"import", "keras"}, {"set-variable", "KERAS_BACKEND", "jax"}},
     {{"set-variable", "KERAS_BACKEND", "jax"}, {"import", "keras"}}},
    {"script.cpu-list-hides-no-gpu",
     {import_tf, {"call", "tensorflow.config.set_visible_devices", "cpus, 'CPU'"}},
     {import_tf, set_visible}},
    {"script.build-is-not-use", {{"call", "tensorflow.test.is_built_with_cuda", ""}}, {first_op}},
    {"script.image-data-format",
     {{"call", "keras.backend.set_image_data_format", "'channels_last'"}},
     {{"call", "keras.backend.clear_session", ""}}},
    {"script.tf1-api", {{"call", "tensorflow.Session", ""}}, {first_op}},
    {"script.device-around-model",
     {{"placed-call", "model.fit", "-", {{"inside", "tf.device('/GPU:0')"}, {"other_line", "3"}}}},
     {{"call", ".fit"}}},
    {"script.out-of-memory-hides-placement",
     {{"handler", "ResourceExhaustedError", "device = 'cpu'"}},
     {{"call", ".fit"}}},
    {"script.keras-mixed", {{"import", "keras"}, {"import", "tensorflow.keras.layers"}}, {{"import", "keras"}}},
    {"script.empty-variable", {{"set-variable", "CUDA_VISIBLE_DEVICES", ""}}, {hide}},
    {"script.devices-mixed", {{"mistake", "tensors on two devices", "a + b"}}, {first_op}},
    {"script.hiding-unproved", {{"mistake", "list_physical_devices as proof of hiding", "tf.x()"}}, {first_op}},
    {"script.map-location", {{"mistake", "torch.load without map_location", "torch.load('x')"}}, {first_op}},
    {"script.moved-too-late", {{"mistake", "a model that moves after its optimizer", "model.cuda()"}}, {first_op}},
    {"script.removed-call", {{"import", "keras.utils.multi_gpu_model"}}, {{"import", "keras.utils.to_categorical"}}},
    {"script.result-dropped", {{"mistake", "a tensor's move that is dropped", "x.to('cuda')"}}, {first_op}},
    {"script.switch-without-effect", {{"mistake", "float64 in JAX without x64", "jnp.ones(3)"}}, {first_op}},
    {"script.wrong-name", {{"mistake", "a variable that nothing reads", "CUDA_VISIBLE"}}, {first_op}},
    {"script.wrong-value", {{"set-variable", "CUDA_VISIBLE_DEVICES", "cuda:0"}}, {hide}},
    {"script.ordinal-missing",
     {{"call", "tensorflow.device", "'/GPU:3'"}},
     {{"call", "tensorflow.device", "'/CPU:0'"}}},
};

class ScriptCheck : public testing::TestWithParam<Case> {};

TEST_P(ScriptCheck, FindsItAtItsLine) {
  const Report report = judged(script(GetParam().broken));
  const Finding* found = finding(report, GetParam().id);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->subject.starts_with("script:train.py:")) << found->subject;
  ASSERT_FALSE(found->evidence.empty());
  EXPECT_EQ(found->evidence.front().source, "train.py");
  EXPECT_GT(found->evidence.front().line, 0);
  EXPECT_FALSE(found->fix.empty());
}

TEST_P(ScriptCheck, LeavesASoundScriptAlone) {
  const Report report = judged(script(GetParam().sound));
  EXPECT_EQ(finding(report, GetParam().id), nullptr);
  EXPECT_EQ(state(report, GetParam().id), CheckState::passed);
}

TEST_P(ScriptCheck, DoesNotApplyWithoutAScript) {
  EXPECT_EQ(state(judged({}), GetParam().id), CheckState::not_applicable);
}

TEST_P(ScriptCheck, IsUnknownWhereTheScriptCanNotBeRead) {
  Snapshot snapshot;
  snapshot.log.fill().push_back(symptom_of({SymptomClass::failed, "script-reading"}, {}, "train.py"));
  EXPECT_EQ(state(judged(snapshot), GetParam().id), CheckState::unknown);
}

INSTANTIATE_TEST_SUITE_P(Ids, ScriptCheck, testing::ValuesIn(cases));

TEST(ScriptUnreadable, SaysWhyAndWhere) {
  Snapshot snapshot;
  Symptom symptom =
      symptom_of({SymptomClass::failed, "script-reading"}, {{"why", "invalid syntax"}, {"python", "3.11"}}, "train.py");
  symptom.line = 7;
  snapshot.log.fill().push_back(symptom);
  const Report report = judged(snapshot);
  const Finding* found = finding(report, "script.unreadable");
  ASSERT_TRUE(found);
  EXPECT_NE(found->explanation.find("line 7: invalid syntax"), std::string::npos) << found->explanation;
  EXPECT_EQ(report.verdict, Verdict::fail);
}

TEST(ScriptLine, WithTwoMistakesReportsBothTheWorseOneFirst) {
  Snapshot snapshot = script({{"mistake", "gradients that go through the host", "init_process_group('gloo')"},
                              {"mistake", "processes without a meeting point", "init_process_group('gloo')"}});
  for (Symptom& symptom : *snapshot.log.get()) symptom.line = 3;
  const Report report = judged(snapshot);
  const Finding* found = finding(report, "script.wrong-value");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->severity, Severity::error);
  EXPECT_NE(found->title.find("without an address"), std::string::npos) << found->title;
  const std::size_t worse = found->explanation.find("MASTER_ADDR"), other = found->explanation.find("gloo copies");
  EXPECT_LT(worse, other) << found->explanation;
  EXPECT_NE(other, std::string::npos) << found->explanation;
  EXPECT_EQ(found->fix.size(), 2U);
}

TEST(ScriptOrder, DoubtsWhatIsNotSureToRun) {
  Line maybe = first_op;
  maybe.more["sure"] = "no";
  maybe.more["path"] = "1a";
  EXPECT_EQ(finding(judged(script({import_tf, maybe, hide})), "script.variable-too-late"), nullptr);
  Line late = hide;
  late.more["sure"] = "no";
  late.more["path"] = "1a/2b";
  EXPECT_NE(finding(judged(script({import_tf, maybe, late})), "script.variable-too-late"), nullptr);  // the same branch
  maybe.more["path"] = "1b";
  EXPECT_EQ(finding(judged(script({import_tf, maybe, late})), "script.variable-too-late"), nullptr);  // the other one
  const Report report = judged(script({import_tf, first_op, late}));
  const Finding* found = finding(report, "script.variable-too-late");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->confidence, Confidence::likely);
}

TEST(ScriptOrder, AskingWhatThereIsStartsTheDriverAndNoDevices) {
  const Line asks{"call", "tensorflow.config.list_physical_devices", "'GPU'"};
  const Report report = judged(script({import_tf, asks, set_visible, hide}));
  EXPECT_EQ(finding(report, "script.device-config-too-late"), nullptr);
  EXPECT_NE(finding(report, "script.variable-too-late"), nullptr);
}

TEST(ScriptCalls, GoByTheInstalledVersion) {
  Snapshot snapshot = script({{"call", "tensorflow.Session", ""}});
  snapshot.tensorflow.fill().version = std::string("1.15.5");
  EXPECT_EQ(finding(judged(snapshot), "script.tf1-api"), nullptr);
  snapshot.tensorflow.fill().version = std::string("2.15.1");
  const Report report = judged(snapshot);
  const Finding* found = finding(report, "script.tf1-api");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->severity, Severity::error);
  EXPECT_NE(found->explanation.find("2.15.1"), std::string::npos);
  snapshot.tensorflow = {};
  const Report blind = judged(snapshot);
  EXPECT_EQ(finding(blind, "script.tf1-api")->severity, Severity::warning);
}

TEST(ScriptModels, TwoKerasAreAWarningOnlyWhereTheyMayBeTwoPackages) {
  Snapshot snapshot = script({{"import", "keras"}, {"import", "tensorflow.keras"}});
  snapshot.tensorflow.fill().version = std::string("2.15.1");
  snapshot.keras.fill().version = std::string("3.4.0");
  EXPECT_EQ(finding(judged(snapshot), "script.keras-mixed")->severity, Severity::warning);
  EXPECT_EQ(finding(judged(snapshot), "script.keras-mixed")->confidence, Confidence::possible);
  snapshot.tensorflow.fill().version = std::string("2.21.0");
  EXPECT_EQ(finding(judged(snapshot), "script.keras-mixed")->severity, Severity::info);
}

TEST(ScriptDevices, NumberOfAGpuThatIsThereIsSound) {
  Snapshot snapshot = script({{"call", "tensorflow.device", "'/GPU:0'"}});
  snapshot.pci.fill().push_back({.address = std::string("0000:65:00.0"),
                                 .vendor_id = std::string("10de"),
                                 .device_id = std::string("20b0"),
                                 .class_ = std::string("0302")});
  EXPECT_EQ(state(judged(snapshot), "script.ordinal-missing"), CheckState::passed);
}

TEST(ScriptDevices, NumbersOfUnlikeGpusNeedAnOrder) {
  Snapshot snapshot = script({{"set-variable", "CUDA_VISIBLE_DEVICES", "1"}});
  for (const char* device : {"20b0", "1db4"}) {
    snapshot.pci.fill().push_back({.address = std::string("0000:") + device[2] + "5:00.0",
                                   .vendor_id = std::string("10de"),
                                   .device_id = std::string(device),
                                   .class_ = std::string("0302"),
                                   .name = std::string(device)});
  }
  EXPECT_NE(finding(judged(snapshot), "script.order-unset"), nullptr);
  Snapshot ordered =
      script({{"set-variable", "CUDA_DEVICE_ORDER", "PCI_BUS_ID"}, {"set-variable", "CUDA_VISIBLE_DEVICES", "1"}});
  ordered.pci = snapshot.pci;
  EXPECT_EQ(state(judged(ordered), "script.order-unset"), CheckState::passed);
  EXPECT_EQ(state(judged({}), "script.order-unset"), CheckState::not_applicable);
  snapshot.log = {};
  snapshot.log.fill().push_back(symptom_of({SymptomClass::failed, "script-reading"}));
  EXPECT_EQ(state(judged(snapshot), "script.order-unset"), CheckState::unknown);
}

TEST(ScriptDevices, GpuThatIsMissingHereIsANoteUnlessHereIsMeant) {
  Snapshot snapshot = script({{"set-variable", "CUDA_VISIBLE_DEVICES", "3"}});
  EXPECT_EQ(finding(judged(snapshot), "script.ordinal-missing")->severity, Severity::info);
  snapshot.log.get()->back().details["here"] = "yes";
  EXPECT_EQ(finding(judged(snapshot), "script.ordinal-missing")->severity, Severity::error);
}

TEST(ScriptDevices, GpuThatTheScriptItselfHidIsAnErrorAnywhere) {
  const Line choice{"set-variable", "CUDA_VISIBLE_DEVICES", "2,3"}, third{"call", ".to", "cuda:2"};
  const Report report = judged(script({choice, third}));
  EXPECT_EQ(finding(report, "script.ordinal-missing")->severity, Severity::error);
  EXPECT_EQ(finding(report, "script.ordinal-missing")->subject, "script:train.py:2");
}

TEST(ScriptCalls, AreNamedOnceAScriptWithAllTheirLines) {
  const Line old{"call", "tensorflow.placeholder", ""};
  const Report report = judged(script({old, old, old}));
  EXPECT_EQ(std::ranges::count(report.findings, "script.tf1-api", &Finding::id), 1);
  EXPECT_EQ(finding(report, "script.tf1-api")->evidence.size(), 3U);
}

TEST(ScriptCalls, ThatAreExpectedToBeMissingAreSound) {
  EXPECT_EQ(finding(judged(script({{"call", "tensorflow.Session", "", {{"guarded", "yes"}}}})), "script.tf1-api"),
            nullptr);
}

TEST(ScriptCalls, OfSessionsAreSoundWhereGraphsAreBuilt) {
  const Line config{"call", "tensorflow.compat.v1.ConfigProto", "device_count={'GPU': 0}"};
  EXPECT_NE(finding(judged(script({config})), "script.tf1-api"), nullptr);
  EXPECT_EQ(
      finding(judged(script({{"call", "tensorflow.compat.v1.disable_v2_behavior", ""}, config})), "script.tf1-api"),
      nullptr);
}

TEST(ScriptVerdict, SaysWhichReleasesItWasCheckedAgainst) {
  Snapshot snapshot = script({import_tf, {"import", "torch"}});
  snapshot.tensorflow.fill().version = std::string("2.15.1");
  const std::string why = judged(snapshot).verdict_why;
  EXPECT_NE(why.find("checked against tensorflow 2.15.1 (installed), torch "), why.npos) << why;
  EXPECT_NE(why.find("(the newest tried; none is installed)"), why.npos) << why;
}

TEST(ScriptVerdict, ASoundScriptPasses) {
  EXPECT_EQ(judged(script({import_tf, set_visible})).verdict, Verdict::pass);
  EXPECT_EQ(judged(script({import_tf, first_op, hide})).verdict, Verdict::warn);
}

}  // namespace

TEST(ScriptChecks, ANameIsGoneFromItsReleaseOn) {
  const auto with = [](const std::string& kind, const char* version, std::map<std::string, std::string> more = {}) {
    Snapshot snapshot = script({{kind, "jax.tree_map", "-", std::move(more)}});
    if (version) snapshot.jax.fill().version = version;
    const Report report = judged(snapshot);
    const Finding* gone = finding(report, "script.removed-call");
    return gone ? gone->fix.at(0).text : "";
  };
  EXPECT_EQ(with("call", "0.4.30"), "");
  EXPECT_EQ(with("call", "0.10.2"), "Write jax.tree.map.");
  EXPECT_EQ(with("use", "0.10.2"), "Write jax.tree.map.");
  EXPECT_EQ(with("use", "0.10.2", {{"guarded", "yes"}}), "");
  EXPECT_EQ(with("import", nullptr), "Write jax.tree.map.");
}

// What the installed release of a library still has is no mistake.
TEST(ScriptChecks, ALibrarysInstalledReleaseDecides) {
  const auto told = [](const char* package, const char* version) {
    Snapshot snapshot =
        script({{"mistake",
                 "an argument that is gone",
                 "gpus",
                 {{"first", "Trainer"}, {"second", "Write devices."}, {"since", "pytorch_lightning 2.2.5"}}}});
    if (package) snapshot.python.fill().packages.fill()[package] = version;
    const Report report = judged(snapshot);
    const Finding* gone = finding(report, "script.removed-call");
    return gone ? gone->explanation : "";
  };
  EXPECT_EQ(told("pytorch_lightning", "1.9.5"), "");
  EXPECT_EQ(told("pytorch-lightning", "1.9.5"), "");
  EXPECT_EQ(told("lightning", "1.9.5"), "");
  EXPECT_NE(told("lightning", "2.6.6"), "");
  EXPECT_NE(told("torchmetrics", "0.1"), "");
  EXPECT_NE(told(nullptr, nullptr).find("(gone since pytorch_lightning 2.2.5 at the latest)"), std::string::npos);
}

}  // namespace envdoctor::script_checks_test
