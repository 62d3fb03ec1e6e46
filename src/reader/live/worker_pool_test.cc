#include "reader/live/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace cboard::reader {
namespace {

TEST(WorkerPool, ForEachCallsEveryIndexOnceAndReturnsWhenAllAreDone) {
  WorkerPool pool(3);
  std::vector<std::atomic<int>> calls(1000);
  pool.ForEach(calls.size(), [&](std::size_t i) { ++calls[i]; });
  for (const auto& count : calls) EXPECT_EQ(count, 1);
  pool.ForEach(0, [](std::size_t) { FAIL(); });
}

TEST(WorkerPool, ATaskMayWaitForTasksOfItsOwn) {
  for (unsigned threads : {1u, 2u, 4u}) {
    WorkerPool pool(threads);
    std::atomic<int> calls = 0;
    std::promise<void> done;
    pool.Submit([&] {
      pool.ForEach(8, [&](std::size_t) {
        pool.ForEach(8, [&](std::size_t) { pool.ForEach(2, [&](std::size_t) { ++calls; }); });
      });
      done.set_value();
    });
    done.get_future().wait();
    EXPECT_EQ(calls, 128);
  }
}

TEST(WorkerPool, SubmittedTasksRunInOrderOnOneThread) {
  std::vector<int> order;
  std::promise<void> done;
  WorkerPool pool(1);
  for (int i = 0; i < 100; ++i) pool.Submit([&, i] { order.push_back(i); });
  pool.Submit([&] { done.set_value(); });
  done.get_future().wait();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST(WorkerPool, DropsWhatHasNotBegunWhenDestroyed) {
  std::atomic<bool> begun = false, release = false;
  std::atomic<int> later = 0;
  std::thread releaser;
  {
    WorkerPool pool(1);
    pool.Submit([&] {
      begun = true;
      while (!release) std::this_thread::yield();
    });
    while (!begun) std::this_thread::yield();
    for (int i = 0; i < 10; ++i) pool.Submit([&] { ++later; });
    EXPECT_EQ(pool.waiting(), 10u);
    releaser = std::thread([&] {
      // The destructor drops the waiting tasks before it waits for the one under way.
      while (pool.waiting() > 0) std::this_thread::yield();
      release = true;
    });
  }
  releaser.join();
  EXPECT_EQ(later, 0);
}

}  // namespace
}  // namespace cboard::reader
