// A file that is read in several places at once gives what reading it from the beginning gives.
#include <gtest/gtest.h>

#include "reader/index/file_index.h"
#include "reader/index/part_index.h"
#include "reader/testing/index_testing.h"
#include "reader/testing/random_log.h"

namespace cboard::reader {
namespace {

using ::cboard::testing::EventRecord;
using ::cboard::testing::ScalarRecord;
using ::cboard::testing::SummaryRecord;
using testing::BackwardWorkers;
using testing::ContentsOf;
using testing::RandomLog;
using testing::ReadWhole;
using testing::ThreadWorkers;

ReadOptions InParts(Workers& workers, std::uint64_t part_bytes = 2000) {
  return {.workers = &workers, .min_part_bytes = part_bytes};
}

TEST(FileIndexParallel, GivesWhatReadingInOrderGives) {
  BackwardWorkers workers;
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    RandomLog log(seed);
    const std::string file = log.Version() + log.Records(300);
    ASSERT_EQ(ContentsOf(*ReadWhole(file, InParts(workers))), ContentsOf(*ReadWhole(file)))
        << "seed " << seed;
  }
}

TEST(FileIndexParallel, GivesTheSameForDamagedFiles) {
  BackwardWorkers workers;
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    RandomLog log(seed);
    std::string file = log.Version() + log.Records(300);
    for (std::uint32_t i = 0; i < 1 + seed % 7; ++i) {
      const std::size_t at = log.Number(file.size());
      switch (log.Number(3)) {
        case 0:
          file[at] = static_cast<char>(file[at] ^ 0x10);
          break;
        case 1:
          file.erase(at, log.Number(500));
          break;
        default:
          for (std::size_t k = at; k < std::min(file.size(), at + 300); ++k) file[k] = 0;
      }
    }
    ASSERT_EQ(ContentsOf(*ReadWhole(file, InParts(workers))), ContentsOf(*ReadWhole(file)))
        << "seed " << seed;
  }
}

TEST(FileIndexParallel, IsNotMisledByEventFilesInsideRecords) {
  BackwardWorkers workers;
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    RandomLog log(seed);
    std::string file = log.Version() + log.Records(50);
    for (int i = 0; i < 4; ++i) {
      // An event file as the contents of an image: every sync point in it is false.
      std::string summary;
      proto::AppendImageValue("nested", {.encoded = log.Records(100)}, {}, summary);
      file += SummaryRecord(summary, i) + log.Records(20);
    }
    ASSERT_EQ(ContentsOf(*ReadWhole(file, InParts(workers))), ContentsOf(*ReadWhole(file)))
        << "seed " << seed;
  }
}

TEST(FileIndexParallel, KnowsATagByWhatItsFirstValueSaid) {
  // The metadata is in the first part only; the tensors that follow carry none.
  BackwardWorkers workers;
  const float value = 1;
  const std::string tensor = proto::EncodeFloatTensor({}, {&value, 1});
  RandomLog log(1);
  std::string file = log.Version() + log.Records(60);
  for (int i = 0; i < 300; ++i) {
    std::string summary;
    proto::AppendTensorValue("late", tensor, {.plugin_name = i == 0 ? "scalars" : ""}, summary);
    file += SummaryRecord(summary, i);
  }
  const auto whole = ReadWhole(file);
  const auto parts = ReadWhole(file, InParts(workers));
  EXPECT_EQ(ContentsOf(*parts), ContentsOf(*whole));
  EXPECT_EQ(parts->series.back().info->kind, TagKind::kScalar);
}

TEST(FileIndexParallel, FollowsTheStepsOfOldFilesInOrder) {
  BackwardWorkers workers;
  RandomLog log(5);
  const std::string old = EventRecord(proto::EventKind::kFileVersion, "brain.Event:1");
  for (const std::string& file :
       {old + log.Records(500), log.Version() + log.Records(300) + old + log.Records(300)}) {
    const auto whole = ReadWhole(file);
    EXPECT_GT(whole->restarts.size(), 0u);
    EXPECT_EQ(ContentsOf(*ReadWhole(file, InParts(workers))), ContentsOf(*whole));
  }
}

