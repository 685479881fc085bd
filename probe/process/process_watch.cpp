#include "probe/process/process_watch.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "evidence/json.h"
#include "host/files/kernel_queries.h"
#include "host/text.h"
#include "knowledge/codes/names.h"
#include "knowledge/frameworks/process_names.h"
#include "probe/gpu/vendor_probes.h"
#include "probe/os/device_nodes.h"
#include "probe/os/libraries.h"
#include "probe/redaction/redact.h"

namespace envdoctor {

namespace {

constexpr unsigned most_devices = 256;

std::string origin_of(const Files& files, const std::string& path) {
  if (contains(path, "/site-packages/") || contains(path, "/dist-packages/")) return "pip";
  if (const auto lib = path.find("/lib/"); lib != path.npos && files.status(path.substr(0, lib) + "/conda-meta").get())
    return "conda";
  return path.starts_with("/usr/local/cuda") || path.starts_with("/opt/") ? "toolkit" : "system";
}

Map<std::string> environment_of(const Files& files, std::int64_t pid) {
  return files.read("/proc/" + std::to_string(pid) + "/environ", 4 << 20).then([](const std::string& text) {
    std::map<std::string, std::string> all;
    for (const auto entry : pieces(text, '\0')) {
      const auto name = entry.substr(0, entry.find('='));
      if (name.size() < entry.size()) all.emplace(name, entry.substr(name.size() + 1));
    }
    return all;
  });
}

std::map<std::string, Text> gpu_variables(const std::map<std::string, std::string>& all) {
  std::map<std::string, Text> matter;
  for (const auto& [name, value] : all) {
    if (knowledge::env_allowed(name) && !knowledge::env_names_hosts(name)) matter.emplace(name, value);
  }
  return matter;
}

}  // namespace

std::string why_pids_differ(const Files& files) {
  if (files.status("/dev/dxg").get()) return "WSL's NVML doesn't list processes";
  const auto own = files.link("/proc/self/ns/pid");
  if (own.get() && *own.get() == "pid:[4026531836]")
    return {};  // the inode of the host's own namespace, PROC_PID_INIT_INO
  return "inside a container NVML's process list carries the host's PIDs, which can't be matched with those seen here";
}

ProcessWatch::ProcessWatch(const Host& host, std::int64_t pid, WatchOptions options)
    : host_(host), pid_(pid), options_(std::move(options)), tree_(host.files, pid, options_.besides) {}

void ProcessWatch::look(double now) {
  tree_.look();
  if (tree_.alive().empty()) return;
  ++samples_;
  spend(now);
  if (!env_.get() && tree_.alive().contains(pid_)) {
    const auto all = environment_of(host_.files, pid_);
    env_ = all.then(gpu_variables);
    owner_ = identity_of(all.or_empty());
  }
  std::map<std::string, std::map<std::string, DrmClient>> clients;  // by address and client: a client may be open twice
  for (const auto& [pid, stat] : tree_.alive()) {
    if (pid == pid_) program_ = stat.name;
    if (const std::string why = knowledge::why_outside(stat.name); !why.empty()) outside_.insert(why);
    const auto nodes = open_nodes(host_.files, pid, options_.nodes);
    if (nodes.outcome() == Outcome::failed)
      unreadable_ = fmt::format("process {} ({}) may not be looked into: {}", pid, stat.name, nodes.why());
    if (!nodes.get()) continue;
    for (const std::string& path : nodes.get()->paths) {
      nodes_.insert(path);
      const std::string name = path.substr(options_.nodes.size() + 1);
      if (name.starts_with("nvidia") && is_compute_node(name)) holds_nvidia_ = true;
    }
    for (const DrmClient& client : nodes.get()->clients) {
      if (client.is_complete()) clients[client.address].emplace(client.id, client);
    }
    read_maps(pid, now, nodes.get()->paths.size());
  }
  take_clients(clients, now);
}

void ProcessWatch::spend(double now) {
  bool waits = false, runs = false;
  for (const auto& [pid, stat] : tree_.alive()) {
    spent_[pid] = stat.spent;
    waits = waits || stat.state == 'D';
    runs = runs || stat.state == 'R';
  }
  if (waits) storage_s_ += now - looked_;
  if (runs) runnable_s_ += now - looked_;
  looked_ = now;
}

// Maps of a framework are long: they are read when a process is new, when it opens a node, and less and less often.
void ProcessWatch::read_maps(std::int64_t pid, double now, std::size_t nodes) {
  Maps& maps = maps_[pid];
  if (now < maps.due && nodes == maps.nodes) return;
  maps.nodes = nodes;
  maps.due = now + maps.wait;
  maps.wait = std::min(maps.wait * 2, 60.0);
  const auto text = host_.files.read("/proc/" + std::to_string(pid) + "/maps", 64 << 20);
  if (!text.get()) return;
  for (const std::string& path : mapped_libraries(*text.get())) libraries_.insert(path);
}

void ProcessWatch::take_clients(const std::map<std::string, std::map<std::string, DrmClient>>& clients, double now) {
  for (const auto& [address, on_gpu] : clients) {
    const auto [entry, fresh] = drm_.try_emplace(address);
    Drm& drm = entry->second;
    if (fresh) drm.since = now;
    drm.last = now;
    ++drm.samples;
    std::int64_t memory = 0;
    for (const auto& [id, client] : on_gpu) {
      drm.driver = client.driver;
      memory += client.memory_mib;
      for (const auto& [engine, busy] : client.busy_ns) {
        const auto [span, first] = drm.busy[id].try_emplace(engine, busy, busy);
        span->second.second = std::max(span->second.second, busy);
      }
    }
    drm.peak_mib = std::max(drm.peak_mib, memory);
  }
}

void ProcessWatch::take(const NvmlRound& round, double now) {
  const auto* processes = round.processes.get();
  if (!processes) {
    no_nvml_ = round.processes.why();
    return;
  }
  ++rounds_;
  const double since = round_ < 0 ? 0 : now - round_;
  round_ = now;
  double busiest = 0, copying = 0;
  held_mib_ = 0;
  for (const RoundDevice& device : round.devices.or_empty()) {
    std::int64_t memory = 0, ours = 0, others = 0;
    double busy = 0;
    bool memory_known = false;
    std::string busy_unknown;
    for (const RoundProcess& process : *processes) {
      if (process.gpu != device.index || !process.pid.get()) continue;
      const bool own = tree_.had(*process.pid.get());
      ++(own ? ours : others);
      if (!own) continue;
      memory += process.memory_mib.or_empty();
      memory_known = memory_known || process.memory_mib.get();
      busy += process.busy_percent.or_empty();
      if (!process.busy_percent.get()) busy_unknown = process.busy_percent.why();
    }
    const std::int64_t index = device.index.value_or(-1);
    if (ours == 0 && !loads_.contains(index)) continue;
    Load& load = loads_[index];
    load.device = device;
    ++load.rounds;
    load.peak_mib = std::max(load.peak_mib, memory);
    load.memory_known = load.memory_known || memory_known;
    if (!busy_unknown.empty()) {  // then the whole GPU's load is used, if no other process uses it
      if (const auto* whole = device.utilization_percent.get(); whole && others == 0)
        busy = static_cast<double>(*whole);
      else
        load.busy_unknown = "NVML does not report the utilization of each process (" + busy_unknown + ")";
    }
    load.busy_sum += std::min(busy, 100.0);
    held_mib_ += memory;
    busiest = std::max(busiest, std::min(busy, 100.0));
    copying = std::max(copying, device.copying_percent.or_empty());
    copies_known_ = copies_known_ || device.copying_percent.get();
  }
  busy_s_ += busiest / 100 * since;
  copying_s_ += copying / 100 * since;
}

ProcessTime ProcessWatch::time() const {
  ProcessTime time{.storage = storage_s_, .runnable = runnable_s_};
  std::int64_t ticks = 0;
  for (const auto& [pid, spent] : spent_) ticks += spent;
  time.cpu = static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
  if (const auto known = gpus(); !known.get()) {
    time.gpu_busy = known.missing();
    return time;
  }
  double busy = busy_s_, copying = copying_s_;
  std::int64_t held = held_mib_;
  bool copies_known = copies_known_;
  for (const auto& [address, drm] : drm_) {
    std::map<std::string, std::int64_t> engines;
    for (const auto& [id, client] : drm.busy) {
      for (const auto& [engine, span] : client) engines[engine] += span.second - span.first;
    }
    for (const auto& [engine, ns] : engines) {
      const bool copies = engine == "copy" || engine == "dma" || engine == "bcs";  // i915, amdgpu, xe
      copies_known = copies_known || copies;
      double& sum = copies ? copying : busy;
      sum = std::max(sum, static_cast<double>(ns) * 1e-9);
    }
    held += drm.peak_mib;
  }
  time.gpu_busy = busy;
  if (copies_known) time.copying = copying;
  time.memory_mib = held;
  return time;
}

List<ProcessGpu> ProcessWatch::gpus() const {
  std::vector<ProcessGpu> all;
  for (const auto& [index, load] : loads_) {
    ProcessGpu gpu{.seen_by = std::string("nvml"),
                   .index = index,
                   .uuid = load.device.uuid,
                   .name = load.device.name,
                   .samples = load.rounds};
    gpu.busy_percent = load.busy_sum / static_cast<double>(load.rounds);
    if (!load.busy_unknown.empty()) gpu.busy_percent = failed(load.busy_unknown);
    gpu.peak_memory_mib = load.peak_mib;
    if (!load.memory_known) gpu.peak_memory_mib = failed("NVML does not report the memory of each process");
    all.push_back(gpu);
  }
  for (const auto& [address, drm] : drm_) {
    std::map<std::string, std::int64_t> engines;
    for (const auto& [id, client] : drm.busy) {
      for (const auto& [engine, span] : client) engines[engine] += span.second - span.first;
    }
    ProcessGpu gpu{.seen_by = std::string("drm"),
                   .pci_address = address,
                   .driver = drm.driver,
                   .peak_memory_mib = drm.peak_mib,
                   .samples = drm.samples};
    const auto busiest = std::ranges::max_element(engines, {}, [](const auto& e) { return e.second; });
    if (drm.last - drm.since < 0.5)
      gpu.busy_percent = failed("it was observed for less than half a second");
    else
      gpu.busy_percent = std::min(100.0, static_cast<double>(busiest->second) * 1e-9 / (drm.last - drm.since) * 100.0);
    all.push_back(gpu);
  }
  if (!all.empty() || !holds_nvidia_) return all;
  if (const std::string why = why_pids_differ(host_.files); !why.empty()) return failed(why);
  if (!no_nvml_.empty()) return failed(no_nvml_);
  if (rounds_ == 0) return failed("it ended before NVML was queried");
  return all;
}

std::vector<ProcessLibrary> ProcessWatch::libraries() const {
  std::vector<ProcessLibrary> all;
  PackageVersions packages(host_.files);
  for (const std::string& path : libraries_) {
    const auto* kind = knowledge::process_library_kind(base_name(path));
    const std::string file(base_name(path));
    ProcessLibrary row{.library = kind->library, .path = path, .origin = origin_of(host_.files, path)};
    row.version = version_of_file_name(path, file.substr(0, file.find(".so") + 3));
    if (!row.version.get()) row.version = packages.of(path, kind->library);
    all.push_back(row);
  }
  return all;
}

ProcessUse ProcessWatch::result(double now, std::int64_t opens) const {
  ProcessUse use{.pid = pid_, .processes = tree_.count(), .seconds = now, .samples = samples_};
  if (samples_ > 0) {
    use.program = program_;
    use.nodes = std::vector<std::string>(nodes_.begin(), nodes_.end());
    use.libraries = libraries();
    use.gpus = gpus();
    use.env = env_;
    use.time = time();
  }
  use.opens = opens >= 0 ? Number(opens) : Number(failed("the kernel refused to watch the device nodes"));
  use.unreadable = unreadable_.empty() ? Text(absent("all processes could be read")) : Text(unreadable_);
  use.outside = outside_.empty() ? Text(absent("no reason known")) : Text(*outside_.begin());
  return use;
}

namespace {

// The used share of its link's bandwidth, in the busier direction. GB/s a lane by generation, PCIe's own.
Real copying_percent(VendorReader<nvml::Api, nvml::Device>& reader) {
  constexpr double lane_gb_s[] = {0, 0.25, 0.5, 0.985, 1.969, 3.938, 7.563};
  const auto generation = reader.read(&nvml::Api::link, nvml::LinkFact::generation);
  const auto width = reader.read(&nvml::Api::link, nvml::LinkFact::width);
  const auto in = reader.read(&nvml::Api::pcie_throughput, true), out = reader.read(&nvml::Api::pcie_throughput, false);
  if (!in.get() || !out.get()) return Real((in.get() ? out : in).missing());
  if (!generation.get() || !width.get() || *generation.get() < 1 || *generation.get() > 6 || *width.get() == 0)
    return failed("how much its link can carry is not known");
  const double can = lane_gb_s[*generation.get()] * *width.get() * 1e6;
  return std::min(100.0, 100.0 * std::max(*in.get(), *out.get()) / can);
}

}  // namespace

std::string NvmlRounds::begin() {
  if (const auto file = api_.library(); !file.get()) return "NVML was not loaded: " + file.why();
  const nvml::Code code = api_.init();
  return code == nvml::success ? "" : "nvmlInit: " + code_text("nvml", code);
}

NvmlRound NvmlRounds::round() {
  NvmlRound round;
  unsigned count = 0;
  const nvml::Code counted = api_.device_count(count);
  if (counted != nvml::success || count > most_devices) {
    round.processes = failed("nvmlDeviceGetCount: " + code_text("nvml", counted));
    return round;
  }
  auto& devices = round.devices.fill();
  std::vector<RoundProcess> processes;
  Missing not_listed;
  for (unsigned index = 0; index < count; ++index) {
    nvml::Device handle = nullptr;
    if (api_.device(index, handle) != nvml::success) continue;
    VendorReader reader(api_, nvml_codes, handle);
    RoundDevice device{.index = std::int64_t{index}};
    device.uuid = reader.read(&nvml::Api::uuid);
    device.name = reader.read(&nvml::Api::name).then(tame);
    device.utilization_percent = reader.read(&nvml::Api::utilization).then([](unsigned v) { return std::int64_t{v}; });
    if (copies_) device.copying_percent = copying_percent(reader);
    devices.push_back(device);

    const auto listed = reader.read(&nvml::Api::processes, nvml::ProcessKind::compute);
    if (!listed.get()) {
      not_listed = listed.missing();
      continue;
    }
    const auto loads = reader.read(&nvml::Api::process_loads, seen_us_[index]);
    std::map<unsigned, std::pair<double, int>> samples;  // sum and number; none: it was idle
    for (const nvml::ProcessLoad& load : loads.or_empty()) {
      samples[load.pid].first += load.percent;
      ++samples[load.pid].second;
      seen_us_[index] = std::max(seen_us_[index], load.at_us);
    }
    for (const nvml::Process& process : *listed.get()) {
      RoundProcess row{.pid = std::int64_t{process.pid}, .gpu = std::int64_t{index}};
      if (process.memory_bytes != nvml::memory_not_available) row.memory_mib = mib(process.memory_bytes);
      const auto [sum, number] = samples[process.pid];
      row.busy_percent = loads.get() ? Real(sum / std::max(number, 1)) : Real(loads.missing());
      processes.push_back(row);
    }
  }
  const bool lost = processes.empty() && !not_listed.why.empty();
  round.processes = std::move(processes);
  if (lost) round.processes = failed("NVML does not list processes: " + not_listed.why);
  return round;
}

BackgroundChild::Work nvml_rounds(const std::string& soname_or_path, Milliseconds gap, bool copies) {
  return [=](const Channel& channel, int ending) {
    const auto api = nvml::open(soname_or_path, [&channel](const std::string& call) { channel.step(call); });
    NvmlRounds rounds(*api, copies);
    if (const std::string why = rounds.begin(); !why.empty()) {
      channel.answer(to_json(Watched{.round = NvmlRound{.processes = failed(why)}}));
      return;
    }
    pollfd stop{.fd = ending, .events = POLLIN, .revents = 0};
    for (bool first = true, last = false;; first = false) {
      const double before = cpu_seconds();
      channel.answer(to_json(Watched{.round = rounds.round()}));
      if (last) return;
      // At most half a percent of a core; the first round's loading costs are not repeated.
      const auto dear = first ? 0 : static_cast<std::int64_t>((cpu_seconds() - before) * 1000 * 200);
      last = ::poll(&stop, 1, static_cast<int>(std::max<std::int64_t>(gap.count(), dear))) > 0;
    }
  };
}

// The loop around ProcessWatch: when to sample, so that it costs less than half a percent of a core.

namespace {

using Clock = std::chrono::steady_clock;
constexpr double dearest = 0.005;  // share of a core
constexpr double credit_s = 0.05;  // CPU time that may be spent at once
constexpr std::int64_t most_nvml_mib = 4096;
constexpr Milliseconds nvml_silence{10'000};

std::vector<std::string> watched_nodes(const std::vector<DeviceNode>& nodes, const std::string& folder) {
  std::vector<std::string> paths;
  for (const DeviceNode& node : nodes) {
    const std::string& path = *node.path.get();
    if (path.starts_with(folder + "/") && is_compute_node(path.substr(folder.size() + 1))) paths.push_back(path);
  }
  return paths;
}

class Loop {
 public:
  Loop(std::int64_t pid, const WatchOptions& options)
      : options_(options),
        files_(open_files("/")),
        host_{.files = *files_},
        watch_(host_, pid, options),
        nodes_(list_nodes(*files_)),
        opens_(watched_nodes(nodes_, options.nodes)) {}

  void run(const Channel& channel, int ending) {
    double gap = 0.005;
    for (bool over = false; !over;) {
      const double before = cpu_seconds();
      watch_.look(now());
      mind_nvml();
      const double cost = cpu_seconds() - before;
      if (options_.every.count() > 0 && now() >= due_) {
        due_ += std::chrono::duration<double>(options_.every).count();
        answer(channel);
      }
      gap = std::min(gap * 2, std::chrono::duration<double>(options_.gap).count());
      const double next = now() + std::max(gap, cost / dearest);
      over = wait(ending, options_.every.count() > 0 ? std::min(next, due_) : next);
    }
    watch_.look(now());
    if (nvml_) {
      nvml_.end(Milliseconds(500));
      take_round();
    }
    answer(channel);
  }

 private:
  [[nodiscard]] double now() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  [[nodiscard]] bool may_spend() const { return cpu_seconds() < credit_s + dearest * now(); }

  // Waits until a sample is due, a process opened a node, or the watch ends (then true).
  bool wait(int ending, double until) {
    while (true) {
      const double left = until - now();
      if (left <= 0) return false;
      pollfd polled[] = {{.fd = ending, .events = POLLIN, .revents = 0},
                         {.fd = opens_.descriptor(), .events = POLLIN, .revents = 0},
                         {.fd = nvml_ ? nvml_.descriptor() : -1, .events = POLLIN, .revents = 0}};
      if (!may_spend()) polled[1].fd = -1;
      ::poll(polled, 3, static_cast<int>(left * 1000) + 1);
      if (polled[0].revents != 0) return true;
      if (polled[2].revents != 0) take_round();
      if (opens_.read() && may_spend()) return false;
    }
  }

  void mind_nvml() {
    if (!nvml_ && !asked_nvml_ && watch_.holds_nvidia() && why_pids_differ(*files_).empty()) {
      asked_nvml_ = true;
      nvml_ = BackgroundChild(nvml_rounds(options_.nvml, options_.gap, options_.every.count() > 0));
      last_round_ = Clock::now();
    }
    if (!nvml_) return;
    if (Clock::now() - last_round_ > nvml_silence + options_.gap) nvml_.stop("NVML gave no answer within 10 s");
    if (nvml_.memory_mib() > most_nvml_mib) nvml_.stop("NVML took more than 4 GiB");
    if (!nvml_) watch_.lost_nvml(nvml_.why_over());
  }

  void take_round() {
    const bool news = nvml_.read();
    if (news) {
      last_round_ = Clock::now();
      try {
        if (const Watched answer = watched_from_json(nvml_.answer(), "NVML"); answer.round.get())
          watch_.take(*answer.round.get(), now());
      } catch (const BadDocument& bad) {
        watch_.lost_nvml(bad.what());
      }
    } else if (!nvml_ && !nvml_.why_over().empty() && nvml_.answer().empty()) {
      watch_.lost_nvml("NVML: " + nvml_.why_over());
    }
  }

  void answer(const Channel& channel) {
    Watched watched{.process = watch_.result(now(), opens_.descriptor() < 0 ? -1 : opens_.count())};
    for (DeviceNode& node : nodes_) {
      if (node.accessible.outcome() == Outcome::not_probed) node.accessible = may_open(*node.path.get());
    }
    watched.device_nodes = nodes_;
    if (options_.redact) {
      redact(watched, identity_of(host_));
      redact(watched, watch_.owner());
    }
    channel.answer(to_json(watched));
  }

  Clock::time_point start_ = Clock::now(), last_round_{};
  WatchOptions options_;
  std::unique_ptr<Files> files_;
  Host host_;
  ProcessWatch watch_;
  std::vector<DeviceNode> nodes_;
  NodeOpens opens_;
  BackgroundChild nvml_{};
  bool asked_nvml_ = false;
  double due_ = std::chrono::duration<double>(options_.every).count();
};

}  // namespace

BackgroundChild::Work watch_process(std::int64_t pid, const WatchOptions& options) {
  return [=](const Channel& channel, int ending) { Loop(pid, options).run(channel, ending); };
}

}  // namespace envdoctor
