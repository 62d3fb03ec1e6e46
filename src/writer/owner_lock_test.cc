#include "writer/owner_lock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace cboard {
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
        if (lock.TryVisit()) {
          enter();
          lock.EndVisit();
        }
      }
    });
  }
  for (int i = 0; i < 200'000; ++i) {
    if (!lock.TryOwn()) continue;
    enter();
    lock.Disown();
  }
  stop = true;
  for (std::thread& visitor : visitors) visitor.join();
  EXPECT_EQ(inside, entered);
}

TEST(OwnerLock, AVisitorKeepsTheOwnerOut) {
  OwnerLock lock;
  {
    const OwnerLock::Visit visit(lock);
    EXPECT_FALSE(lock.TryOwn());
    EXPECT_FALSE(lock.TryVisit());
  }
  EXPECT_TRUE(lock.TryOwn());
}

TEST(OwnerLock, TheOwnerKeepsVisitorsOut) {
  OwnerLock lock;
  ASSERT_TRUE(lock.TryOwn());
  EXPECT_FALSE(lock.TryVisit());
  lock.Disown();
  ASSERT_TRUE(lock.TryVisit());
  lock.EndVisit();
}

TEST(OwnerLock, AnOwnerWhoWaitsComesInWhenTheVisitorsHaveGone) {
  OwnerLock lock;
  lock.BeginVisit();
  std::atomic<bool> owned = false;
  std::thread owner([&] {
    lock.Own();
    owned = true;
    lock.Disown();
  });
  EXPECT_FALSE(owned);
  lock.EndVisit();
  owner.join();
  EXPECT_TRUE(owned);
}

}  // namespace
}  // namespace cboard
