#include "model/mapped_file.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard {
namespace {

using testing::FailsSaying;
using testing::FailsWith;
using testing::Succeeds;
using testing::TempDir;

TEST(MappedFile, HasTheBytesOfTheFile) {
  const TempDir directory;
  ASSERT_THAT(WriteFileAtomically(directory / "m", "weights"), Succeeds());
  const auto file = MappedFile::Open(directory / "m");
  ASSERT_THAT(file, Succeeds());
  EXPECT_EQ((*file)->text(), "weights");
  EXPECT_THAT((*file)->CheckSize(), Succeeds());
}

TEST(MappedFile, AnEmptyFileIsFine) {
  const TempDir directory;
  ASSERT_THAT(WriteFileAtomically(directory / "m", ""), Succeeds());
  const auto file = MappedFile::Open(directory / "m");
  ASSERT_THAT(file, Succeeds());
  EXPECT_TRUE((*file)->bytes().empty());
}

TEST(MappedFile, SeesThatTheFileHasShrunk) {
  const TempDir directory;
  ASSERT_THAT(WriteFileAtomically(directory / "m", "weights"), Succeeds());
  const auto file = MappedFile::Open(directory / "m");
  std::filesystem::resize_file(directory / "m", 3);
  EXPECT_THAT((*file)->CheckSize(),
              FailsSaying(ErrorCode::kDataLoss, "had 7 bytes when it was opened and has 3 now"));
}

TEST(MappedFile, RefusesWhatIsNoFile) {
  const TempDir directory;
  EXPECT_THAT(MappedFile::Open(directory / "missing"), FailsWith(ErrorCode::kNotFound));
  EXPECT_THAT(MappedFile::Open(directory.path()),
              FailsSaying(ErrorCode::kInvalidArgument, "is not a regular file"));
  EXPECT_THAT(MappedFile::Open("/dev/zero"), FailsWith(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace cboard
