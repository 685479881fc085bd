#pragma once
// Logs as rotation leaves them: packed by gzip, xz or zstd, in one member or several behind each other.
#include <functional>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace envdoctor {

// What is no log: damaged, too large, or no text. `what()` goes on after the file's name.
class NoLog : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Unpacker {
 public:
  using Take = std::function<void(std::string_view)>;

  virtual ~Unpacker() = default;
  // The next packed bytes, cut anywhere; `take` gets what comes of them. Throws NoLog.
  void feed(std::string_view packed, const Take& take);
  void finish(const Take& take);

 protected:
  // Unpacks from `packed`, which it shortens, to `out`; answers how many bytes it wrote. `last`: no more will come.
  virtual std::size_t step(std::string_view& packed, char* out, std::size_t size, bool last) = 0;
  bool ended_ = false;  // a member ended with the last byte that was read

 private:
  void run(std::string_view packed, bool last, const Take& take);
};

// By a log's first bytes; null: it is not packed.
std::unique_ptr<Unpacker> unpacker_of(std::string_view start);

}  // namespace envdoctor
