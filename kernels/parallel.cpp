#include "kernels/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace envdoctor::kernels {
namespace {

constexpr unsigned no_limit = ~0U;
std::atomic<unsigned> most_threads{no_limit};

}  // namespace

unsigned thread_count() {
  static const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  return std::max(1U, std::min(cores, most_threads.load()));
}

void limit_threads(unsigned most) { most_threads = most; }

void parallel_for(std::size_t count, const std::function<void(std::size_t, std::size_t)>& body, std::size_t grain) {
  const std::size_t ranges = std::min<std::size_t>(thread_count() * 4ULL, (count + grain - 1) / grain);
  if (ranges <= 1) {
    if (count > 0) body(0, count);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr thrown;
  std::mutex mutex;
  const auto work = [&] {
    for (std::size_t range = next++; range < ranges; range = next++) {
      try {
        body(count * range / ranges, count * (range + 1) / ranges);
      } catch (...) {
        const std::lock_guard lock(mutex);
        thrown = std::current_exception();
      }
    }
  };
  std::vector<std::jthread> threads;
  try {
    for (unsigned i = 1; i < thread_count(); ++i) threads.emplace_back(work);
  } catch (const std::system_error&) {  // no more threads to be had: this one does the rest
  }
  work();
  threads.clear();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace envdoctor::kernels
