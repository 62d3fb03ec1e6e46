#include <gtest/gtest.h>

#include "reader/index/file_index.h"
#include "reader/testing/index_testing.h"
#include "reader/testing/random_log.h"
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

// Stored bytes in memory of their own, so that a view that outlives them is found out.
Result<FileIndex> Decode(const EncodedIndex& stored) {
  const auto owner = std::make_shared<const EncodedIndex>(stored);
  TagInfoMemory tags;
  return FileIndex::Decode("events", {AsBytes(owner->structure), AsBytes(owner->columns)}, owner,
                           tags);
}

TEST(FileIndexCodec, AStoredIndexIsTheSame) {
  BackwardWorkers workers;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    RandomLog log(seed);
    std::string bytes = log.Version() + log.Records(300) + "torn";
    if (seed % 2 == 1) bytes[bytes.size() / 2] ^= 1;
    const MemoryFile memory(bytes);
    FileIndex index("events");
    index.ContinueReading(memory.Open(), {.workers = &workers, .min_part_bytes = 3000});
    const auto decoded = Decode(index.Encode());
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
    EncodedIndex stored;
    {
      FileIndex index("events");
      index.ContinueReading(file, {});
      stored = index.Encode();
    }
    std::shared_ptr<const FileView> before, after;
    {
      auto decoded = Decode(stored);
      ASSERT_THAT(decoded, Succeeds());
      before = decoded->View();
      memory.Append(second);
      decoded->ContinueReading(file, {});
      after = decoded->View();
    }
    ASSERT_EQ(ContentsOf(*before), ContentsOf(*ReadWhole(first)));
    ASSERT_EQ(ContentsOf(*after), ContentsOf(*ReadWhole(first + second)));
  }
}

TEST(FileIndexCodec, ACompactIndexIsEncodedTheSameAndReadOn) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    RandomLog log(seed);
    const std::string first = log.Version() + log.Records(200), second = log.Records(200);
    MemoryFile memory(first);
    const File file = memory.Open();
    FileIndex index("events");
    index.ContinueReading(file, {});
    const EncodedIndex encoded = index.Encode();
    const std::uint64_t scalar_bytes = index.scalar_bytes();
    index.Compact();  // Releases unused space.
    EXPECT_LE(index.scalar_bytes(), scalar_bytes);
    EXPECT_TRUE(index.Verify());
    ASSERT_EQ(index.Encode(), encoded) << "seed " << seed;
    const std::shared_ptr<const FileView> before = index.View();
    index.Rename("renamed");
    EXPECT_EQ(index.View()->file.path, "renamed");
    memory.Append(second);
    index.ContinueReading(file, {});
    ASSERT_EQ(ContentsOf(*before), ContentsOf(*ReadWhole(first)));
    ASSERT_EQ(ContentsOf(*index.View()), ContentsOf(*ReadWhole(first + second)));
  }
}

TEST(FileIndexCodec, DamageThatGoesOnBehindAStoredIndexIsOnePlace) {
  RandomLog log(3);
  const std::string first = log.Version() + log.Records(20) + std::string(5000, '\0');
  MemoryFile memory(first);
  const File file = memory.Open();
  FileIndex index("events");
  index.ContinueReading(file, {});
  auto decoded = Decode(index.Encode());
  ASSERT_THAT(decoded, Succeeds());
  const std::string second = log.Records(20);
  memory.Append(second);
  decoded->ContinueReading(file, {});
  const std::shared_ptr<const FileView> view = decoded->View();
  ASSERT_EQ(view->damage.size(), 1u);
  EXPECT_EQ(view->damage[0].bytes, 5000u);
  EXPECT_EQ(view->damage_count, 1u);
}

TEST(FileIndexCodec, StoredTwiceItIsTheSame) {
  RandomLog log(3);
  const MemoryFile memory(log.Version() + log.Records(500));
  FileIndex index("events");
  index.ContinueReading(memory.Open(), {});
  const EncodedIndex once = index.Encode();
  auto decoded = Decode(once);
  ASSERT_THAT(decoded, Succeeds());
  EXPECT_EQ(decoded->Encode(), once);
  decoded->ContinueReading(memory.Open(), {});  // Finds nothing new.
  EXPECT_EQ(decoded->Encode(), once);
}

