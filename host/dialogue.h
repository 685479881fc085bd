#pragma once
// A program that is asked one thing after another, and answers each in frames (host/apart_frames.h). For use in a child
// of ours: nothing here limits time, and the program ends when we do.
#include <sys/types.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/apart_frames.h"
#include "host/descriptor.h"

namespace envdoctor {

// The program ended or said what makes no sense: "ended by SIGSEGV in import torch". It can't be asked any more.
class DialogueOver : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Dialogue {
 public:
  // Starts it, with a socket as its descriptor 3 for both directions and `shared` as its descriptor 4. What it prints
  // goes where our own standard error goes. `env` are "NAME=value" lines, all of them.
  Dialogue(const std::vector<std::string>& argv, const std::vector<std::string>& env, int shared, std::int64_t memory_mib);
  ~Dialogue();  // ends it
  Dialogue(const Dialogue&) = delete;
  Dialogue& operator=(const Dialogue&) = delete;

  // The answer to one question, a frame of kind 'q'. `step` is told what the program names on its way. Throws
  // DialogueOver.
  std::string ask(const std::string& question, const std::function<void(const std::string&)>& step);

 private:
  [[noreturn]] void over(const std::string& why);
  void check_memory();
  pid_t pid_ = -1;
  Descriptor socket_{};
  std::int64_t memory_mib_;
  Frames said_{};
};

}  // namespace envdoctor
