#include "app/commands/gather.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <sstream>

#include "app/options/input_files.h"
#include "app/output/output_files.h"
#include "checks/engine/report.h"
#include "evidence/json.h"
#include "host/files/recording_files.h"
#include "probe/probes.h"
#include "probe/python/python_interpreter.h"
#include "probe/redaction/redact.h"

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

// The first process's environment may hold anything; only the word that names the container is read from it.
std::string container_word(const std::string& environment) {
  std::istringstream entries(environment);
  for (std::string entry; std::getline(entries, entry, '\0');) {
    if (entry.starts_with("container=")) return entry + '\0';
  }
  return {};
}

Redaction redaction_for(const Host& host) {
  const Identity identity = identity_of(host);
  return {.content =
              [identity](const std::string& path, const std::string& content) {
                if (path == "/proc/1/environ") return container_word(content);
                // The device's serial number follows the first 256 bytes of a PCI configuration.
                if (path.starts_with("/sys/") && path.ends_with("/config")) return content.substr(0, 256);
                return redact_text(content, identity);
              },
          .path = [identity](const std::string& path) { return redact_text(path, identity); }};
}

// libpci and hwloc read files themselves, so those are copied as well: a few files per PCI device, no data.
void record_trees(const Files& files) {
  const std::string bus = "/sys/bus/pci/devices";
  const auto wanted_of_pci = [&](const std::string& path) {
    static const std::set<std::string> names = {
        "vendor",           "device",          "class",  "revision",  "irq",
        "resource",         "config",          "driver", "numa_node", "local_cpus",
        "subsystem_vendor", "subsystem_device"};
    const auto slash = path.rfind('/');
    return slash == bus.size() || path.size() <= bus.size() || names.contains(path.substr(slash + 1));
  };
  read_tree(files, bus, {.wanted = wanted_of_pci, .follow_links = true, .depth = 2, .most = 20'000});
  for (const char* folder : {"/sys/devices/system/cpu", "/sys/devices/system/node"})
    read_tree(files, folder, {.depth = 4, .most = 20'000});
}

// Writes a captured host: the files that the kernel-side probes read (root/, nodes.txt, errors.txt), and snapshot.json
// with the sections that only vendor libraries, the loader and the environment provide. Redacted by default. Throws
// UsageError naming what could not be written.
void write_host_folder(const std::string& folder, const Host& host, const Snapshot& snapshot, bool redact) {
  RecordingFiles recorder(host.files, folder, redact ? redaction_for(host) : Redaction{});
  const Host recorded{.files = recorder, .env = host.env, .live = false};
  const GatherOptions options{.redact = redact,
                              .probes = {"host", "cpu", "pci", "modules", "device-nodes", "nvidia", "rocm"}};
  (void)gather(recorded, options);
  record_trees(recorder);
  Snapshot sections = snapshot;
  // Everything else is read again from the captured files.
  static const std::set<std::string_view> of_files = {"host", "cpu",     "memory",       "topology",
                                                      "pci",  "modules", "device_nodes", "probes"};
  Snapshot::each(sections, [&](std::string_view name, auto& section) {
    if (of_files.contains(name)) section = {};
  });
  const std::string error = recorder.finish({{"snapshot.json", to_json(sections)}});
  if (!error.empty()) throw UsageError("--host-folder " + error);
}

}  // namespace

void show_progress(const std::vector<std::string>& running) {
  print_message(fmt::format("\r\033[Kwaiting for {}", fmt::join(running, ", ")));
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
  if (const std::string error = options.host_folder.empty() ? "" : why_not_new(options.host_folder); !error.empty())
    throw UsageError("--host-folder " + error);
  GatherOptions gather_options{.quick = options.quick,
                               .redact = options.redact,
                               .launches = launches == Launches::tiny,
                               .families = wanted_families(options),
                               .probes = probes,
                               .whole = time_left(options),
                               .python = options.python,
                               .by = std::string("envdoctor ") + ENVDOCTOR_VERSION};
  const bool terminal = isatty(STDERR_FILENO);
  if (terminal) gather_options.progress = show_progress;
  Snapshot snapshot = gather(host, gather_options);
  if (terminal) print_message("\r\033[K");
  const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
  snapshot.captured = Captured{.at = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))),
                               .by = gather_options.by,
                               .duration_ms = static_cast<std::int64_t>(spent.count())};
  if (!options.host_folder.empty()) write_host_folder(options.host_folder, host, snapshot, options.redact);
  return snapshot;
}

}  // namespace envdoctor
