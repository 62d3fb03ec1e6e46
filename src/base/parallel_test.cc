#include "base/parallel.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "testing/matchers.h"

namespace cboard {
namespace {

using ::cboard::testing::FailsSaying;
using ::cboard::testing::Succeeds;

TEST(Parallel, DoesEveryItemOnce) {
  for (const std::size_t count : {0u, 1u, 31u, 32u, 1000u}) {
    std::vector<std::atomic<int>> times(count);
    EXPECT_THAT(ForEachInParallel(
                    count,
                    [&](std::size_t, std::size_t item) -> Result<void> {
                      ++times[item];
                      return {};
                    },
                    nullptr),
                Succeeds());
    for (const auto& time : times) EXPECT_EQ(time, 1);
  }
}

TEST(Parallel, LargeItemsGetAThreadEach) {
  std::atomic<int> begun = 0;
  const auto meet = [&](std::size_t, std::size_t) -> Result<void> {
    // Waits until both items are running.
    for (++begun; begun < 2;) std::this_thread::yield();
    return {};
  };
  EXPECT_THAT(ForEachInParallel(2, meet, nullptr, {.items_per_thread = 1, .max_threads = 2}),
              Succeeds());
  EXPECT_GE(ParallelOptions::ForLargeItems().max_threads, 1u);
}

TEST(Parallel, ReportsProgressOnTheCallingThread) {
  for (const std::size_t count : {3u, 500u}) {
    std::vector<std::size_t> seen;
    const auto caller = std::this_thread::get_id();
    EXPECT_THAT(ForEachInParallel(
                    count, [](std::size_t, std::size_t) -> Result<void> { return {}; },
                    [&](std::size_t done, std::size_t total) {
                      EXPECT_EQ(std::this_thread::get_id(), caller);
                      EXPECT_EQ(total, count);
                      seen.push_back(done);
                    }),
                Succeeds());
    ASSERT_GE(seen.size(), 2u);
    EXPECT_EQ(seen.front(), 0u);
    EXPECT_EQ(seen.back(), count);
    EXPECT_TRUE(std::ranges::is_sorted(seen));
  }
}

TEST(Parallel, ReportsTheEndEvenWhenItComesWhileProgressIsBeingShown) {
  constexpr std::size_t kCount = 500;
  std::atomic<std::size_t> worked = 0;
  std::size_t last = 0;
  EXPECT_THAT(ForEachInParallel(
                  kCount,
                  [&](std::size_t, std::size_t) -> Result<void> {
                    ++worked;
                    return {};
                  },
                  [&](std::size_t done, std::size_t) {
                    last = done;
                    if (done == 0) return;
                    while (worked < kCount) std::this_thread::yield();
                    // Simulates a slow terminal: the other threads have finished long before this
                    // call returns.
                    std::this_thread::sleep_for(std::chrono::milliseconds(20));
                  }),
              Succeeds());
  EXPECT_EQ(last, kCount);
}

TEST(Parallel, StopsAtAFailureAndReturnsTheFirstOne) {
  for (const std::size_t count : {10u, 10'000u}) {
    std::atomic<std::size_t> begun = 0;
    EXPECT_THAT(ForEachInParallel(
                    count,
                    [&](std::size_t, std::size_t item) -> Result<void> {
                      ++begun;
                      if (item < 5) return {};
                      return Fail(ErrorCode::kUnavailable, "item " + std::to_string(item));
                    },
                    nullptr),
                FailsSaying(ErrorCode::kUnavailable, "item 5"));
    EXPECT_LT(begun, 100u);
  }
}

}  // namespace
}  // namespace cboard
