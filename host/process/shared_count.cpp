#include "host/process/shared_count.h"

#include <sys/mman.h>

#include <new>

namespace envdoctor {

SharedCount::SharedCount() {
  static_assert(std::atomic<int>::is_always_lock_free);
  void* memory = mmap(nullptr, sizeof(*count_), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) count_ = new (memory) std::atomic<int>(0);
}

SharedCount::~SharedCount() {
  if (count_) munmap(count_, sizeof(*count_));
}

}  // namespace envdoctor
