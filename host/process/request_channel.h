#pragma once
// A program that answers one request after another in frames (host/process/subprocess_child.h). Use it in a child
// of ours only: nothing here limits time, and the program ends when we do.
#include <sys/types.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/files/descriptor.h"
#include "host/process/subprocess_child.h"

namespace envdoctor {

// The program ended or sent a malformed frame: "ended by SIGSEGV in import torch". It answers no further request.
class RequestChannelClosed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class RequestChannel {
 public:
  // Starts it, with a socket as its descriptor 3 for both directions and `shared` as its descriptor 4. What it prints
  // goes where our own standard error goes. `env` are "NAME=value" lines, all of them.
  RequestChannel(const std::vector<std::string>& argv, const std::vector<std::string>& env, int shared,
                 std::int64_t memory_mib);
  ~RequestChannel();  // ends it
  RequestChannel(const RequestChannel&) = delete;
  RequestChannel& operator=(const RequestChannel&) = delete;

  // The answer to one request, a frame of kind 'q'. `step` receives the steps that the program names. Throws
  // RequestChannelClosed.
  std::string request(const std::string& request, const std::function<void(const std::string&)>& step);

 private:
  [[noreturn]] void close(const std::string& why);
  pid_t pid_ = -1;
  Descriptor socket_{};
  std::int64_t memory_mib_;
  Frames said_{};
};

}  // namespace envdoctor
