#include <algorithm>
#include <memory>

#include "evidence/json.h"
#include "probe/library_rows.h"
#include "probe/library_symbols.h"
#include "probe/probes.h"
#include "probe/site_packages.h"
#include "probe/toolkits.h"

namespace envdoctor {
namespace {

constexpr Limits symbol_limits{.time = Milliseconds(10'000), .memory_mib = 4096};

// Rows on their way into the snapshot, shared by the children that complete them.
struct Pending {
  std::vector<SharedLibrary> rows{};
  std::size_t children = 0;
};

void hand_in(Session& session, Pending& pending) {
  // Copies of one soname keep their order: the loader's choice first.
  std::ranges::stable_sort(pending.rows, {}, [](const SharedLibrary& row) { return *row.soname.get(); });
  Snapshot part;
  part.libraries = std::move(pending.rows);
  session.add(part);
}

// The version as the library itself tells it, put into the row once its child has answered.
void ask_apart(Session& session, const std::shared_ptr<Pending>& pending, std::size_t index,
               const std::string& library) {
  const std::string path = *pending->rows[index].path.get();
  ++pending->children;
  const auto work = [path, library](const Channel& channel) {
    channel.step("loading " + path);
    const Text version = ask_version(path, library);
    channel.answer(to_json(Snapshot{.libraries = std::vector<SharedLibrary>{{.version = version}}}));
  };
  session.collect(
      "libraries", symbol_limits, work, [&session, pending, index, path](const Ended& end, const Snapshot& part) {
        SharedLibrary& row = pending->rows[index];
        const auto* answer = part.libraries.get();
        row.version =
            answer != nullptr && answer->size() == 1 ? answer->front().version : Text(failed(path + ": " + end.why));
        if (--pending->children == 0) hand_in(session, *pending);
      });
}

}  // namespace

void probe_libraries(Session& session) {
  const Host& host = session.host;
  Snapshot part;
  part.toolkits = find_toolkits(host);
  session.add(part);

  const std::vector<std::string> packages = site_packages(host, session.options.python);
  const LibraryPlaces places(host, *part.toolkits.get(), packages);
  LibraryRows rows(host, places);
  const auto pending = std::make_shared<Pending>();
  const bool may_ask = host.live && !session.options.quick;
  std::vector<std::pair<std::size_t, std::string>> to_ask;
  for (const WantedLibrary& wanted : wanted_libraries(host.files, *part.toolkits.get(), packages)) {
    for (SharedLibrary& row : rows.of(wanted)) {
      const bool unknown = row.found.is(true) && row.version.get() == nullptr && !row.stub.is(true);
      if (may_ask && unknown && has_version_symbol(wanted.library)) {
        to_ask.emplace_back(pending->rows.size(), wanted.library);
      }
      pending->rows.push_back(std::move(row));
    }
  }
  for (const auto& [index, library] : to_ask) ask_apart(session, pending, index, library);
  if (to_ask.empty()) hand_in(session, *pending);
}

}  // namespace envdoctor
