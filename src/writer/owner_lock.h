// A lock that one thread (the owner) takes for every event, and other threads (visitors) take
// rarely.
//
//   if (lock.TryLockExclusive()) {            // The owner: no atomic exchange.
//     …
//     lock.Unlock();
//   }
//   const OwnerLock::Visit visit(lock);  // A visitor.
//
// An atomic exchange costs as much as half a scalar event, mostly because it waits for earlier
// stores. The owner therefore stores a flag and then checks for visitors; a visitor announces
// itself and then checks the owner's flag. This is correct only if no processor moves a check
// before its store. The owner uses no fence for this. The visitor calls membarrier(2) instead,
// which orders the memory accesses of all running threads. If the system does not support
// membarrier, the owner uses a fence.
#pragma once

#include <atomic>
#include <cstdint>

namespace cboard::writer {

class OwnerLock {
 public:
  // Locks for the owner. Only one thread at a time may be the owner. Returns false if a visitor
  // holds the lock or waits for it.
  bool TryLockExclusive() {
    if (visitors_pay_) {
      owned_.store(true, std::memory_order_relaxed);
      // This fence is only for the compiler: it must not move the check below before the store.
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      owned_.exchange(true, std::memory_order_seq_cst);
    }
    if (visitors_.load(std::memory_order_seq_cst) == 0) [[likely]]
      return true;
    Unlock();
    return false;
  }
  void Unlock() { owned_.store(false, std::memory_order_release); }

  void Own();  // Waits for visitors. They are rare and have priority.

  // Locks for a visitor. Waits for the owner and for other visitors.
  void EnterShared();
  bool TryEnterShared();  // For visitors. Does not wait: returns false if another thread is inside.
  void LeaveShared();

  class Visit {
   public:
    explicit Visit(OwnerLock& lock) : lock_(lock) { lock_.EnterShared(); }
    ~Visit() { lock_.LeaveShared(); }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    OwnerLock& lock_;
  };

 private:
  static bool UseAsymmetricFence();
  static void OrderAllThreads();

  static const bool visitors_pay_;

  std::atomic<bool> owned_ = false;
  std::atomic<bool> visited_ = false;
  std::atomic<std::uint32_t> visitors_ = 0;  // Number of visitors inside or waiting.
};

}  // namespace cboard::writer
