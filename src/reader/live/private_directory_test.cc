#include "reader/live/private_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cboard/base/file.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::reader {
namespace {

using testing::FailsSaying;
using testing::FailsWith;
using testing::Succeeds;
using testing::TempDir;

mode_t ModeOf(const std::filesystem::path& path) {
  struct stat status;
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

TEST(PrivateDirectory, IsCreatedWithItsParentsForThisUserAlone) {
  TempDir dir;
  ASSERT_THAT(MakePrivateDirectory(dir / "cache" / "board"), Succeeds());
  EXPECT_EQ(ModeOf(dir / "cache"), 0700u);
  EXPECT_EQ(ModeOf(dir / "cache" / "board"), 0700u);
}

TEST(PrivateDirectory, AnExistingOneIsClosedToOtherReaders) {
  TempDir dir;
  ASSERT_EQ(::chmod(dir.path().c_str(), 0755), 0);
  ASSERT_THAT(CheckPrivateDirectory(dir.path()), Succeeds());
  EXPECT_EQ(ModeOf(dir.path()), 0700u);
}

TEST(PrivateDirectory, OneThatOthersCanWriteToIsRefusedAndLeftAlone) {
  TempDir dir;
  for (const mode_t mode : {mode_t{0770}, mode_t{0777}, mode_t{01777}}) {
    ASSERT_EQ(::chmod(dir.path().c_str(), mode), 0);
    EXPECT_THAT(MakePrivateDirectory(dir.path()), FailsWith(ErrorCode::kPermissionDenied));
    EXPECT_THAT(CheckPrivateDirectory(dir.path()),
                FailsSaying(ErrorCode::kPermissionDenied, "other users can write to directory"));
    EXPECT_EQ(ModeOf(dir.path()), mode);
  }
}

TEST(PrivateDirectory, OneOfAnotherUserIsRefused) {
  constexpr uid_t kNobody = 65534;
  TempDir dir;
  const bool is_root = ::geteuid() == 0;  // To anybody else the root directory is another user's.
  if (is_root) {
    ASSERT_EQ(::chown(dir.path().c_str(), kNobody, kNobody), 0);
  }
  EXPECT_THAT(CheckPrivateDirectory(is_root ? dir.path() : "/"),
              FailsSaying(ErrorCode::kPermissionDenied, "belongs to another user"));
}

TEST(PrivateDirectory, OneThatIsMissingIsFine) {
  TempDir dir;
  EXPECT_THAT(CheckPrivateDirectory(dir / "missing"), Succeeds());
  EXPECT_FALSE(std::filesystem::exists(dir / "missing"));
}

TEST(PrivateDirectory, AFileInItsPlaceIsAnError) {
  TempDir dir;
  ASSERT_THAT(WriteFileAtomically(dir / "file", ""), Succeeds());
  EXPECT_THAT(MakePrivateDirectory(dir / "file"), FailsWith(ErrorCode::kAlreadyExists));
}

}  // namespace
}  // namespace cboard::reader
