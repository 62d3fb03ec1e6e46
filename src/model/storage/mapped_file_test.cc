#include "model/storage/mapped_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::model {
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
  EXPECT_THAT((*file)->CheckUnchanged(), Succeeds());
}

TEST(MappedFile, AnEmptyFileIsFine) {
  const TempDir directory;
  ASSERT_THAT(WriteFileAtomically(directory / "m", ""), Succeeds());
  const auto file = MappedFile::Open(directory / "m");
  ASSERT_THAT(file, Succeeds());
  EXPECT_TRUE((*file)->bytes().empty());
}

// Tests with a file that is copied and with a file that is mapped.
class ChangedFile : public ::testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    ASSERT_THAT(WriteFileAtomically(path_, std::string(GetParam(), 'w')), Succeeds());
    auto opened = MappedFile::Open(path_);
    ASSERT_THAT(opened, Succeeds());
    file_ = *opened;
  }

  const TempDir directory_;
  const std::filesystem::path path_ = directory_ / "m";
  std::shared_ptr<const MappedFile> file_;
};
INSTANTIATE_TEST_SUITE_P(OfSize, ChangedFile,
                         ::testing::Values(7, MappedFile::kMaxCopiedBytes + 10 * 4096));

TEST_P(ChangedFile, SaysThatItHasShrunk) {
  std::filesystem::resize_file(path_, 3);
  for (const std::byte byte : file_->bytes()) {
    ASSERT_TRUE(byte == std::byte{'w'} || byte == std::byte{0});
  }
  EXPECT_THAT(file_->CheckUnchanged(),
              FailsSaying(ErrorCode::kUnavailable, "changed while it was read: it had " +
                                                       std::to_string(GetParam()) +
                                                       " bytes when it was opened and has 3 now"));
}

TEST_P(ChangedFile, SaysThatItWasShortenedAndCompletedAgain) {
  const auto time = std::filesystem::last_write_time(path_);
  std::filesystem::resize_file(path_, 3);
  const bool is_lost = file_->bytes().back() == std::byte{0};
  EXPECT_EQ(is_lost, GetParam() > MappedFile::kMaxCopiedBytes);
  std::filesystem::resize_file(path_, GetParam());
  EXPECT_THAT(file_->CheckUnchanged(), FailsSaying(ErrorCode::kUnavailable, "was written to"));
  std::filesystem::last_write_time(path_, time);
  if (is_lost) {
    EXPECT_THAT(file_->CheckUnchanged(),
                FailsSaying(ErrorCode::kUnavailable, "or the disk failed"));
  }
}

TEST_P(ChangedFile, SaysThatItWasWrittenInPlace) {
  std::fstream stream(path_, std::ios::in | std::ios::out | std::ios::binary);
  stream.write("x", 1);
  stream.close();
  EXPECT_THAT(file_->CheckUnchanged(), FailsSaying(ErrorCode::kUnavailable, "was written to"));
}

TEST_P(ChangedFile, SaysThatItWasReplaced) {
  ASSERT_THAT(WriteFileAtomically(path_, std::string(GetParam(), 'x')), Succeeds());
  EXPECT_EQ(file_->text(), std::string(GetParam(), 'w'));
  EXPECT_THAT(file_->CheckContent(), Succeeds());
  EXPECT_THAT(file_->CheckUnchanged(),
              FailsSaying(ErrorCode::kUnavailable, "was replaced by another file"));
}

TEST_P(ChangedFile, ADeletedOneIsComplete) {
  std::filesystem::remove(path_);
  EXPECT_EQ(file_->text(), std::string(GetParam(), 'w'));
  EXPECT_THAT(file_->CheckUnchanged(), Succeeds());
}

TEST(MappedFile, RefusesWhatIsNoFile) {
  const TempDir directory;
  EXPECT_THAT(MappedFile::Open(directory / "missing"), FailsWith(ErrorCode::kNotFound));
  EXPECT_THAT(MappedFile::Open(directory.path()),
              FailsSaying(ErrorCode::kInvalidArgument, "is not a regular file"));
  EXPECT_THAT(MappedFile::Open("/dev/zero"), FailsWith(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace cboard::model
