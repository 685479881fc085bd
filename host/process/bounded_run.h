#pragma once
// A command as a whole, which may wait for a file system that no longer answers or for a reader that never comes.
#include <chrono>
#include <functional>

namespace envdoctor {

// Runs `work` in a process of its own and answers its exit status. A signal that ended it ends this process too; those
// that ask this process to end are handed on. Past the limit it gets TERM, 0.2 s later KILL, and is left behind if even
// that doesn't end it; then `late` gives the status. `work` runs here where no process can be started.
int run_bounded(std::chrono::milliseconds limit, const std::function<int()>& work, const std::function<int()>& late);

}  // namespace envdoctor
