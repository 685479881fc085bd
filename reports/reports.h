#pragma once
// The report formats: pure functions from a finished report to text. They decide nothing.
#include "checks/engine/report.h"
#include "checks/facts/process_use.h"
#include "checks/facts/visible.h"

namespace envdoctor {

struct ReportStyle {
  bool color = false;
  bool verbose = false;
  bool arithmetic = false;  // was requested: it is shown in full
};

std::string render_text(const Report& report, const ReportStyle& style);
std::string render_json(const Report& report, const ReportStyle& style);
std::string render_junit(const Report& report, const ReportStyle& style);
std::string render_sarif(const Report& report, const ReportStyle& style);
std::string render_markdown(const Report& report, const ReportStyle& style);
std::string render_html(const Report& report, const ReportStyle& style);  // one page, 200 KB at most
std::string render_prometheus(const Report& report, const ReportStyle& style);
std::string render_github(const Report& report, const ReportStyle& style);  // workflow commands: annotations
std::string render_reason(const Report& report, const ReportStyle& style);  // one line; empty: the host may be used
std::string render_gitlab(const Report& report, const ReportStyle& style);  // a code quality report
std::string render_agent(const Report& report, const ReportStyle& style);   // one JSON object, 2 KB at most

struct Format {
  const char* name;
  const char* extension;  // file extension that selects it; empty: none
  std::string (*render)(const Report&, const ReportStyle&);
};
const std::vector<Format>& all_formats();
const Format* format_named(std::string_view name);  // null: no such format
// By the file name's extension; text if that is unknown.
const Format& format_for_file(std::string_view path);

// `envdoctor show`: describes the host, without judgement. Empty section: all of them.
std::string render_show(const Snapshot& snapshot, const std::string& section);
std::vector<std::string> show_sections();

// `envdoctor visible`. Per stack the filters in order, the devices as the program numbers them, and each hidden one
// with its reason.
std::string visible_text(const std::vector<VisibleList>& lists);
// {"schema": "envdoctor.visible/1", "stacks": [{stack, filters: [{name, value, effect}], devices: [{name, uuid,
// pci_address}] in the program's order or {"failed": why}, hidden: [… by, why], observed, order_guessed}]}
std::string visible_json(const std::vector<VisibleList>& lists);

// The line that `run` prints afterwards, without line end: "ran on GPU 0 (83 % busy, peak 5.1 GiB, cuDNN 9.3 from the
// wheel)".
std::string use_line(const Watched& watched, const ProcessVerdict& verdict);
// A line of `run --watch` for the time between two samples, and the totals: "30 s: GPU busy 62 %, 5.1 GiB; …".
class WatchedTime {
 public:
  std::string line(const Watched& now);
  // "GPU busy 62 %, copying 3 %, waiting for input 30 %"; empty: no sample.
  [[nodiscard]] std::string where_it_went() const;

 private:
  double seen_ = 0, busy_ = 0, copying_ = 0, for_cpu_ = 0, for_storage_ = 0, other_ = 0, unknown_ = 0;
  bool copies_known_ = false;
  ProcessTime before_{};
};
// The page of `pid`: nodes, libraries, variables, GPUs, and the line above.
std::string render_process(const Watched& watched, const ProcessVerdict& verdict);
// The watched process, with {"verdict": {"use": "ran" | "idle" | "never-opened" | "unknown", "worked": whether some
// work was seen, "line": the line above}} beside it.
std::string process_json(const Watched& watched, const ProcessVerdict& verdict);

// `envdoctor self-test`: one thing that the program must be able to do on any host.
struct SelfTestPart {
  std::string name{};     // "kernel"
  std::string shows{};    // what a pass shows
  std::string why_not{};  // empty: it passed
  [[nodiscard]] bool passed() const { return why_not.empty(); }
};
std::string self_test_text(const std::vector<SelfTestPart>& parts);
// {"schema": "envdoctor.self-test/1", "passed", "parts": [{name, shows, state: "passed" | "failed", why if failed}]}
std::string self_test_json(const std::vector<SelfTestPart>& parts);

// `envdoctor explain ID`: one row of the catalogue in full.
std::string render_explanation(const Diagnosis& diagnosis);
// The text of docs/diagnoses.md: every row of the catalogue with its proof, disproof, consequences and fix.
std::string all_diagnoses_markdown();

}  // namespace envdoctor
