#include "writer/owner_lock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace cboard::writer {
namespace {

TEST(OwnerLock, OwnerAndVisitorsAreNeverInAtOnce) {
  OwnerLock lock;
  long inside = 0;  // Plain: two at once would lose an increment.
  std::atomic<long> entered = 0;
  std::atomic<bool> stop = false;
  const auto enter = [&] {
    ++inside;
    entered.fetch_add(1, std::memory_order_relaxed);
  };
  std::vector<std::thread> visitors;
  for (int i = 0; i < 2; ++i) {
    visitors.emplace_back([&] {
      while (!stop) {
        {
          const OwnerLock::Visit visit(lock);
          enter();
        }
        if (lock.TryEnterShared()) {
          enter();
          lock.LeaveShared();
        }
      }
    });
  }
  for (int i = 0; i < 200'000; ++i) {
    if (!lock.TryLockExclusive()) continue;
    enter();
    lock.Unlock();
  }
  stop = true;
  for (std::thread& visitor : visitors) visitor.join();
  EXPECT_EQ(inside, entered);
}

TEST(OwnerLock, AVisitorKeepsTheOwnerOut) {
  OwnerLock lock;
  {
    const OwnerLock::Visit visit(lock);
    EXPECT_FALSE(lock.TryLockExclusive());
    EXPECT_FALSE(lock.TryEnterShared());
  }
  EXPECT_TRUE(lock.TryLockExclusive());
}

TEST(OwnerLock, TheOwnerKeepsVisitorsOut) {
  OwnerLock lock;
  ASSERT_TRUE(lock.TryLockExclusive());
  EXPECT_FALSE(lock.TryEnterShared());
  lock.Unlock();
  ASSERT_TRUE(lock.TryEnterShared());
  lock.LeaveShared();
}

TEST(OwnerLock, AnOwnerWhoWaitsComesInWhenTheVisitorsHaveGone) {
  OwnerLock lock;
  lock.EnterShared();
  std::atomic<bool> owned = false;
  std::thread owner([&] {
    lock.Own();
    owned = true;
    lock.Unlock();
  });
  EXPECT_FALSE(owned);
  lock.LeaveShared();
  owner.join();
  EXPECT_TRUE(owned);
}

}  // namespace
}  // namespace cboard::writer
