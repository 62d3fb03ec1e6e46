#include "cli/progress.h"

#include <gtest/gtest.h>

#include <sstream>

namespace cboard::cli {
namespace {

using namespace std::chrono_literals;

class ProgressTest : public ::testing::Test {
 protected:
  std::chrono::steady_clock::time_point now_{};
  Progress::Now clock_ = [this] { return now_; };
  std::ostringstream out_;
};

TEST_F(ProgressTest, RewritesOneLineOnATerminalAndClearsIt) {
  {
    Progress progress("reading", out_, true, ProgressUnit::kBytes, clock_);
    now_ += 1s;
    progress.Update(1536, 3072);
    now_ += 1s;
    progress.Update(512, 1024);
  }
  EXPECT_EQ(out_.str(),
            "\rreading: 1.5 KiB of 3.0 KiB (50 %)"
            "\rreading: 512 B of 1.0 KiB (50 %)  "
            "\r                                \r");
}

TEST_F(ProgressTest, WritesALineNowAndThenIntoALog) {
  Progress progress("reading", out_, false, ProgressUnit::kBytes, clock_);
  for (int second = 1; second <= 25; ++second) {
    now_ += 1s;
    progress.Update(static_cast<std::uint64_t>(second), 100);
  }
  EXPECT_EQ(out_.str(), "reading: 10 B of 100 B (10 %)\nreading: 20 B of 100 B (20 %)\n");
}

TEST_F(ProgressTest, SaysNothingAboutShortTasks) {
  {
    Progress progress("reading", out_, true, ProgressUnit::kBytes, clock_);
    now_ += 100ms;
    progress.Update(1, 2);
  }
  EXPECT_EQ(out_.str(), "");
}

TEST_F(ProgressTest, CountsItemsWithoutUnits) {
  Progress progress("importing models", out_, false, ProgressUnit::kItems, clock_);
  now_ += 11s;
  progress.Update(2500, 10000);
  EXPECT_EQ(out_.str(), "importing models: 2,500 of 10,000 (25 %)\n");
}

TEST_F(ProgressTest, EstimatesTheTimeLeftFromTheItemsSinceTheFirstUpdate) {
  Progress progress("running", out_, false, ProgressUnit::kItems, clock_);
  progress.Update(1, 20);
  now_ += 12s;
  progress.Update(5, 20);  // Four items took 12 seconds.
  EXPECT_EQ(out_.str(), "running: 5 of 20 (25 %), 45 s left\n");
}

TEST_F(ProgressTest, KnowsNoShareOfAnUnknownTotal) {
  Progress progress("reading", out_, false, ProgressUnit::kBytes, clock_);
  now_ += 11s;
  progress.Update(7, 0);
  EXPECT_EQ(out_.str(), "reading: 7 B\n");
}

}  // namespace
}  // namespace cboard::cli
