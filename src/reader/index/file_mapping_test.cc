// Files are mapped where that is safe, and give what reading them gives.
#include "reader/index/file_mapping.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "reader/index/file_window.h"
#include "reader/index/index_testing.h"
#include "reader/index/random_log.h"
#include "testing/temp_dir.h"

namespace cboard::reader {
namespace {

using testing::BackwardWorkers;
using testing::ContentsOf;
using testing::RandomLog;
using testing::ReadWhole;

constexpr std::uint64_t kNever = std::uint64_t{1} << 40;
constexpr std::size_t kPadding = FileWindow::kPaddingBytes;

std::string RandomBytes(std::size_t size) {
  std::mt19937 random(1);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

class FileMappingTest : public ::testing::Test {
 protected:
  // A closed file that holds `bytes`.
  File Written(std::string_view bytes) {
    EXPECT_TRUE(WriteFileAtomically(path_, bytes).has_value());
    Result<File> file = File::OpenForReading(path_);
    EXPECT_TRUE(file.has_value());
    return *std::move(file);
  }

  // Whether this system lends files at all.
  bool IsLent(const File& file) {
    FileLease lease(file);
    if (!lease.Enter()) return false;
    lease.Leave();
    return true;
  }

  ::cboard::testing::TempDir directory_;
  std::filesystem::path path_ = directory_.path() / "events";
};

TEST_F(FileMappingTest, MapsTheBytesOfTheFile) {
  const std::string bytes = RandomBytes(100'000);
  const File file = Written(bytes);
  if (!IsLent(file)) GTEST_SKIP() << "files are not lent here";
  FileLease lease(file);
  FileMapping mapping(file, lease);
  EXPECT_EQ(AsText(mapping.Map(5000, 10, kNever, kPadding)),
            bytes.substr(5000, bytes.size() - 5000 - kPadding));
  EXPECT_EQ(AsText(mapping.Map(5000, 10, 7000, kPadding)), bytes.substr(5000, 2000));
  EXPECT_EQ(AsText(mapping.Map(5000, 3000, 7000, kPadding)), bytes.substr(5000, 3000));
}

TEST_F(FileMappingTest, MapsTheBytesAroundTheEdgesOfHugePages) {
  constexpr std::size_t kHugePage = 2 << 20;
  const std::string bytes = RandomBytes(10 * kHugePage);
  const File file = Written(bytes);
  if (!IsLent(file)) GTEST_SKIP() << "files are not lent here";
  FileLease lease(file);
  FileMapping mapping(file, lease);
  for (const std::size_t offset : {std::size_t{0}, std::size_t{4095}, kHugePage - 1, kHugePage,
                                   kHugePage + 4097, 8 * kHugePage - kPadding, 9 * kHugePage}) {
    const std::size_t left = bytes.size() - offset - kPadding;
    for (const std::size_t wanted : {std::size_t{1}, kHugePage / 2, left}) {
      const ByteSpan mapped = mapping.Map(offset, wanted, kNever, kPadding);
      ASSERT_GE(mapped.size(), wanted) << "from " << offset;
      ASSERT_LE(mapped.size(), left) << "from " << offset;
      EXPECT_EQ(AsText(mapped), std::string_view(bytes).substr(offset, mapped.size()));
    }
  }
}

TEST_F(FileMappingTest, MapsNothingWithoutRoomForThePadding) {
  const std::string bytes = RandomBytes(8192);
  const File file = Written(bytes);
  FileLease lease(file);
  FileMapping mapping(file, lease);
  EXPECT_TRUE(mapping.Map(0, bytes.size() - kPadding + 1, kNever, kPadding).empty());
  EXPECT_TRUE(mapping.Map(bytes.size(), 1, kNever, kPadding).empty());
  EXPECT_TRUE(mapping.Map(bytes.size() + 1, 0, kNever, kPadding).empty());
}

TEST_F(FileMappingTest, AFileThatIsBeingWrittenIsNotMapped) {
  const File file = Written(RandomBytes(100'000));
  const Result<File> writer = File::OpenForAppending(path_);
  ASSERT_TRUE(writer.has_value());
  FileLease lease(file);
  FileMapping mapping(file, lease);
  EXPECT_TRUE(mapping.Map(0, 10, kNever, kPadding).empty());
}

TEST_F(FileMappingTest, WhoeverCutsAMappedFileShortWaitsForIt) {
  const std::string bytes = RandomBytes(100'000);
  const File file = Written(bytes);
  if (!IsLent(file)) GTEST_SKIP() << "files are not lent here";
  FileLease lease(file);
  FileMapping mapping(file, lease), other(file, lease);
  const ByteSpan mapped = mapping.Map(0, bytes.size() - kPadding, kNever, kPadding);
  ASSERT_FALSE(other.Map(0, 10, kNever, kPadding).empty());
  std::atomic<bool> is_cut = false;
  std::thread cutter([&] {
    EXPECT_EQ(::truncate(path_.c_str(), 10), 0);
    is_cut = true;
  });
  // Until somebody waits, mapping goes on; from then on it does not.
  while (!other.Map(0, 10, kNever, kPadding).empty()) std::this_thread::yield();
  EXPECT_FALSE(is_cut);
  EXPECT_EQ(AsText(mapped), std::string_view(bytes).substr(0, mapped.size()));
  mapping.Unmap();
  cutter.join();
  EXPECT_TRUE(mapping.Map(0, 100, kNever, kPadding).empty());
}

TEST_F(FileMappingTest, AWindowGivesEveryByteMappedOrRead) {
  const std::string bytes = RandomBytes(20 << 20);
  const File file = Written(bytes);
  FileLease lease(file);
  for (const std::uint64_t min_mapped_bytes : {std::uint64_t{1}, std::uint64_t{1} << 20, kNever}) {
    std::atomic<std::uint64_t> counted = 0;
    FileWindow window(file, &lease, min_mapped_bytes, bytes.size(), &counted);
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
}

TEST(MappedFileIndex, GivesWhatReadingGives) {
  BackwardWorkers workers;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    RandomLog log(seed);
    std::string file = log.Version() + log.Records(300);
    if (seed % 3 == 0) file[log.Number(file.size())] ^= 4;
    const auto read = ContentsOf(*ReadWhole(file, {.min_mapped_bytes = kNever}));
    ASSERT_EQ(ContentsOf(*ReadWhole(file, {.min_mapped_bytes = 1})), read) << "seed " << seed;
    const ReadOptions in_parts{.workers = &workers, .min_part_bytes = 2000, .min_mapped_bytes = 1};
    ASSERT_EQ(ContentsOf(*ReadWhole(file, in_parts)), read) << "seed " << seed;
  }
}

}  // namespace
}  // namespace cboard::reader
