#pragma once
// Limits the time of a whole command, which may block on a dead file system or on a pipe without a reader.
#include <chrono>
#include <functional>

namespace envdoctor {

// Runs `work` in a child and returns its exit status. A signal that ended the child ends this process too; signals that
// ask this process to end are forwarded. Past the limit the child gets TERM, 0.2 s later KILL, and is left behind if
// even that doesn't end it; then `late` gives the status. Runs `work` in this process if no child can be started.
int run_bounded(std::chrono::milliseconds limit, const std::function<int()>& work, const std::function<int()>& late);

}  // namespace envdoctor
