#pragma once
// The vendor libraries of tests/fakes, and probes run against them.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>

#include "evidence/json.h"
#include "probe/session.h"
#include "tests/support/paths.h"

namespace envdoctor {

inline std::string fake(const std::string& api, const std::string& way) {
  return std::string(test_build_folder) + "/fakes/fake_" + api + "_" + way + ".so";
}

struct Outing {
  Snapshot snapshot{};
  std::chrono::milliseconds took{0};
};

// Gathers with only these probes. The result must be a valid snapshot, whatever the libraries did.
inline Outing gather_with(const std::function<void(Session&)>& start_probes) {
  const auto files = open_files("/");
  const Host host{.files = *files};
  const GatherOptions options;
  const auto start = std::chrono::steady_clock::now();
  Session session(host, options);
  start_probes(session);
  Outing outing{.snapshot = session.finish()};
  outing.took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
  EXPECT_EQ(snapshot_from_json(to_json(outing.snapshot), "itself"), outing.snapshot);
  return outing;
}

inline void expect_blame(const Outing& outing, const std::string& probe, const std::string& kind,
                         const std::string& file) {
  const ProbeStatus& status = outing.snapshot.probes.get()->at(probe);
  EXPECT_TRUE(status.status.is("failed"));
  ASSERT_TRUE(status.error.get());
  EXPECT_TRUE(status.error.get()->kind.is(kind)) << *status.error.get()->kind.get();
  EXPECT_TRUE(status.error.get()->culprit.is(file)) << *status.error.get()->culprit.get();
}

// The reading names the library that should have provided it, and how that ended.
inline void expect_lost(const Missing& missing, const std::string& file, const std::string& how) {
  EXPECT_EQ(missing.outcome, Outcome::failed);
  EXPECT_NE(missing.why.find(file), std::string::npos) << missing.why;
  EXPECT_NE(missing.why.find(how), std::string::npos) << missing.why;
}

}  // namespace envdoctor
