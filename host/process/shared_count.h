#pragma once
#include <sys/mman.h>

#include <atomic>
#include <new>

namespace envdoctor {

// A counter shared by this process and the children it starts later.
class SharedCount {
 public:
  SharedCount() {
    static_assert(std::atomic<int>::is_always_lock_free);
    void* memory = mmap(nullptr, sizeof(*count_), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) count_ = new (memory) std::atomic<int>(0);
  }
  ~SharedCount() {
    if (count_) munmap(count_, sizeof(*count_));
  }
  SharedCount(const SharedCount&) = delete;
  SharedCount& operator=(const SharedCount&) = delete;

  // Increments and returns the count. 0 if no memory can be shared: then the limit is never reached.
  int add() const { return count_ ? count_->fetch_add(1) + 1 : 0; }
  [[nodiscard]] int value() const { return count_ ? count_->load() : 0; }

 private:
  std::atomic<int>* count_ = nullptr;
};

}  // namespace envdoctor
