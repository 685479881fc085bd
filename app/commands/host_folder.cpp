#include "app/commands/host_folder.h"

#include <set>

#include "app/options/input_files.h"
#include "app/options/options.h"
#include "evidence/json.h"
#include "host/files/recording_files.h"
#include "probe/probes.h"
#include "probe/redact.h"

namespace envdoctor {
namespace {

// The first process's environment may hold anything; only the word that names the container is read from it.
std::string container_word(const std::string& environment) {
  for (std::size_t at = 0; at < environment.size(); at = environment.find('\0', at) + 1) {
    const std::string entry = environment.substr(at, environment.find('\0', at) - at);
    if (entry.starts_with("container=")) return entry + '\0';
    if (environment.find('\0', at) == environment.npos) break;
  }
  return {};
}

Redaction redaction_for(const Host& host) {
  const Identity identity = identity_of(host);
  return {.content =
              [identity](const std::string& path, const std::string& content) {
                if (path == "/proc/1/environ") return container_word(content);
                // Behind the first 256 bytes of a PCI configuration stands the device's serial number.
                if (path.starts_with("/sys/") && path.ends_with("/config")) return content.substr(0, 256);
                return redact_text(content, identity);
              },
          .path = [identity](const std::string& path) { return redact_text(path, identity); }};
}

// libpci and hwloc read on their own; what they look at is copied beside: of a PCI device a few files, no data.
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

}  // namespace

void write_host_folder(const std::string& folder, const Host& host, const Snapshot& snapshot, bool redact) {
  const RecordingFiles recorder(host.files, folder, redact ? redaction_for(host) : Redaction{});
  const Host recorded{.files = recorder, .env = host.env, .live = false};
  const GatherOptions options{.redact = redact,
                              .probes = {"host", "cpu", "pci", "modules", "device-nodes", "nvidia", "rocm"}};
  (void)gather(recorded, options);
  record_trees(recorder);
  if (const std::string error = recorder.finish(); !error.empty()) throw UsageError(folder + ": " + error);

  Snapshot sections = snapshot;  // the rest is read from the files anew
  sections.host = {};
  sections.cpu = {};
  sections.memory = {};
  sections.topology = {};
  sections.pci = {};
  sections.modules = {};
  sections.device_nodes = {};
  sections.probes = {};
  write_file(folder + "/snapshot.json", to_json(sections));
}

}  // namespace envdoctor
