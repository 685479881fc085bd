#include "app/host_folder.h"

#include <filesystem>

#include "app/files.h"
#include "app/options.h"
#include "evidence/json.h"
#include "host/record.h"
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
                return path == "/proc/1/environ" ? container_word(content) : redact_text(content, identity);
              },
          .path = [identity](const std::string& path) { return redact_text(path, identity); }};
}

// libpci and hwloc read on their own; what they look at is copied beside.
void record_trees(const Files& files) {
  const auto no_data = [](const std::string& path) {
    for (const char* word :
         {"/power", "/msi_irqs", "/rom", "/remove", "/rescan", "/reset", "/resource0", "/resource1", "/resource2"}) {
      if (path.find(word) != path.npos) return false;
    }
    return true;
  };
  read_tree(files, "/sys/bus/pci/devices", {.wanted = no_data, .follow_links = true, .depth = 3, .most = 20'000});
  read_tree(files, "/sys/devices/system/cpu", {.wanted = no_data, .depth = 4, .most = 20'000});
  read_tree(files, "/sys/devices/system/node", {.wanted = no_data, .depth = 3, .most = 5'000});
}

}  // namespace

void write_host_folder(const std::string& folder, const Host& host, const Snapshot& snapshot, bool redact) {
  const RecordingFiles recorder(host.files, folder, redact ? redaction_for(host) : Redaction{});
  const Host recorded{.files = recorder, .env = host.env, .live = false};
  const GatherOptions options{.redact = redact,
                              .probes = {"host", "cpu", "pci", "modules", "device-nodes", "nvidia", "rocm"}};
  (void)gather(recorded, options);
  record_trees(recorder);
  if (const std::string trouble = recorder.finish(); !trouble.empty()) throw UsageError(folder + ": " + trouble);

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
