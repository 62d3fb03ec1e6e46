#include "reader/live/snapshot_board.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace cboard::reader {
namespace {

using namespace std::chrono_literals;

std::shared_ptr<const Snapshot> Version(std::uint64_t version, bool complete = false) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->version = version;
  snapshot->progress.complete = complete;
  return snapshot;
}

TEST(SnapshotBoard, ShowsTheNewestAndBeginsWithAnEmptyOne) {
  SnapshotBoard board;
  EXPECT_EQ(board.Current()->version, 0u);
  EXPECT_FALSE(board.Current()->progress.complete);
  board.Publish(Version(1));
  EXPECT_EQ(board.Current()->version, 1u);
}

TEST(SnapshotBoard, WaitingEndsWithANewerSnapshotOrInTime) {
  SnapshotBoard board;
  EXPECT_FALSE(board.WaitForChange(0, 1ms));
  std::thread publisher([&] { board.Publish(Version(1, /*complete=*/true)); });
  EXPECT_TRUE(board.WaitForChange(0, 1h));
  board.WaitUntilComplete();
  EXPECT_FALSE(board.WaitForChange(1, 1ms));
  publisher.join();
}

TEST(SnapshotBoard, ClosingEndsAllWaiting) {
  SnapshotBoard board;
  std::thread waiter([&] {
    EXPECT_FALSE(board.WaitForChange(0, 1h));
    board.WaitUntilComplete();
  });
  board.Close();
  waiter.join();
}

TEST(SnapshotBoard, ListenersHearOfEverySnapshotUntilTheyLeave) {
  SnapshotBoard board;
  std::vector<std::uint64_t> heard;
  auto listening = board.Listen([&](const auto& snapshot) { heard.push_back(snapshot->version); });
  board.Publish(Version(1));
  board.Publish(Version(2));
  listening.reset();
  board.Publish(Version(3));
  EXPECT_EQ(heard, (std::vector<std::uint64_t>{1, 2}));
}

TEST(SnapshotBoard, AListenerMayLeaveDuringItsCall) {
  SnapshotBoard board;
  int calls = 0;
  std::shared_ptr<void> listening;
  listening = board.Listen([&](const auto&) {
    ++calls;
    listening.reset();
  });
  board.Publish(Version(1));
  board.Publish(Version(2));
  EXPECT_EQ(calls, 1);
}

TEST(SnapshotBoard, LeavingWaitsForACallThatIsUnderWay) {
  SnapshotBoard board;
  std::atomic<bool> is_inside = false, has_left = false;
  bool was_inside_after_leaving = false;
  auto listening = board.Listen([&](const auto&) {
    is_inside = true;
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    was_inside_after_leaving = has_left;
  });
  std::thread publisher([&] { board.Publish(Version(1)); });
  while (!is_inside) std::this_thread::yield();
  listening.reset();
  has_left = true;
  publisher.join();
  EXPECT_FALSE(was_inside_after_leaving);
}

}  // namespace
}  // namespace cboard::reader
