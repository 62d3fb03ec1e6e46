#include "reader/index/populate.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "cboard/base/file.h"
#include "testing/temp_dir.h"

namespace cboard::reader {
namespace {

constexpr std::size_t kPage = 4096;

// A mapped file of which each page is filled with a letter of its own.
class PopulateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (std::size_t i = 0; i < kPages; ++i) bytes_ += std::string(kPage, LetterOf(i));
    ASSERT_TRUE(WriteFileAtomically(directory_.path() / "file", bytes_).has_value());
    descriptor_ = ::open((directory_.path() / "file").c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_GE(descriptor_, 0);
    void* const memory = ::mmap(nullptr, bytes_.size(), PROT_READ, MAP_SHARED, descriptor_, 0);
    ASSERT_NE(memory, MAP_FAILED);
    mapped_ = {static_cast<const std::byte*>(memory), bytes_.size()};
  }
  void TearDown() override {
    ::munmap(const_cast<std::byte*>(mapped_.data()), mapped_.size());
    ::close(descriptor_);
  }

  static char LetterOf(std::size_t page) { return static_cast<char>('a' + page % 23); }

  std::size_t PagesInMemory() const {
    std::vector<unsigned char> flags(kPages);
    EXPECT_EQ(::mincore(const_cast<std::byte*>(mapped_.data()), mapped_.size(), flags.data()), 0);
    std::size_t count = 0;
    for (const unsigned char each : flags) count += each & 1;
    return count;
  }

  static constexpr std::size_t kPages = 1300;  // More than are populated at a time.
  ::cboard::testing::TempDir directory_;
  std::string bytes_;
  int descriptor_ = -1;
  ByteSpan mapped_;
};

TEST_F(PopulateTest, MapsAFileThatIsInMemory) {
  if (PagesInMemory() != kPages) GTEST_SKIP() << "memory is short";
  EXPECT_TRUE(PopulateCached(mapped_));
  EXPECT_TRUE(PopulateCached(mapped_.subspan(37 * kPage)));
  EXPECT_TRUE(PopulateCached(mapped_.subspan(37 * kPage, 5000)));
  EXPECT_TRUE(PopulateCached({}));
  EXPECT_EQ(AsText(mapped_), bytes_);
}

TEST_F(PopulateTest, SaysWhenPagesWouldComeFromTheDisk) {
  ASSERT_EQ(::fsync(descriptor_), 0);
  ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED);
  // Each page by itself, as it would be if others had been taken back.
  ::madvise(const_cast<std::byte*>(mapped_.data()), mapped_.size(), MADV_RANDOM);
  if (PagesInMemory() > 0) GTEST_SKIP() << "this file system keeps its pages";
  EXPECT_FALSE(PopulateCached(mapped_));
  EXPECT_TRUE(Populate(mapped_));
  EXPECT_TRUE(PopulateCached(mapped_));
  EXPECT_EQ(AsText(mapped_), bytes_);
}

}  // namespace
}  // namespace cboard::reader
