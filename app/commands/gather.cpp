#include "app/commands/gather.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>

#include "app/commands/host_folder.h"
#include "app/options/input_files.h"
#include "checks/engine/report.h"
#include "probe/probes.h"
#include "probe/python/python_interpreter.h"

namespace envdoctor {
namespace {

// The families that --only and --skip leave; empty: all.
std::vector<std::string> wanted_families(const Options& options) {
  if (options.only.empty() && options.skip.empty()) return {};
  std::vector<std::string> families;
  for (const Diagnosis* row : catalogue()) {
    const std::string id = row->id, family = id.substr(0, id.find('.'));
    if (is_wanted(options.only, options.skip, id) && std::ranges::find(families, family) == families.end())
      families.push_back(family);
  }
  return families;
}

}  // namespace

void show_progress(const std::vector<std::string>& running) {
  fmt::print(stderr, "\r\033[Kwaiting for {}", fmt::join(running, ", "));
}

void require_python(const Host& host, const Options& options) {
  if (options.python.empty()) return;
  if (const auto python = named_python(host, options.python); !python.get())
    throw UsageError("--python " + python.why());
}

Snapshot gather_here(const Options& options, const std::vector<std::string>& probes, Launches launches) {
  std::signal(SIGPIPE, SIG_IGN);
  const auto start = std::chrono::steady_clock::now();
  const auto files = open_files("/");
  const Host host{.files = *files, .env = environment()};
  require_python(host, options);
  GatherOptions gather_options{.quick = options.quick,
                               .redact = options.redact,
                               .launches = launches == Launches::tiny,
                               .families = wanted_families(options),
                               .probes = probes,
                               .whole = std::chrono::seconds(options.timeout_s),
                               .python = options.python,
                               .by = std::string("envdoctor ") + ENVDOCTOR_VERSION};
  const bool terminal = isatty(STDERR_FILENO);
  if (terminal) gather_options.progress = show_progress;
  Snapshot snapshot = gather(host, gather_options);
  if (terminal) fmt::print(stderr, "\r\033[K");
  const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
  snapshot.captured = Captured{.at = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))),
                               .by = gather_options.by,
                               .duration_ms = static_cast<std::int64_t>(spent.count())};
  if (!options.host_folder.empty()) write_host_folder(options.host_folder, host, snapshot, options.redact);
  return snapshot;
}

}  // namespace envdoctor
