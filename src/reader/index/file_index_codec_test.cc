#include <gtest/gtest.h>

#include "reader/index/file_index.h"
#include "reader/index/index_testing.h"
#include "reader/index/random_log.h"
#include "testing/matchers.h"

namespace cboard::reader {
namespace {

using ::cboard::testing::FailsWith;
using ::cboard::testing::Succeeds;
using testing::BackwardWorkers;
using testing::ContentsOf;
using testing::MemoryFile;
using testing::RandomLog;
using testing::ReadWhole;

std::string Encode(const FileIndex& index) {
  std::string bytes;
  index.AppendEncoded(bytes);
  return bytes;
}

// Stored bytes in memory of their own, so that a view that outlives them is found out.
Result<FileIndex> Decode(std::string_view stored) {
  auto owner = std::make_shared<std::string>(stored);
  return FileIndex::Decode("events", AsBytes(*owner), owner);
}

TEST(FileIndexCodec, AStoredIndexIsTheSame) {
  BackwardWorkers workers;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    RandomLog log(seed);
    std::string bytes = log.Version() + log.Records(300) + "torn";
    if (seed % 2 == 1) bytes[bytes.size() / 2] ^= 1;
    const MemoryFile memory(bytes);
    FileIndex index("events");
    index.ReadOn(memory.Open(), {.workers = &workers, .min_part_bytes = 3000});
    const auto decoded = Decode(Encode(index));
    ASSERT_THAT(decoded, Succeeds());
    EXPECT_TRUE(decoded->Verify());
    ASSERT_EQ(ContentsOf(*decoded->View()), ContentsOf(*index.View())) << "seed " << seed;
    EXPECT_EQ(decoded->View()->damage.size(), index.View()->damage.size());
  }
}

TEST(FileIndexCodec, AStoredIndexIsReadOnAndItsViewsOutliveIt) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    RandomLog log(seed);
    const std::string first = log.Version() + log.Records(200), second = log.Records(200);
    MemoryFile memory(first);
    const File file = memory.Open();
    std::string stored;
    {
      FileIndex index("events");
      index.ReadOn(file, {});
      index.AppendEncoded(stored);
    }
    std::shared_ptr<const FileView> before, after;
    {
      auto decoded = Decode(stored);
      ASSERT_THAT(decoded, Succeeds());
      before = decoded->View();
      memory.Append(second);
      decoded->ReadOn(file, {});
      after = decoded->View();
    }
    ASSERT_EQ(ContentsOf(*before), ContentsOf(*ReadWhole(first)));
    ASSERT_EQ(ContentsOf(*after), ContentsOf(*ReadWhole(first + second)));
  }
}

TEST(FileIndexCodec, StoredTwiceItIsTheSame) {
  RandomLog log(3);
  const MemoryFile memory(log.Version() + log.Records(500));
  FileIndex index("events");
  index.ReadOn(memory.Open(), {});
  const std::string once = Encode(index);
  auto decoded = Decode(once);
  ASSERT_THAT(decoded, Succeeds());
  EXPECT_EQ(Encode(*decoded), once);
  decoded->ReadOn(memory.Open(), {});  // Finds nothing new.
  EXPECT_EQ(Encode(*decoded), once);
}

TEST(FileIndexCodec, EveryDamagedByteIsFound) {
  RandomLog log(1);
  const MemoryFile memory(log.Version() + log.Records(60));
  FileIndex index("events");
  index.ReadOn(memory.Open(), {});
  const std::string stored = Encode(index);
  for (std::size_t i = 0; i < stored.size(); ++i) {
    std::string damaged = stored;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x40);
    const auto decoded = Decode(damaged);
    if (decoded) {
      ASSERT_FALSE(decoded->Verify()) << "byte " << i;
      ContentsOf(*decoded->View());  // Wrong numbers, but no wrong addresses.
    } else {
      ASSERT_THAT(decoded, FailsWith(ErrorCode::kDataLoss)) << "byte " << i;
    }
  }
}

TEST(FileIndexCodec, EveryTruncationIsFound) {
  RandomLog log(2);
  const MemoryFile memory(log.Version() + log.Records(60));
  FileIndex index("events");
  index.ReadOn(memory.Open(), {});
  const std::string stored = Encode(index);
  for (std::size_t cut = 0; cut < stored.size(); ++cut) {
    ASSERT_THAT(Decode(stored.substr(0, cut)), FailsWith(ErrorCode::kDataLoss)) << cut;
  }
}

TEST(FileIndexCodec, StoredPointsTakeNoMemoryOfTheirOwn) {
  std::string bytes = RandomLog(0).Version();
  for (int i = 0; i < 20'000; ++i) bytes += ::cboard::testing::ScalarRecord("loss", 1, i);
  const MemoryFile memory(bytes);
  FileIndex index("events");
  index.ReadOn(memory.Open(), {});
  const auto decoded = Decode(Encode(index));
  ASSERT_THAT(decoded, Succeeds());
  EXPECT_LT(decoded->scalar_bytes(), 20'000u);
  EXPECT_GT(index.scalar_bytes(), 8 * 20'000u);
}

}  // namespace
}  // namespace cboard::reader
