#include "evidence/json.h"

#include <gmock/gmock.h>

namespace envdoctor::json_test {
namespace {

std::string complaint(std::string_view text) {
  try {
    (void)snapshot_from_json(text, "host.json");
  } catch (const BadDocument& bad) {
    return bad.what();
  }
  return "taken";
}

// Gives every field of every struct a value, so that a field left out of a list fails the round trip.
int filled = 0;
void fill(std::string& value) { value = "text " + std::to_string(++filled); }
void fill(std::int64_t& value) { value = ++filled; }
void fill(double& value) { value = ++filled + 0.5; }
void fill(bool& value) { value = true; }
template <class T>
void fill(Reading<T>& reading);
template <class T>
void fill(std::vector<T>& values);
template <class T>
void fill(std::map<std::string, T>& values);
template <Fields T>
void fill(T& value) {
  T::each(value, [](std::string_view, auto& field) { fill(field); });
}
template <class T>
void fill(Reading<T>& reading) {
  fill(reading.fill());
}
template <class T>
void fill(std::vector<T>& values) {
  values.resize(2);
  for (auto& value : values) fill(value);
}
template <class T>
void fill(std::map<std::string, T>& values) {
  fill(values["one"]);
  fill(values["two"]);
}

TEST(Json, EveryFieldSurvivesTheRoundTrip) {
  Snapshot snapshot;
  fill(snapshot);
  snapshot.log.get()->front().details = {{"gpu", "0000:41:00"}};
  EXPECT_EQ(snapshot_from_json(to_json(snapshot), "round trip"), snapshot);
}

TEST(Json, TheFourAnswersStayApart) {
  const auto snapshot = snapshot_from_json(
      R"({"schema": "envdoctor.snapshot/1", "host": {"os": "Debian", "kernel": {"absent": "none"}, "arch": {"failed": "EACCES"}}})",
      "host.json");
  const auto* host = snapshot.host.get();
  ASSERT_NE(host, nullptr);
  EXPECT_TRUE(host->os.is("Debian"));
  EXPECT_EQ(host->kernel.outcome(), Outcome::absent);
  EXPECT_EQ(host->arch.why(), "EACCES");
  EXPECT_EQ(host->platform.outcome(), Outcome::not_probed);
}

TEST(Json, AModuleMayBeABareName) {
  const auto snapshot =
      snapshot_from_json(R"({"schema": "envdoctor.snapshot/1", "modules": ["nvidia", {"name": "nouveau"}]})", "x");
  EXPECT_TRUE(snapshot.modules.get()->at(0).name.is("nvidia"));
  EXPECT_TRUE(snapshot.modules.get()->at(1).name.is("nouveau"));
}

TEST(Json, BytesThatAreNotUtf8AreReplacedNotThrown) {
  Snapshot snapshot;
  snapshot.host.fill().os = std::string(
      "D\xff"
      "bian");
  EXPECT_THAT(to_json(snapshot), testing::HasSubstr("D\xef\xbf\xbd"
                                                    "bian"));
}

TEST(Json, ErrorsNameTheFileAndThePlace) {
  EXPECT_EQ(complaint(R"({"schema": "envdoctor.snapshot/1", "pci": [{}, {"link": {"width": "x16"}}]})"),
            "host.json: at /pci/1/link/width: an integer expected, string found");
  EXPECT_THAT(complaint(R"({"schema": "envdoctor.snapshot/1", "pci")"),
              testing::HasSubstr("host.json: parse error at line 1, column"));
  EXPECT_THAT(complaint(R"({"schema": "other/1"})"), testing::HasSubstr("at /schema"));
  EXPECT_THAT(complaint("[]"), testing::HasSubstr("an object expected, array found"));
  EXPECT_THAT(complaint(std::string(100000, '[')), testing::HasSubstr("nested deeper"));
  EXPECT_THAT(complaint(""), testing::HasSubstr("host.json: parse error"));
}

TEST(Json, BracketsInTextsAreNoNesting) {
  const std::string quoted = R"("\\\"[[[[)" + std::string(100, '[') + "\"";
  EXPECT_EQ(complaint(R"({"schema": "envdoctor.snapshot/1", "host": {"os": )" + quoted + "}}"), "taken");
}

TEST(Json, AReportGivesTheSnapshotItEmbeds) {
  const auto snapshot = snapshot_from_json(
      R"({"schema": "envdoctor.report/1", "snapshot": {"schema": "envdoctor.snapshot/1", "memory": {"total_mib": 7}}})",
      "r.json");
  EXPECT_TRUE(snapshot.memory.get()->total_mib.is(7));
}

TEST(Json, RefusesMoreDevicesThanAnyHostHas) {
  std::string devices;
  for (int i = 0; i < 1025; ++i) devices += std::string(i == 0 ? "" : ",") + R"({"address": "0000:01:00.0"})";
  const std::string text = R"({"schema": "envdoctor.snapshot/1", "pci": [)" + devices + "]}";
  EXPECT_THAT([&] { snapshot_from_json(text, "s.json"); },
              testing::ThrowsMessage<BadDocument>("s.json: at /pci: more than 1024 devices"));
}

}  // namespace
}  // namespace envdoctor::json_test
