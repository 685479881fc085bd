#pragma once
#include <unistd.h>

#include <string_view>
#include <utility>

namespace envdoctor {

// Owns one file descriptor and closes it.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    other.close();
    return *this;
  }
  ~Descriptor() { close(); }

  [[nodiscard]] int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_ = -1;
};

// Blocks while the reader is slow. False, with errno set, if not all of it could be written.
bool write_all(int file, std::string_view content);

struct Pipe {
  Descriptor reading{}, writing{};
};

// Both ends close on exec, and the read end is non-blocking. Empty, with errno set, if there are no more descriptors.
Pipe make_pipe();

}  // namespace envdoctor
