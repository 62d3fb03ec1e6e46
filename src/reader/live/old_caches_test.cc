#include "reader/live/old_caches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cboard/base/file.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::reader {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;
using testing::Succeeds;
using ::testing::UnorderedElementsAre;

class OldCachesTest : public ::testing::Test {
 protected:
  void Put(const std::string& name, hours age, std::size_t bytes = 10) {
    ASSERT_THAT(WriteFileAtomically(folder_ / name, std::string(bytes, 'x')), Succeeds());
    fs::last_write_time(folder_ / name, fs::file_time_type::clock::now() - age);
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  testing::TempDir folder_;
};

TEST_F(OldCachesTest, WhatNobodyHasUsedForAMonthIsRemoved) {
  Put("index-1", hours(24 * 31));
  Put("index-2", hours(24 * 29));
  Put("index-3", hours(24 * 300));
  Put("index-4", hours(24 * 300));
  MarkUsed(folder_ / "index-3");
  Put("notes.txt", hours(24 * 300));
  RemoveOldCaches(folder_ / "index-4");  // Its own stays.
  EXPECT_THAT(Names(), UnorderedElementsAre("index-2", "index-3", "index-4", "notes.txt"));
}

TEST_F(OldCachesTest, BeyondASizeTheOnesUsedLastStay) {
  Put("index-1", hours(3), 100);
  Put("index-2", hours(2), 100);
  Put("index-3", hours(1), 100);
  Put("index-4", hours(4), 100);
  RemoveOldCaches(folder_ / "index-4", {.max_bytes = 250});
  EXPECT_THAT(Names(), UnorderedElementsAre("index-2", "index-3", "index-4"));
}

TEST_F(OldCachesTest, WhatIsBeingWrittenStaysAndWhatWasLeftHalfWrittenGoes) {
  Put("index-1.tmp7.0", hours(0));
  Put("index-1.tmp8.0", hours(25));
  RemoveOldCaches(folder_ / "index-1", {.max_bytes = 0});
  EXPECT_THAT(Names(), UnorderedElementsAre("index-1.tmp7.0"));
}

TEST_F(OldCachesTest, NoDirectoryIsNothingToClean) {
  RemoveOldCaches(folder_ / "none" / "index-1");
  MarkUsed(folder_ / "none" / "index-1");
  EXPECT_THAT(Names(), UnorderedElementsAre());
}

}  // namespace
}  // namespace cboard::reader
