#include "cboard/record/readable_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::record {
namespace {

using testing::FailsSaying;
using testing::Succeeds;

TEST(ReadableFile, ReadsUpToTheEnd) {
  testing::TempDir dir;
  std::ofstream(dir / "x") << "12345";
  const Result<File> file = File::OpenForReading(dir / "x");
  ASSERT_THAT(file, Succeeds());
  ReadableFile readable(*file);
  std::vector<std::byte> buffer(100);
  EXPECT_EQ(readable.ReadAt(3, buffer).value(), 2u);
  EXPECT_FALSE(readable.error().has_value());
  EXPECT_FALSE(readable.HasBadBlock(0, 100));
}

// reliability.bad_disk reads files of which some blocks cannot be read.
TEST(ReadableFile, AnErrorBehindTheEndIsAnError) {
  const Result<File> file = File::OpenForReading("/proc/self/mem");  // Its size is 0.
  ASSERT_THAT(file, Succeeds());
  ReadableFile readable(*file);
  std::vector<std::byte> buffer(100);
  EXPECT_THAT(readable.ReadAt(0, buffer),
              FailsSaying(ErrorCode::kUnavailable, "Input/output error"));
}

}  // namespace
}  // namespace cboard::record
