#pragma once
// Pasted text: a log, a snapshot or a JSON report.
#include <string>

#include "app/options/options.h"
#include "checks/engine/report.h"

namespace envdoctor {

// Its report. Reads nothing of this host, and keeps nothing. Throws UsageError for anything else.
Report diagnose_text(const std::string& text, const Options& options);

}  // namespace envdoctor
