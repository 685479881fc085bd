#include "kernels/core/parallel.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

namespace envdoctor::kernels {
namespace {

// Persistent threads: starting new ones would cost more than some of the timed kernels.
class Pool {
 public:
  // Each process has its own, because threads don't survive a fork. Never destroyed, and the threads are never joined.
  static Pool& here() {
    static std::atomic<Pool*> current{nullptr};
    Pool* pool = current;
    if (pool && pool->owner_ == getpid()) return *pool;
    auto fresh = std::make_unique<Pool>();
    if (current.compare_exchange_strong(pool, fresh.get())) return *fresh.release();
    return *pool;
  }

  // Runs `work` here and on up to `helpers` threads, until all have finished. False if the pool is in use.
  bool run(unsigned helpers, const std::function<void()>& work) {
    if (taken_.exchange(true)) return false;
    {
      const std::lock_guard lock(mutex_);
      try {
        while (started_ < helpers) std::thread([this, index = started_] { help(index); }).detach(), ++started_;
      } catch (const std::system_error&) {  // no more threads available: the others do the rest
      }
      wanted_ = running_ = std::min(started_, helpers);
      work_ = &work;
      ++round_;
    }
    wake_.notify_all();
    work();
    {
      std::unique_lock lock(mutex_);
      done_.wait(lock, [this] { return running_ == 0; });
    }
    taken_ = false;
    return true;
  }

 private:
  void help(unsigned index) {
    std::unique_lock lock(mutex_);
    for (unsigned long seen = 0;;) {
      wake_.wait(lock, [&] { return round_ != seen; });
      seen = round_;
      if (index >= wanted_) continue;
      const std::function<void()>& work = *work_;
      lock.unlock();
      work();
      lock.lock();
      if (--running_ == 0) done_.notify_one();
    }
  }

  const pid_t owner_ = getpid();
  std::atomic<bool> taken_{false};
  std::mutex mutex_{};
  std::condition_variable wake_{}, done_{};
  unsigned started_ = 0, wanted_ = 0, running_ = 0;
  unsigned long round_ = 0;
  const std::function<void()>* work_ = nullptr;
};

// The cores of this process's affinity.
unsigned thread_count() {
  static const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  return cores;
}

}  // namespace

void parallel_for(std::size_t count, const std::function<void(std::size_t, std::size_t)>& body, std::size_t grain) {
  const std::size_t ranges = std::min<std::size_t>(thread_count() * 4ULL, (count + grain - 1) / grain);
  if (ranges <= 1 || thread_count() == 1) {
    if (count > 0) body(0, count);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr thrown;
  std::mutex mutex;
  const std::function<void()> work = [&] {
    for (std::size_t range = next++; range < ranges; range = next++) {
      try {
        body(count * range / ranges, count * (range + 1) / ranges);
      } catch (...) {
        const std::lock_guard lock(mutex);
        thrown = std::current_exception();
      }
    }
  };
  const auto helpers = static_cast<unsigned>(std::min<std::size_t>(thread_count(), ranges)) - 1;
  if (!Pool::here().run(helpers, work)) work();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace envdoctor::kernels
