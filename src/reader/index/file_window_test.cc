#include "reader/index/file_window.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <random>
#include <string>

#include "testing/temp_dir.h"

namespace cboard::reader {
namespace {

std::string RandomBytes(std::size_t size) {
  std::mt19937 random(1);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

class FileWindowTest : public ::testing::Test {
 protected:
  // A file that holds `bytes`.
  File Written(std::string_view bytes) {
    EXPECT_TRUE(WriteFileAtomically(path_, bytes).has_value());
    Result<File> file = File::OpenForReading(path_);
    EXPECT_TRUE(file.has_value());
    return *std::move(file);
  }

  ::cboard::testing::TempDir directory_;
  std::filesystem::path path_ = directory_.path() / "events";
};

TEST_F(FileWindowTest, GivesEveryByteOfTheFileOnce) {
  const std::string bytes = RandomBytes(20 << 20);
  const File file = Written(bytes);
  std::atomic<std::uint64_t> counted = 0;
  FileWindow window(file, &counted);
  std::mt19937 random(2);
  for (std::uint64_t offset = 0; offset < bytes.size();) {
    const std::size_t wanted = 1 + random() % (random() % 50 == 0 ? 9 << 20 : 100'000);
    const Result<ByteSpan> at_hand = window.At(offset, wanted);
    ASSERT_TRUE(at_hand.has_value());
    const std::size_t expected = std::min<std::size_t>(wanted, bytes.size() - offset);
    ASSERT_GE(at_hand->size(), expected);
    ASSERT_EQ(AsText(at_hand->first(expected)), std::string_view(bytes).substr(offset, expected));
    offset += expected;
  }
  EXPECT_EQ(counted, bytes.size());
}

TEST_F(FileWindowTest, EndsWhereAFileHasBeenCutShort) {
  const std::string bytes = RandomBytes(2 << 20);
  const File file = Written(bytes);
  FileWindow window(file);
  ASSERT_TRUE(window.At(0, 1000).has_value());
  std::filesystem::resize_file(path_, 1'000'000);
  const Result<ByteSpan> rest = window.At(999'000, 500'000);
  ASSERT_TRUE(rest.has_value());
  EXPECT_EQ(AsText(*rest), std::string_view(bytes).substr(999'000, 1000));
}

}  // namespace
}  // namespace cboard::reader
