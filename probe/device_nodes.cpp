// GPU device nodes, and whether this user may open them.
#include <fmt/format.h>

#include "evidence/json.h"
#include "probe/node_list.h"
#include "probe/probes.h"
#include "probe/text.h"

namespace envdoctor {
namespace {

constexpr Limits limits{.time = Milliseconds(10'000), .memory_mib = 512};

void note_opening(const Files& files, DeviceNode& node) {
  const auto error = files.open_error(*node.path.get());
  node.accessible = error.then([](const std::string& name) { return name.empty(); });
  if (error.get() && !error.get()->empty())
    node.error = *error.get();
  else if (error.get())
    node.error = absent("it opened");
  else
    node.error = error.missing();
}

// In a child, since an open can hang in a driver whose GPU is lost. It answers after each node, so that what it learnt
// before it hung is kept.
Snapshot open_all(const Files& files, std::vector<DeviceNode> nodes, const Channel& channel) {
  Snapshot part;
  for (DeviceNode& node : nodes) {
    if (node.accessible.outcome() != Outcome::not_probed) continue;
    channel.step("open of " + *node.path.get());
    note_opening(files, node);
    part.device_nodes = nodes;
    channel.answer(to_json(part));
  }
  part.device_nodes = std::move(nodes);
  return part;
}

// The child died or hung: what it had answered by then, and for the rest why there is nothing.
void keep_what_there_is(Session& session, const Ended& ended, std::vector<DeviceNode> nodes) {
  Snapshot part;
  try {
    if (!ended.answer.empty()) part = snapshot_from_json(ended.answer, "device-nodes");
  } catch (const BadDocument&) {
    part = {};
  }
  if (!part.device_nodes.get()) part.device_nodes = std::move(nodes);
  for (DeviceNode& node : *part.device_nodes.get()) {
    if (node.accessible.outcome() == Outcome::not_probed)
      node.accessible = failed(ended.step.empty() ? ended.why : fmt::format("{} ({})", ended.why, ended.step));
  }
  session.add(part);
}

}  // namespace

void probe_device_nodes(Session& session) {
  const Files& files = session.host.files;
  auto nodes = list_nodes(files);
  if (!session.host.live) {
    for (DeviceNode& node : nodes)
      if (node.accessible.outcome() == Outcome::not_probed) note_opening(files, node);
  }
  bool to_open = false;
  for (const DeviceNode& node : nodes) to_open |= node.accessible.outcome() == Outcome::not_probed;
  if (!to_open) {
    Snapshot part;
    part.device_nodes = std::move(nodes);
    session.add(part);
    return;
  }
  session.apart(
      "device-nodes", "", limits, [&files, nodes](const Channel& channel) { return open_all(files, nodes, channel); },
      [&session, nodes](const Ended& ended, const Snapshot& part) {
        if (!part.device_nodes.get()) keep_what_there_is(session, ended, nodes);
      });
}

}  // namespace envdoctor
