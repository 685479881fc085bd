#pragma once
// The child's side of host/apart.h.
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace envdoctor {

// Run right after fork(), in the child: a process group of its own, default signals, no core file, standard input from
// /dev/null, standard output and error to these descriptors, gone when the parent goes.
void become_child(pid_t parent, int output, int errors);

// Runs the work and leaves by _exit: our exit handlers, and those of the drivers, are not run.
[[noreturn]] void do_work(const std::function<void()>& work, int frames);

// Becomes the program, or says on `frames` why it can't. If `answers`, the program has `frames` as its descriptor 3,
// and `shared`, if there is one, as its descriptor 4.
[[noreturn]] void become_program(const std::vector<std::string>& argv, const std::vector<std::string>& env, int frames,
                                 bool answers = false, int shared = -1);

}  // namespace envdoctor
