#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "evidence/lines.h"
#include "reports/reports.h"

namespace envdoctor {

std::string self_test_text(const std::vector<SelfTestPart>& parts) {
  std::string out;
  for (const SelfTestPart& part : parts) {
    out += wrap(part.passed() ? "  ok      " : "  FAILED  ", part.shows);
    if (!part.passed()) out += wrap("          ", clean_lines(part.why_not));
  }
  const auto failed = std::ranges::count_if(parts, [](const SelfTestPart& part) { return !part.passed(); });
  if (failed == 0) return out + "This copy of envdoctor works here.\n";
  return out + wrap("", fmt::format("This copy of envdoctor does not work here: {} of {} parts failed. Install it "
                                    "again; if that does not help, report this page and the output of "
                                    "'envdoctor --version'.",
                                    failed, parts.size()));
}

std::string self_test_json(const std::vector<SelfTestPart>& parts) {
  nlohmann::json rows = nlohmann::json::array();
  for (const SelfTestPart& part : parts) {
    rows.push_back({{"name", part.name}, {"shows", part.shows}, {"state", part.passed() ? "passed" : "failed"}});
    if (!part.passed()) rows.back()["why"] = part.why_not;
  }
  const nlohmann::json all = {{"schema", "envdoctor.self-test/1"},
                              {"passed", std::ranges::all_of(parts, &SelfTestPart::passed)},
                              {"parts", rows}};
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace envdoctor
