#include "server/log_store.h"

#include <gtest/gtest.h>

#include "server/run_builder.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard {
namespace {

using namespace std::chrono_literals;
using testing::EventFile;
using testing::FailsWith;
using testing::ScalarRecord;
using testing::WriteBytes;

// Waits for a snapshot that `holds`, as long as it takes: a test that hangs is stopped from
// outside.
template <typename Condition>
std::shared_ptr<const LogSnapshot> WaitUntil(const LogStore& store, Condition holds) {
  while (true) {
    auto snapshot = store.snapshot();
    if (holds(*snapshot)) return snapshot;
    std::this_thread::sleep_for(1ms);
  }
}

TEST(LogStore, HoldsWhatIsInTheDirectory) {
  const testing::TempDir directory;
  WriteBytes(EventFile(directory / "train"), ScalarRecord("loss", 0.5f, 7));
  const LogStore store(directory.path(), 0ms);
  const auto snapshot = WaitUntil(store, [](const auto& s) { return s.generation > 0; });
  ASSERT_THAT(snapshot->FindScalars("train", "loss"), testing::Succeeds());
  EXPECT_EQ((*snapshot->FindScalars("train", "loss"))->points.at(0).step, 7);
  EXPECT_THAT(snapshot->FindRun("other"), FailsWith(ErrorCode::kNotFound));
  EXPECT_THAT(snapshot->FindScalars("train", "other"), FailsWith(ErrorCode::kNotFound));
}

TEST(LogStore, SeesWhatIsAddedLater) {
  const testing::TempDir directory;
  const LogStore store(directory / "later", 1ms);
  WaitUntil(store, [](const auto& s) { return s.error.has_value(); });

  const std::string first = ScalarRecord("loss", 0.5f, 0);
  WriteBytes(EventFile(directory / "later/train"), first);
  const auto before = WaitUntil(store, [](const auto& s) { return s.runs.size() == 1; });
  EXPECT_FALSE(before->error);

  WriteBytes(EventFile(directory / "later/train"), first + ScalarRecord("loss", 0.25f, 1));
  const auto after = WaitUntil(store, [](const auto& s) {
    const auto loss = s.FindScalars("train", "loss");
    return loss && (*loss)->count == 2;
  });
  EXPECT_GT(after->generation, before->generation);
  // Who still holds the older snapshot keeps what it says.
  EXPECT_EQ(before->runs.size(), 1u);
}

TEST(LogStore, ForgetsRunsThatAreGone) {
  const testing::TempDir directory;
  WriteBytes(EventFile(directory / "a"), ScalarRecord("loss", 1, 0));
  WriteBytes(EventFile(directory / "b"), ScalarRecord("loss", 1, 0));
  const LogStore store(directory.path(), 1ms);
  WaitUntil(store, [](const auto& s) { return s.runs.size() == 2; });
  std::filesystem::remove_all(directory / "a");
  const auto snapshot = WaitUntil(store, [](const auto& s) { return s.runs.size() == 1; });
  EXPECT_EQ(snapshot->runs[0]->scan.name, "b");
}

TEST(LogStore, SharesRunsThatHaveNotChanged) {
  const testing::TempDir directory;
  WriteBytes(EventFile(directory / "a"), ScalarRecord("loss", 1, 0));
  const LogStore store(directory.path(), 1ms);
  const auto before = WaitUntil(store, [](const auto& s) { return s.runs.size() == 1; });
  WriteBytes(EventFile(directory / "b"), ScalarRecord("loss", 1, 0));
  const auto after = WaitUntil(store, [](const auto& s) { return s.runs.size() == 2; });
  EXPECT_EQ(before->runs[0], after->runs[0]);
}

TEST(LogStore, CanBeDestroyedAtAnyMoment) {
  const testing::TempDir directory;
  for (int i = 0; i < 20; ++i) {
    WriteBytes(EventFile(directory / std::to_string(i)), ScalarRecord("loss", 1, 0));
    const LogStore store(directory.path(), 3600s);
    if (i % 2) static_cast<void>(store.WaitForFirstLoad(1ms));
  }
}

}  // namespace
}  // namespace cboard