TEST(FileIndexParallel, GoesOnInParallelWhenMuchIsAdded) {
  ThreadWorkers workers(3);
  RandomLog log(9);
  testing::MemoryFile memory(log.Version());
  std::string all = log.Version();
  const File file = memory.Open();
  FileIndex index("events");
  for (int i = 0; i < 5; ++i) {
    const std::string more = log.Records(200);
    memory.Append(more);
    all += more;
    index.ContinueReading(file, InParts(workers));
    ASSERT_EQ(ContentsOf(*index.View()), ContentsOf(*ReadWhole(all))) << i;
  }
}

TEST(FileIndexParallel, CountsEveryByteOfTheFileOnceOrALittleMore) {
  ThreadWorkers workers(2);
  std::string file = RandomLog(0).Version();
  for (int i = 0; i < 200'000; ++i) file += ScalarRecord("loss", static_cast<float>(i), i);
  std::atomic<std::uint64_t> bytes = 0, events = 0;
  ReadOptions options = InParts(workers, 1 << 20);
  options.bytes_read = &bytes;
  options.events_read = &events;
  const auto view = ReadWhole(file, options);
  EXPECT_EQ(events, 200'001u);
  EXPECT_GT(view->series[0].scalars.size(), 1u) << "the file was not split";
  EXPECT_GE(bytes, file.size());
  EXPECT_LT(bytes, file.size() + file.size() / 2);
}

// The quick way through scalar events against the general one.
TEST(FileIndexParallel, RecognisedEventsGiveWhatParsedOnesGive) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    RandomLog log(1000 + seed);
    const std::string file = log.Version() + log.Records(400);
    PartIndex parsed;
    for (std::size_t offset = 0; offset < file.size();) {
      const auto length =
          static_cast<std::size_t>(LoadLittleEndian<std::uint64_t>(AsBytes(file).subspan(offset)));
      parsed.AddRecord(offset, AsBytes(file).subspan(offset + 12, length));
      offset += length + 16;
    }
    const auto view = ReadWhole(file);
    ASSERT_EQ(view->series.size(), parsed.series.size());
    EXPECT_EQ(view->event_count, parsed.event_count);
    for (std::size_t i = 0; i < view->series.size(); ++i) {
      const Series& series = parsed.series[i];
      SeriesView expected{.info = series.info,
                          .min_step = series.min_step,
                          .max_step = series.max_step,
                          .first_step = series.first_step,
                          .last_step = series.last_step,
                          .mismatched_count = series.mismatched_count,
                          .steps_ascend = series.steps_ascend};
      const ScalarColumnView scalars = series.scalars.View(parsed.series.scalar_arena());
      const BlobColumnView blobs = series.blobs.View(parsed.series.blob_arena());
      expected.scalars = {&scalars, 1};
      expected.blobs = {&blobs, 1};
      ASSERT_EQ(ContentsOf(view->series[i]), ContentsOf(expected))
          << "seed " << seed << ", tag " << series.info->name;
    }
  }
}

TEST(FileIndexParallel, ViewsAreReadWhileTheFileIsReadOn) {
  RandomLog log(4);
  testing::MemoryFile memory(log.Version());
  const File file = memory.Open();
  FileIndex index("events");
  ThreadWorkers workers(2);
  std::mutex mutex;
  std::shared_ptr<const FileView> newest;
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  std::jthread reader([&] {
    while (!done) {
      std::shared_ptr<const FileView> view;
      {
        const std::lock_guard lock(mutex);
        view = newest;
      }
      if (view) wrong += ContentsOf(*view) != ContentsOf(*view);
    }
  });
  for (int i = 0; i < 100; ++i) {
    memory.Append(log.Records(1 + log.Number(100)));
    index.ContinueReading(file, InParts(workers));
    const std::shared_ptr<const FileView> view = index.View();
    const std::lock_guard lock(mutex);
    newest = view;
  }
  done = true;
  reader.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace cboard::reader
