#pragma once
#include <atomic>

namespace envdoctor {

// A count that this process and the children it starts later have in common.
class SharedCount {
 public:
  SharedCount();
  ~SharedCount();
  SharedCount(const SharedCount&) = delete;
  SharedCount& operator=(const SharedCount&) = delete;

  // One more; answers the new count. 0 if there is no memory to share: then no count can be reached.
  int add() const { return count_ ? count_->fetch_add(1) + 1 : 0; }
  [[nodiscard]] int value() const { return count_ ? count_->load() : 0; }

 private:
  std::atomic<int>* count_ = nullptr;
};

}  // namespace envdoctor
