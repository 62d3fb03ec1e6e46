#include "writer/io_thread.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <csignal>
#include <functional>

#include "testing/matchers.h"

namespace cboard::writer {
namespace {

using testing::Succeeds;
using TimePoint = IoThread::TimePoint;

struct FunctionTask final : IoThread::Task {
  TimePoint Run(TimePoint now) override { return run(now); }
  std::function<TimePoint(TimePoint)> run;
};

TEST(IoThread, ATaskThatAlwaysHasMoreToDoLetsOthersHaveTheirTurn) {
  // The tasks are neighbours in memory, so that an order by address would be noticed.
  const auto tasks = std::make_shared<std::array<FunctionTask, 2>>();
  for (const std::size_t busy : {0u, 1u}) {
    const std::shared_ptr<FunctionTask> busy_task(tasks, &(*tasks)[busy]);
    const std::shared_ptr<FunctionTask> other_task(tasks, &(*tasks)[1 - busy]);
    constexpr int kSurelyNever = 1000;
    IoThread io;
    std::atomic<int> busy_turns = 0;
    std::atomic<bool> done = false;
    busy_task->run = [&](TimePoint now) {
      if (++busy_turns == 1) io.Wake(*other_task);
      if (busy_turns == kSurelyNever) done = true;
      done.notify_all();
      if (done) return TimePoint::max();
      io.Wake(*busy_task);
      return now;
    };
    other_task->run = [&](TimePoint) {
      done = true;
      done.notify_all();
      return TimePoint::max();
    };
    ASSERT_THAT(io.Add(other_task, TimePoint::max()), Succeeds());
    ASSERT_THAT(io.Add(busy_task, TimePoint::min()), Succeeds());
    done.wait(false);
    io.Remove(*busy_task);
    io.Remove(*other_task);
    EXPECT_LT(busy_turns, kSurelyNever);
  }
}

TEST(IoThread, LeavesSignalsToTheProgram) {
  const auto task = std::make_shared<FunctionTask>();
  std::atomic<bool> done = false;
  sigset_t blocked;
  task->run = [&](TimePoint) {
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    done = true;
    done.notify_all();
    return TimePoint::max();
  };
  IoThread io;
  ASSERT_THAT(io.Add(task, TimePoint::min()), Succeeds());
  done.wait(false);
  io.Remove(*task);
  EXPECT_TRUE(sigismember(&blocked, SIGINT));
  EXPECT_FALSE(sigismember(&blocked, SIGSEGV));
}

}  // namespace
}  // namespace cboard::writer
