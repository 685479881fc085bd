#include "probe/script.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "evidence/json.h"
#include "host/apart.h"
#include "host/descriptor.h"
#include "knowledge/script_calls.h"
#include "probe/ask.h"

namespace envdoctor {
namespace {

constexpr Limits usual_limits{.time = Milliseconds(30'000), .memory_mib = 4096};

// The content as a file that a child can open by name.
Descriptor as_file(const std::string& content) {
  Descriptor file(memfd_create("script", MFD_CLOEXEC));
  std::string_view left = content;
  while (file && !left.empty()) {
    const ssize_t written = ::write(file.get(), left.data(), left.size());
    if (written <= 0) return {};
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  return file;
}

List<LogEvent> unreadable(const std::string& shown, const std::string& why) {
  LogEvent event{.event = std::string("script-unreadable"), .source = shown};
  event.fields["why"] = why;
  return std::vector{event};
}

}  // namespace

List<LogEvent> read_script(const std::string& content, const std::string& shown, const std::string& python,
                           Milliseconds most) {
  Limits limits = usual_limits;
  limits.time = std::min(limits.time, most);
  const Descriptor file = as_file(content);
  if (!file) return failed("no memory for a copy of the script");
  std::vector<std::string> argv = {python,
                                   "-I",
                                   "-S",
                                   "-c",
                                   std::string(ask_scripts().at("script_reader")),
                                   fmt::format("/proc/{}/fd/{}", getpid(), file.get()),
                                   shown};
  for (const std::string& name : knowledge::script_call_names()) argv.push_back(name);
  Ended ended;
  Crew crew;
  crew.exec("script", limits, argv, {"PATH=/usr/bin:/bin", "PYTHONIOENCODING=utf-8"},
            [&](const Ended& how) { ended = how; });
  crew.run(limits.time + Milliseconds(2000));
  if (ended.how == Ended::How::crashed) return unreadable(shown, "reading it, Python was " + ended.why);
  if (ended.how == Ended::How::timed_out) return unreadable(shown, "reading it, Python came to " + ended.why);
  if (ended.how == Ended::How::out_of_memory) return unreadable(shown, "reading it took Python more than 4 GiB");
  if (ended.how != Ended::How::answered || ended.status != 0)
    return failed(python + ": " + ended.why + (ended.printed.empty() ? "" : ": " + ended.printed));
  try {
    return snapshot_from_json(ended.answer, "the script's reader").log;
  } catch (const BadDocument& bad) {
    return failed(bad.what());
  }
}

}  // namespace envdoctor
