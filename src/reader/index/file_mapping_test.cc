// Mapped pieces are the bytes of the file, and nothing that happens to the file ends the program.
#include "reader/index/file_mapping.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>

#include "testing/temp_dir.h"

namespace cboard::reader {
namespace {

constexpr std::uint64_t kNever = std::uint64_t{1} << 40;

std::string BytesToMap(std::size_t size) {
  std::mt19937 random(1);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

class FileMappingTest : public ::testing::Test {
 protected:
  File Written(std::string_view bytes) {
    EXPECT_TRUE(WriteFileAtomically(path_, bytes).has_value());
    Result<File> file = File::OpenForReading(path_);
    EXPECT_TRUE(file.has_value());
    return *std::move(file);
  }

  ::cboard::testing::TempDir directory_;
  const std::filesystem::path path_ = directory_.path() / "events";
};

TEST_F(FileMappingTest, MapsTheBytesOfTheFile) {
  const std::string bytes = BytesToMap(100'000);
  const File file = Written(bytes);
  FileMapping mapping(file);
  for (const std::size_t offset : {0u, 1u, 4095u, 4096u, 4097u, 50'000u, 99'999u}) {
    const ByteSpan mapped = mapping.Map(offset, 1, kNever);
    ASSERT_EQ(AsText(mapped), std::string_view(bytes).substr(offset)) << offset;
  }
}

TEST_F(FileMappingTest, MapsLongFilesInPieces) {
  const std::string bytes = BytesToMap(70 << 20);
  const File file = Written(bytes);
  FileMapping mapping(file);
  std::size_t piece_count = 0;
  for (std::size_t at = 0; at < bytes.size(); ++piece_count) {
    const ByteSpan mapped = mapping.Map(at, 1, kNever);
    ASSERT_FALSE(mapped.empty());
    ASSERT_LE(mapped.size(), std::size_t{8} << 20);  // Mapped pages count as memory of the process.
    ASSERT_TRUE(AsText(mapped) == std::string_view(bytes).substr(at, mapped.size())) << at;
    at += mapped.size();
  }
  EXPECT_EQ(piece_count, 9u);
  EXPECT_GE(mapping.Map(1, 60 << 20, 0).size(), std::size_t{60} << 20);  // More than a piece.
}

TEST_F(FileMappingTest, EndsAtTheLimitUnlessMoreIsWanted) {
  const File file = Written(BytesToMap(10'000));
  FileMapping mapping(file);
  EXPECT_EQ(mapping.Map(1000, 1, 5000).size(), 4000u);
  EXPECT_EQ(mapping.Map(1000, 6000, 5000).size(), 6000u);
  EXPECT_TRUE(mapping.Map(1000, 9001, 5000).empty());
  EXPECT_TRUE(mapping.Map(10'001, 1, kNever).empty());
}

TEST_F(FileMappingTest, BytesBehindANewEndAreZeros) {
  const File file = Written(std::string(1 << 20, 'x'));
  FileMapping mapping(file);
  const ByteSpan mapped = mapping.Map(0, 1 << 20, kNever);
  ASSERT_FALSE(mapped.empty());
  std::filesystem::resize_file(path_, 100'000);
  EXPECT_EQ(std::ranges::count(AsText(mapped), 'x'), 100'000);
  std::filesystem::resize_file(path_, 200'000);
  EXPECT_EQ(std::ranges::count(AsText(mapping.Map(0, 1, kNever)), 'x'), 100'000);
}

TEST_F(FileMappingTest, AThreadThatBlocksTheSignalMapsNothing) {
  const File file = Written(std::string(10'000, 'x'));
  sigset_t bus, before;
  ::sigemptyset(&bus);
  ::sigaddset(&bus, SIGBUS);
  ::pthread_sigmask(SIG_BLOCK, &bus, &before);
  EXPECT_TRUE(FileMapping(file).Map(0, 1, kNever).empty());
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_FALSE(FileMapping(file).Map(0, 1, kNever).empty());
}

}  // namespace
}  // namespace cboard::reader
