// A lock that one thread takes for every event and others hardly ever.
//
//   if (lock.TryLockExclusive()) {            // The owner: two plain stores and a load, no atomic exchange.
//     …
//     lock.Unlock();
//   }
//   const OwnerLock::Visit visit(lock);  // Anybody else.
//
// An atomic exchange costs as much as half a scalar event, mostly because it waits for the stores
// before it. So the owner only says that it is in and then looks whether a visitor has announced
// itself; a visitor announces itself and then looks whether the owner is in. For one of them to see
// the other, no processor may move the look before the saying. The owner leaves that out, and the
// visitor makes up for it with membarrier(2), which orders the memory of all running threads at
// once. Where the system has no such call, the owner pays for the order itself.
#pragma once

#include <atomic>
#include <cstdint>

namespace cboard::writer {

class OwnerLock {
 public:
  // For the owner: one thread at a time. False when a visitor is there or about to come in.
  bool TryLockExclusive() {
    if (visitors_pay_) {
      owned_.store(true, std::memory_order_relaxed);
      std::atomic_signal_fence(std::memory_order_seq_cst);  // The compiler keeps the order.
    } else {
      owned_.exchange(true, std::memory_order_seq_cst);
    }
    if (visitors_.load(std::memory_order_seq_cst) == 0) [[likely]]
      return true;
    Unlock();
    return false;
  }
  void Unlock() { owned_.store(false, std::memory_order_release); }

  void Own();  // Waits for visitors to go. They come seldom, and go first.

  // For everybody else. Visitors wait for the owner and for each other.
  void EnterShared();
  bool TryEnterShared();  // Does not wait: false when somebody else is in.
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
  std::atomic<std::uint32_t> visitors_ = 0;  // Inside or waiting.
};

}  // namespace cboard::writer
