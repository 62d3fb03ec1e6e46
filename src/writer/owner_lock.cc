#include "writer/owner_lock.h"

#include <chrono>
#include <thread>

#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "cboard/base/check.h"

namespace cboard::writer {
namespace {

void Sleep() { std::this_thread::sleep_for(std::chrono::microseconds(20)); }

#if defined(__linux__) && defined(__NR_membarrier)
bool Membarrier(int command) { return ::syscall(__NR_membarrier, command, 0, 0) == 0; }
#endif

}  // namespace

// membarrier is not used with ThreadSanitizer: ThreadSanitizer does not know it and would report
// false races.
bool OwnerLock::UseAsymmetricFence() {
#if defined(__linux__) && defined(__NR_membarrier) && !defined(__SANITIZE_THREAD__)
  return Membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
#else
  return false;
#endif
}

const bool OwnerLock::visitors_pay_ = UseAsymmetricFence();

void OwnerLock::OrderAllThreads() {
#if defined(__linux__) && defined(__NR_membarrier)
  if (!visitors_pay_ || Membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return;
  // If the first call fails, registers the process: a forked child may need its own registration.
  CBOARD_CHECK(Membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) &&
               Membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED));
#endif
}

void OwnerLock::Own() {
  while (!TryLockExclusive()) Sleep();
}

void OwnerLock::EnterShared() {
  visitors_.fetch_add(1);
  while (visited_.exchange(true)) Sleep();
  OrderAllThreads();
  while (owned_.load()) Sleep();
}

bool OwnerLock::TryEnterShared() {
  visitors_.fetch_add(1);
  if (visited_.exchange(true)) {
    visitors_.fetch_sub(1);
    return false;
  }
  OrderAllThreads();
  if (!owned_.load()) return true;
  LeaveShared();
  return false;
}

void OwnerLock::LeaveShared() {
  visited_.store(false);
  visitors_.fetch_sub(1);
}

}  // namespace cboard::writer
