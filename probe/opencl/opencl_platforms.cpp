// Reads the loader and the registered drivers as files, then starts one child per driver, in parallel. When all have
// listed their devices, the first child without a launch queries OpenCL as an application does, because it has already
// loaded most of what that needs. If a driver crashed its child, nobody does; without any driver a separate child does.
#include "probe/opencl/opencl_platforms.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "host/process/shared_count.h"
#include "probe/probes.h"

namespace envdoctor::opencl {
namespace {

// The children's results, collected until the last of them has ended.
struct Gathering {
  explicit Gathering(Session& session_) : session(session_), loader(session_.host.files, session_.host.env) {}
  Session& session;
  Loader loader;
  std::string kind{};  // of libOpenCL
  Opencl seen{};
  std::vector<OpenclIcd> icds{};
  std::vector<std::vector<OpenclPlatform>> platforms{};  // per driver
  std::string guilty{};                                  // the first driver that crashed its child, and how
  std::size_t running = 0;
  SharedCount listed{};  // children whose driver has listed its devices without a crash
  SharedCount lost{};    // children that crashed
  SharedCount asking{};  // counts requests to query as an application; the first one does it
};

// The real loader and the drivers must see the variables that the probe was given.
void set_environment(const Host& host) {
  for (const char* name : {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH"})
    if (!host.env.contains(name)) unsetenv(name);
  for (const auto& [name, value] : host.env) setenv(name.c_str(), value.c_str(), 1);
}

void finish(Gathering& all) {
  std::vector<OpenclPlatform>& platforms = all.seen.platforms.fill();
  for (auto& some : all.platforms) std::ranges::move(some, std::back_inserter(platforms));
  if (all.seen.icds.outcome() == Outcome::failed)
    all.seen.platforms = failed(all.seen.icds.why());
  else
    all.seen.icds = std::move(all.icds);
  if (all.seen.error.outcome() == Outcome::not_probed) {
    const Missing why = failed("not asked as an application does: " + all.guilty);
    all.seen.error = why;
    all.seen.application_platforms = why;
  }
  all.session.add({.opencl = std::move(all.seen)});
}

// True if the child had started to query as an application.
bool take_application(Opencl& seen, const Ended& ended, const Opencl& answered) {
  if (answered.error.outcome() == Outcome::not_probed) return false;
  seen.error = answered.error;
  seen.application_platforms = answered.application_platforms;
  if (ended.how != Ended::How::answered) {
    seen.error = failed(ended.why);
    seen.application_platforms = failed(ended.why);
  }
  if (const OpenclLoader* loaded = answered.loader.get()) {
    OpenclLoader& loader = seen.loader.fill();
    loader.path = loaded->path;
    loader.version = loaded->version;
  }
  return true;
}

// The driver crashed its child, unless there was no driver.
void blame_end(Gathering& all, OpenclIcd& icd, const Ended& ended) {
  if (ended.how == Ended::How::not_started) {
    icd.loads = failed(ended.why);
    return;
  }
  icd.error = ended.why;
  icd.error_kind = std::string(text(ended.how));
  if (!ended.step.empty()) icd.step = ended.step;
  if (icd.loads.get()) return;
  icd.loads = false;
  if (ended.step == "dlopen") explain(all.session.host, all.loader, icd);
}

void driver_ended(Gathering& all, std::size_t index, const Ended& ended, const Snapshot& part) {
  OpenclIcd& icd = all.icds[index];
  std::string culprit = icd.file.get() ? *icd.file.get() : *icd.library.get();
  bool through = ended.how == Ended::How::answered;
  if (const Opencl* answered = part.opencl.get()) {
    if (answered->icds.get() && !answered->icds.get()->empty()) icd = answered->icds.get()->front();
    through = through && !icd.step.get();
    if (answered->platforms.get()) all.platforms[index] = *answered->platforms.get();
    if (take_application(all.seen, ended, *answered) && !through) {
      culprit = loader_name;
      through = true;
    }
  }
  if (through && icd.loads.is(false) && !icd.error_kind.is("not-an-icd")) explain(all.session.host, all.loader, icd);
  if (!through) {
    all.lost.add();
    blame_end(all, icd, ended);
    if (all.guilty.empty()) all.guilty = fmt::format("{}: {}", culprit, ended.why);
  }
  all.session.record("opencl", culprit, ended);
  if (--all.running == 0) finish(all);
}

void ask_on(const Channel& channel, Opencl seen) {
  const Missing lost = failed("asking as an application does did not come back");
  seen.error = lost;
  seen.application_platforms = lost;
  answer(channel, seen);
  const Opencl application = ask_as_application(channel);
  seen.loader = application.loader;
  seen.error = application.error;
  seen.application_platforms = application.application_platforms;
  answer(channel, seen);
}

void start_application(const std::shared_ptr<Gathering>& all, Limits limits) {
  const auto work = [&host = all->session.host](const Channel& channel) {
    set_environment(host);
    ask_on(channel, {});
  };
  all->session.collect("opencl", limits, work, [all](const Ended& ended, const Snapshot& part) {
    if (part.opencl.get()) take_application(all->seen, ended, *part.opencl.get());
    all->guilty = ended.why;
    all->session.record("opencl", loader_name, ended);
    finish(*all);
  });
}

bool has_device(const Opencl& seen) {
  return std::ranges::any_of(seen.platforms.or_empty(),
                             [](const OpenclPlatform& platform) { return !platform.devices.or_empty().empty(); });
}

// Waits until each driver has listed its devices or crashed, but no longer than a first compilation
// takes.
void wait_for_others(const Gathering& all, int drivers) {
  constexpr int turns = 2000;
  for (int i = 0; i < turns && all.lost.value() == 0 && all.listed.value() < drivers; ++i) usleep(250);
}

void start_drivers(const std::shared_ptr<Gathering>& all, Limits limits) {
  all->platforms.resize(all->icds.size());
  all->running = static_cast<std::size_t>(
      std::ranges::count_if(all->icds, [](const OpenclIcd& icd) { return !icd.loads.is(false); }));
  if (all->running == 0) return start_application(all, limits);
  const auto drivers = static_cast<int>(all->running);
  std::vector<Session::Task> tasks;
  for (std::size_t i = 0; i < all->icds.size(); ++i) {
    if (all->icds[i].loads.is(false)) continue;
    const auto work = [all, drivers, i](const Channel& channel) {
      set_environment(all->session.host);
      const Opencl seen = ask_driver(
          channel, all->icds[i], all->kind != "khronos", [&] { all->listed.add(); }, all->session.options.launches);
      answer(channel, seen);
      if (!has_device(seen)) wait_for_others(*all, drivers);
      if (all->listed.value() == drivers && all->asking.add() == 1) ask_on(channel, seen);
    };
    const auto done = [all, i](const Ended& ended, const Snapshot& part) { driver_ended(*all, i, ended, part); };
    tasks.push_back({work, done});
  }
  const auto shared = [all] {
    set_environment(all->session.host);
    for (const std::string& path : shared_libraries(all->session.host, all->loader, all->icds))
      static_cast<void>(Library::open(path, true));
  };
  all->session.collect_sharing("opencl", limits, shared, std::move(tasks));
}

}  // namespace

void start(Session& session, Limits limits) {
  const Host& host = session.host;
  const auto all = std::make_shared<Gathering>(session);
  all->seen.loader = find_loader(host, all->loader);
  all->kind = all->seen.loader.or_empty().kind.or_empty();
  const Registration where = registration(host, all->kind);
  if (OpenclLoader* found = all->seen.loader.get()) {
    const bool reads_none = where.folder.empty() || all->kind == "vendor";
    found->vendors_dir = reads_none ? Text(absent("no folder is read")) : Text(where.folder);
    found->variable = where.variable.empty() ? Text(absent("no variable is set")) : Text(where.variable);
  }
  const List<OpenclIcd> icds = registered(host, where, all->kind);
  all->icds = icds.or_empty();
  if (!icds.get()) all->seen.icds = icds.missing();
  if (host.live) return start_drivers(all, limits);
  for (OpenclIcd& icd : all->icds) explain(host, all->loader, icd);
  if (icds.get()) all->seen.icds = std::move(all->icds);
  session.add({.opencl = all->seen});
}

}  // namespace envdoctor::opencl

namespace envdoctor {

void probe_opencl(Session& session) { opencl::start(session, Limits{}); }

}  // namespace envdoctor
