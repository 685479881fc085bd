// compute.layer-differs: which differences between two runs of a user's model are faults, and their names.
#include <gmock/gmock.h>

#include "checks/engine/report.h"
#include "tests/support/builders.h"

namespace envdoctor::layer_differs_test {
namespace {

using testing::HasSubstr;
using testing::Not;

// A layer whose result is of size 1 and which is as far off as rounding makes it.
LayerAgreement layer(const std::string& name, const std::string& kind = "Dense") {
  return {.name = name,
          .kind = kind,
          .inside = 0,
          .weighted = true,
          .dtype = "float32",
          .computes_in = "float32",
          .terms = 64,
          .elements = 320,
          .bits = 24,
          .size = 1.0,
          .difference = 1e-7,
          .largest = 4e-7,
          .furthest = 3.0,
          .rounding = 6e-8,
          .not_a_number = 0,
          .repeats = true};
}

LayerAgreement off(LayerAgreement row, double difference) {
  row.difference = difference;
  row.furthest = difference / *row.rounding.get();
  return row;
}

LayerAgreement whole(std::int64_t inside) {
  LayerAgreement row = layer("the model", "Functional");
  row.inside = inside;
  return row;
}

Snapshot snapshot_of(std::vector<LayerAgreement> rows) {
  Snapshot snapshot;
  snapshot.agree = ModelAgreement{.model = "model.keras",
                                  .library = "Keras 3.5.0 on tensorflow 2.18.0",
                                  .device = "GPU:0",
                                  .against = "fp64",
                                  .precision = "float32",
                                  .judged_by = "float32",
                                  .layers = std::move(rows),
                                  .output = OutputAgreement{.relative_difference = 0.25, .rows = 8, .same_class = 6},
                                  .weights_unchanged = true};
  return snapshot;
}

Report report_of(const Snapshot& snapshot) { return judge(snapshot, {.of_model = true}); }

// The one finding, which is an error; its title.
std::string title_of(std::vector<LayerAgreement> rows) {
  const Report report = report_of(snapshot_of(std::move(rows)));
  EXPECT_EQ(report.findings.size(), 1U) << report.verdict_why;
  if (report.findings.empty()) return "";
  EXPECT_EQ(report.findings.front().id, "compute.layer-differs");
  EXPECT_EQ(report.findings.front().severity, Severity::error);
  EXPECT_EQ(report.verdict, Verdict::fail);
  return report.findings.front().title;
}

TEST(LayerDiffers, PassesWhereEveryLayerIsWithinRounding) {
  const Report report = report_of(snapshot_of({layer("a"), layer("b", "LSTM"), whole(2)}));
  EXPECT_EQ(report.verdict, Verdict::pass) << report.verdict_why;
  EXPECT_TRUE(report.findings.empty());
}

TEST(LayerDiffers, HasNothingToSayWhereNoModelWasRun) {
  EXPECT_EQ(state_of("compute.layer-differs", plain_host()), "not-applicable");
}

TEST(LayerDiffers, NamesTheFirstLayerAndWhatItDoesToTheOutput) {
  LayerAgreement model = off(whole(3), 0.2);
  const Report report = report_of(snapshot_of({layer("a"), off(layer("b"), 0.1), off(layer("c"), 0.1), model}));
  ASSERT_EQ(report.findings.size(), 1U);
  const Finding& finding = report.findings.front();
  EXPECT_THAT(finding.title, HasSubstr("Layer 'b' (Dense)"));
  EXPECT_THAT(finding.explanation, HasSubstr("layer 'c'"));
  EXPECT_THAT(finding.explanation, Not(HasSubstr("the model itself")));
  EXPECT_THAT(finding.explanation, HasSubstr("differs by 0.25 of itself, and 6 of 8 inputs"));
  EXPECT_EQ(finding.subject, "model:model.keras");
  EXPECT_EQ(paths_of(finding), (std::vector<std::string>{"/agree/layers/1", "/agree/layers/2"}));
}

TEST(LayerDiffers, NamesALayerOfLayersWhereNoneInsideItDiffers) {
  LayerAgreement block = off(layer("block", "mine.Block"), 0.1);
  block.inside = 2;
  EXPECT_THAT(title_of({layer("block/a"), layer("block/b"), block, off(whole(3), 0.1)}), HasSubstr("Layer 'block'"));
}

TEST(LayerDiffers, NamesTf32ByItsReplayAndTheSwitchOfTheFramework) {
  LayerAgreement row = off(layer("b"), 4e-4);
  row.replays = std::map<std::string, double>{{"tf32", 1e-7}, {"bfloat16", 3e-3}};
  const Report report = report_of(snapshot_of({row, whole(1)}));
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_THAT(report.findings.front().title, HasSubstr("multiplies in TF32 instead of float32"));
  EXPECT_THAT(report.findings.front().fix.front().text, HasSubstr("enable_tensor_float_32_execution(False)"));
}

TEST(LayerDiffers, NamesALayerThatWasToldToComputeInLess) {
  LayerAgreement row = off(layer("b"), 2e-3);
  row.computes_in = "bfloat16";
  EXPECT_THAT(title_of({layer("a"), row, layer("c"), whole(3)}), HasSubstr("'b' (Dense) computes in bfloat16"));
}

TEST(LayerDiffers, JudgesAMixedModelByItsOwnPrecision) {
  LayerAgreement row = off(layer("a"), 4e-3);
  row.computes_in = "bfloat16";
  row.rounding = 3e-3;
  row.furthest = 4.0;
  Snapshot snapshot = snapshot_of({row, whole(1)});
  snapshot.agree.get()->precision = "bfloat16";
  snapshot.agree.get()->judged_by = "bfloat16";
  EXPECT_EQ(report_of(snapshot).verdict, Verdict::pass);
}

TEST(LayerDiffers, NamesHalfPrecisionByTheBitsOfTheResults) {
  LayerAgreement row = off(layer("b", "mine.Layer"), 2e-3);
  row.bits = 8;
  EXPECT_THAT(title_of({row, whole(1)}), HasSubstr("computes in bfloat16"));
}

TEST(LayerDiffers, NamesNoPrecisionWhoseRoundingIsLessThanTheDifference) {
  LayerAgreement row = off(layer("b", "mine.Embedding"), 2e-2);
  row.bits = 6;
  EXPECT_THAT(title_of({row, whole(1)}), HasSubstr("keeps only 5 bits"));
}

TEST(LayerDiffers, NamesWhatNormalisesByTheBatchAtInference) {
  LayerAgreement row = layer("b", "BatchNormalization");
  row.writes = true;
  EXPECT_THAT(title_of({row, whole(1)}), HasSubstr("Layer 'b' (BatchNormalization) normalises by the batch"));
  row.kind = "mine.Cache";  // what another layer keeps is its own affair, as long as its answer stays the same
  EXPECT_EQ(report_of(snapshot_of({row, whole(1)})).verdict, Verdict::pass);
}

TEST(LayerDiffers, JudgesAModelInEightBitsByThese) {
  LayerAgreement row = off(layer("a"), 4e-3);
  row.computes_in = "int8";
  EXPECT_THAT(title_of({row, whole(1)}), HasSubstr("computes in int8 in a model of float32"));
  row.rounding = 3e-3;
  row.furthest = 4.0;
  Snapshot snapshot = snapshot_of({row, whole(1)});
  snapshot.agree.get()->precision = "int8";
  snapshot.agree.get()->judged_by = "int8";
  EXPECT_EQ(report_of(snapshot).verdict, Verdict::pass);
}

TEST(LayerDiffers, NamesWhatIsRandomAtInference) {
  LayerAgreement row = layer("b", "Dropout");
  row.repeats = false;
  row.repeat_difference = 1.0;
  EXPECT_THAT(title_of({row, whole(1)}), HasSubstr("draws other random numbers"));
  row.kind = "mine.Counter";
  row.rounding = {};
  row.difference = {};
  EXPECT_THAT(title_of({row, whole(1)}), HasSubstr("another result when it is called again"));
}

TEST(LayerDiffers, OnlyNotesSumsInNoFixedOrder) {
  LayerAgreement row = layer("b");
  row.repeats = false;
  row.repeat_difference = 1e-7;
  const Report report = report_of(snapshot_of({row, whole(1)}));
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings.front().severity, Severity::info);
  EXPECT_EQ(report.verdict, Verdict::pass);
  EXPECT_THAT(report.findings.front().fix.front().text, HasSubstr("enable_op_determinism"));
}

TEST(LayerDiffers, NamesOtherFaults) {
  LayerAgreement row = off(layer("b"), 0.1);
  row.replays = std::map<std::string, double>{{"no-bias", 1e-7}};
  EXPECT_THAT(title_of({row, whole(1)}), HasSubstr("leaves out its bias"));
  row.replays = std::map<std::string, double>{{"transposed", 1e-7}};
  EXPECT_THAT(title_of({row, whole(1)}), HasSubstr("uses its weight transposed"));
  row.replays = std::map<std::string, double>{{"int8", 1e-7}};
  EXPECT_THAT(title_of({row, whole(1)}), HasSubstr("eight bits"));
  row.replays = {};
  EXPECT_THAT(title_of({row, whole(1)}), HasSubstr("keeps only 3 bits"));
  EXPECT_THAT(title_of({off(row, 0.4), whole(1)}), HasSubstr("gives wrong results"));
  row.looks = "zeros";
  row.where = "column 5 of 32";
  EXPECT_THAT(title_of({row, whole(1)}), HasSubstr("gives zeros in column 5 of 32"));
  row.looks = "factors";
  row.where = {};
  EXPECT_THAT(title_of({row, whole(1)}), HasSubstr("off by a factor"));
  row.not_a_number = 7;
  EXPECT_THAT(title_of({row, whole(1)}), HasSubstr("gives NaN or infinity"));
}

TEST(LayerDiffers, AllowsLongSumsMoreButNeverTf32) {
  LayerAgreement row = off(layer("b"), 400 * 6e-8);
  EXPECT_EQ(report_of(snapshot_of({row, whole(1)})).verdict, Verdict::fail);
  row.terms = 4096;
  EXPECT_EQ(report_of(snapshot_of({row, whole(1)})).verdict, Verdict::pass);
  row = off(row, 8192 * 6e-8);
  row.terms = 1'000'000'000;
  EXPECT_EQ(report_of(snapshot_of({row, whole(1)})).verdict, Verdict::fail);
}

TEST(LayerDiffers, SeesOneNumberAmongManyThatIsFarOff) {
  LayerAgreement row = layer("b");
  row.furthest = 1e5;
  EXPECT_THAT(title_of({row, whole(1)}), HasSubstr("Layer 'b'"));
}

TEST(LayerDiffers, NamesAGradientWhereNoLayerDiffers) {
  Snapshot snapshot = snapshot_of({layer("a"), whole(1)});
  snapshot.agree.get()->gradients =
      std::vector<GradientAgreement>{{.name = "a/kernel", .size = 1.0, .difference = 1e-7, .rounding = 6e-8},
                                     {.name = "a/bias", .size = 1.0, .difference = 1e-3, .rounding = 6e-8}};
  const Report report = report_of(snapshot);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_THAT(report.findings.front().title, HasSubstr("The gradient of 'a/bias'"));
  EXPECT_EQ(paths_of(report.findings.front()), (std::vector<std::string>{"/agree/gradients/1"}));
  snapshot.agree.get()->gradients.get()->pop_back();
  EXPECT_EQ(report_of(snapshot).verdict, Verdict::pass);
}

TEST(LayerDiffers, NamesALayerThatRoundsByItselfWhereFloat64CannotBeHad) {
  LayerAgreement row = off(layer("b", "mine.Layer"), 4e-4);
  row.not_compared = "TypeError: no float64";
  EXPECT_THAT(title_of({row, whole(1)}), HasSubstr("Layer 'b'"));
}

TEST(LayerDiffers, IsIncompleteWhereALayerCouldNotBeCompared) {
  LayerAgreement row{
      .name = "b", .kind = "mine.Layer", .inside = 0, .repeats = true, .not_compared = "TypeError: no float64"};
  const Report report = report_of(snapshot_of({layer("a"), row, layer("c"), whole(3)}));
  EXPECT_EQ(report.verdict, Verdict::incomplete);
  EXPECT_THAT(report.verdict_why, HasSubstr("'b'"));
  EXPECT_EQ(state_of("compute.layer-differs", report.snapshot), "unknown");
}

TEST(LayerDiffers, IsIncompleteWhereTheModelWasRefused) {
  Snapshot snapshot = snapshot_of({});
  snapshot.agree.get()->refused = "it is a pickle";
  EXPECT_EQ(report_of(snapshot).verdict, Verdict::incomplete);
  EXPECT_EQ(report_of(snapshot).verdict_why, "it is a pickle");
  EXPECT_EQ(report_of(snapshot_of({})).verdict, Verdict::incomplete);
}

TEST(LayerDiffers, IsIncompleteWhereTheWeightsChanged) {
  Snapshot snapshot = snapshot_of({layer("a"), whole(1)});
  snapshot.agree.get()->weights_unchanged = false;
  EXPECT_EQ(report_of(snapshot).verdict, Verdict::incomplete);
}

TEST(LayerDiffers, OutlivesRowsThatMakeNoSense) {
  LayerAgreement row = layer("a");
  row.inside = 9'000'000'000;
  row.terms = -5;
  EXPECT_EQ(report_of(snapshot_of({row})).verdict, Verdict::pass);
  row.inside = -1;
  row.rounding = 0.0;
  EXPECT_EQ(report_of(snapshot_of({row, LayerAgreement{}})).verdict, Verdict::fail);
}

}  // namespace
}  // namespace envdoctor::layer_differs_test
