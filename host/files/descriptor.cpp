#include "host/files/descriptor.h"

#include <fcntl.h>
#include <poll.h>

#include <cerrno>

namespace envdoctor {

namespace {

// Above 2: in a parent that was started without standard streams, dup2 would overwrite a lower descriptor.
Descriptor above_standard(int number) {
  const Descriptor low(number);
  return Descriptor(fcntl(number, F_DUPFD_CLOEXEC, 3));
}

}  // namespace

bool write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written > 0) {
      content.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd ready{.fd = file, .events = POLLOUT, .revents = 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  Pipe pipe{.reading = above_standard(ends[0]), .writing = above_standard(ends[1])};
  if (pipe.reading) fcntl(pipe.reading.get(), F_SETFL, O_NONBLOCK);
  return pipe;
}

}  // namespace envdoctor
