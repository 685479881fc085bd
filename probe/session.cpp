#include "probe/session.h"

#include <algorithm>
#include <memory>

#include "evidence/json.h"
#include "evidence/merge.h"
#include "probe/probes.h"
#include "probe/redaction/redact.h"

namespace envdoctor {
namespace {

SubprocessGroup::Done with_parsed_answer(std::string probe, std::function<void(const Ended&, const Snapshot&)> done) {
  return [probe = std::move(probe), done = std::move(done)](const Ended& end) {
    Ended ended = end;
    // A snapshot takes 13 KiB, and `done` may need several: not on a stack that may be small.
    std::unique_ptr<const Snapshot> part;
    try {
      if (!ended.answer.empty())
        part.reset(new Snapshot(snapshot_from_json(ended.answer, "the answer of probe " + probe)));
    } catch (const BadDocument& bad) {
      ended.how = Ended::How::malformed;
      ended.why = bad.what();
    }
    if (!part) part = std::make_unique<const Snapshot>();
    done(ended, *part);
  };
}

}  // namespace

Snapshot early_answer(const Ended& ended) {
  try {
    return snapshot_from_json(ended.answer, "an early answer");
  } catch (const BadDocument&) {
    return {};
  }
}

Session::Session(const Host& host_, const GatherOptions& options_) : host(host_), options(options_) {}

void Session::add(const Snapshot& part) { fill_in(snapshot_, part); }

void Session::record(const std::string& probe, ProbeStatus status) {
  auto& all = snapshot_.probes.fill();
  const auto [entry, fresh] = all.try_emplace(probe, status);
  if (fresh) return;
  ProbeStatus& known = entry->second;
  if (!known.status.is("failed") && status.status.is("failed")) {
    known.status = status.status;
    known.error = status.error;
  }
  if (status.duration_ms.value_or(-1) > known.duration_ms.value_or(-1)) known.duration_ms = status.duration_ms;
}

void Session::blame(const std::string& probe, const std::string& culprit, const std::string& file) {
  ProbeError* error = snapshot_.probes.fill()[probe].error.get();
  if (error && error->culprit.is(culprit)) error->culprit = file;
}

void Session::record(const std::string& probe, const std::string& culprit, const Ended& ended) {
  ProbeStatus status{.status = std::string("ok"), .duration_ms = static_cast<std::int64_t>(ended.duration.count())};
  if (ended.how != Ended::How::answered) {
    status.status = std::string("failed");
    status.error = ProbeError{.kind = std::string(text(ended.how)), .message = ended.why};
    if (!culprit.empty() && ended.how != Ended::How::not_started) status.error.get()->culprit = culprit;
  }
  record(probe, status);
}

void Session::start(const std::string& probe, const std::string& culprit, Limits limits,
                    std::function<Snapshot(const Channel&)> work,
                    std::function<void(const Ended&, const Snapshot&)> done) {
  const auto child = [work = std::move(work)](const Channel& channel) { channel.answer(to_json(work(channel))); };
  collect(probe, limits, child,
          [this, probe, culprit, done = std::move(done)](const Ended& ended, const Snapshot& part) {
            const Snapshot whole = ended.how == Ended::How::answered ? part : Snapshot{};
            record(probe, culprit, ended);
            add(whole);
            if (done) done(ended, whole);
          });
}

void Session::collect(const std::string& probe, Limits limits, const std::function<void(const Channel&)>& work,
                      std::function<void(const Ended&, const Snapshot&)> done) {
  group_.start(probe, limits, work, with_parsed_answer(probe, std::move(done)));
}

void Session::collect_sharing(const std::string& probe, Limits limits, std::function<void()> shared,
                              std::vector<Task> tasks) {
  std::vector<SubprocessGroup::Member> members;
  for (Task& task : tasks)
    members.push_back({probe, limits, std::move(task.work), with_parsed_answer(probe, std::move(task.done))});
  group_.start_sharing(std::move(shared), std::move(members));
}

void Session::exec_framed(const std::string& name, Limits limits, std::vector<std::string> argv,
                          std::vector<std::string> env, std::function<void(const Ended&, const Snapshot&)> done) {
  group_.exec_framed(name, limits, std::move(argv), std::move(env), with_parsed_answer(name, std::move(done)));
}

Snapshot Session::finish() {
  const Identity identity = identity_of(host);
  RedactedTexts known;
  if (options.redact) {  // redacts this part while the children run, to save time afterwards
    Snapshot so_far = snapshot_;
    redact(so_far, identity, &known);
  }
  group_.run(options.whole, options.progress);
  if (options.redact) redact(snapshot_, identity, &known);
  return std::move(snapshot_);
}

bool Session::wants(std::string_view family) const {
  return options.families.empty() || std::ranges::find(options.families, family) != options.families.end();
}

Snapshot gather(const Host& host, const GatherOptions& options) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return static_cast<std::int64_t>(std::chrono::duration_cast<Milliseconds>(Clock::now() - start).count());
  };
  Session session(host, options);
  const auto wanted = [&](const Probe& probe) {
    if (!options.probes.empty() && std::ranges::find(options.probes, probe.name) == options.probes.end()) return false;
    return probe.families.empty() ||
           std::ranges::any_of(probe.families, [&](const char* family) { return session.wants(family); });
  };
  for (const Probe& probe : all_probes()) {
    const auto start = Clock::now();
    if (!wanted(probe)) {
      session.record(probe.name, {.status = std::string("skipped")});
      continue;
    }
    probe.start(session);
    session.record(probe.name, {.status = std::string("ok"), .duration_ms = since(start)});
  }
  return session.finish();
}

}  // namespace envdoctor