TEST(FileIndexCodec, EveryDamagedByteIsFound) {
  RandomLog log(1);
  const MemoryFile memory(log.Version() + log.Records(60));
  FileIndex index("events");
  index.ContinueReading(memory.Open(), {});
  const EncodedIndex stored = index.Encode();
  for (std::size_t i = 0; i < stored.structure.size() + stored.columns.size(); ++i) {
    EncodedIndex damaged = stored;
    char& byte = i < stored.structure.size() ? damaged.structure[i]
                                             : damaged.columns[i - stored.structure.size()];
    byte = static_cast<char>(byte ^ 0x40);
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
  index.ContinueReading(memory.Open(), {});
  const EncodedIndex stored = index.Encode();
  for (std::size_t cut = 0; cut < stored.structure.size(); ++cut) {
    ASSERT_THAT(Decode({stored.structure.substr(0, cut), stored.columns}),
                FailsWith(ErrorCode::kDataLoss))
        << cut;
  }
  for (std::size_t cut = 0; cut < stored.columns.size(); ++cut) {
    ASSERT_THAT(Decode({stored.structure, stored.columns.substr(0, cut)}),
                FailsWith(ErrorCode::kDataLoss))
        << cut;
  }
}

TEST(FileIndexCodec, FilesWithTheSameTagsShareTheirInfos) {
  const auto index_of = [](std::initializer_list<const char*> tags) {
    std::string bytes = RandomLog(0).Version();
    for (const char* tag : tags) bytes += ::cboard::testing::ScalarRecord(tag, 1, 1);
    FileIndex index("events");
    index.ContinueReading(MemoryFile(bytes).Open(), {});
    return index.Encode();
  };
  TagInfoMemory memory;
  std::vector<std::shared_ptr<const FileView>> views;
  for (const auto& tags :
       {index_of({"a", "b", "c"}), index_of({"a", "b", "c"}), index_of({"a", "x", "c"}),
        index_of({"a", "x"}), index_of({}), index_of({"c", "b", "a", "x"})}) {
    const auto owner = std::make_shared<const EncodedIndex>(tags);
    const auto decoded = FileIndex::Decode(
        "events", {AsBytes(owner->structure), AsBytes(owner->columns)}, owner, memory);
    ASSERT_THAT(decoded, Succeeds());
    views.push_back(decoded->View());
  }
  memory.Begin();
  memory.Finish();  // From here on only the views keep their infos.
  const auto names = [&](std::size_t view) {
    std::string text;
    for (const SeriesView& series : views[view]->series) text += series.info->name;
    return text;
  };
  EXPECT_EQ(names(0), "abc");
  EXPECT_EQ(names(1), "abc");
  EXPECT_EQ(names(2), "axc");
  EXPECT_EQ(names(3), "ax");
  EXPECT_EQ(names(4), "");
  EXPECT_EQ(names(5), "cbax");
  EXPECT_EQ(views[0]->series[0].info.get(), views[5]->series[2].info.get());
  EXPECT_EQ(views[1]->series[2].info.get(), views[2]->series[2].info.get());
  EXPECT_EQ(views[2]->series[1].info.get(), views[5]->series[3].info.get());
}

TEST(FileIndexCodec, StoredPointsTakeNoMemoryOfTheirOwn) {
  std::string bytes = RandomLog(0).Version();
  for (int i = 0; i < 20'000; ++i) bytes += ::cboard::testing::ScalarRecord("loss", 1, i);
  const MemoryFile memory(bytes);
  FileIndex index("events");
  index.ContinueReading(memory.Open(), {});
  const auto decoded = Decode(index.Encode());
  ASSERT_THAT(decoded, Succeeds());
  EXPECT_LT(decoded->scalar_bytes(), 20'000u);
  EXPECT_GT(index.scalar_bytes(), 8 * 20'000u);
}

}  // namespace
}  // namespace cboard::reader
