#include "host/apart_frames.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace envdoctor {
namespace {

constexpr std::size_t head_size = sizeof(std::uint32_t) + 1;
constexpr std::size_t longest_step = 4096;

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd ready{.fd = descriptor, .events = POLLOUT, .revents = 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return;
    }
  }
}

}  // namespace

void write_frame(int descriptor, char kind, std::string_view bytes) {
  const auto length = static_cast<std::uint32_t>(bytes.size());
  char head[head_size];
  std::memcpy(head, &length, sizeof(length));
  head[sizeof(length)] = kind;
  write_all(descriptor, {head, head_size});
  write_all(descriptor, bytes);
}

void Frames::take(std::string_view bytes) {
  if (bad()) return;
  pending_.append(bytes);
  std::size_t begin = 0;
  while (!bad() && pending_.size() - begin >= head_size) {
    std::uint32_t length = 0;
    std::memcpy(&length, pending_.data() + begin, sizeof(length));
    const char kind = pending_[begin + sizeof(length)];
    if (kind != step_frame && kind != answer_frame && kind != trouble_frame) {
      bad_ = "its answer makes no sense";
    } else if (length > longest) {
      bad_ = fmt::format("its answer is longer than {} MiB", longest >> 20);
    } else if (pending_.size() - begin - head_size < length) {
      break;
    } else {
      frame(kind, std::string_view(pending_).substr(begin + head_size, length));
      begin += head_size + length;
    }
  }
  pending_.erase(0, bad() ? pending_.size() : begin);
}

void Frames::frame(char kind, std::string_view bytes) {
  if (kind == answer_frame) {
    answer = bytes;
    ++answers;
    answered_ = true;
  } else {
    (kind == step_frame ? step : trouble) = bytes.substr(0, longest_step);
  }
  complete_ = kind == answer_frame;
}

}  // namespace envdoctor
