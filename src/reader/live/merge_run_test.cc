#include "reader/live/merge_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace cboard::reader {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::shared_ptr<const TagInfo> Info(const std::string& name, TagKind kind = TagKind::kScalar) {
  auto info = std::make_shared<TagInfo>();
  info->name = name;
  info->kind = kind;
  return info;
}

void FillSteps(SeriesView& series, const std::vector<std::int64_t>& steps) {
  if (steps.empty()) return;
  series.first_step = steps.front();
  series.last_step = steps.back();
  series.min_step = *std::ranges::min_element(steps);
  series.max_step = *std::ranges::max_element(steps);
  series.steps_ascend = std::ranges::is_sorted(steps);
}

// A series and the columns that it will look at.
struct Made {
  SeriesView series;
  std::vector<ScalarColumnView> scalars;
  std::vector<BlobColumnView> blobs;
};

// A scalar tag with these steps, in two columns; the value of a point is its step.
Made Scalars(const std::string& tag, const std::vector<std::int64_t>& steps) {
  Made made{.series = {.info = Info(tag)}, .scalars = {}, .blobs = {}};
  FillSteps(made.series, steps);
  const std::size_t half = steps.size() / 2;
  for (const auto& [begin, end] :
       {std::pair(std::size_t{0}, half), std::pair(half, steps.size())}) {
    const auto arena = std::make_shared<Arena>();
    ScalarColumn column(*arena);
    for (std::size_t i = begin; i < end; ++i) column.Append(steps[i], 1, double(steps[i]));
    if (column.size() > 0) made.scalars.push_back(column.View(arena));
  }
  return made;
}

Made Blobs(const std::string& tag, TagKind kind, const std::vector<std::int64_t>& steps) {
  Made made{.series = {.info = Info(tag, kind)}, .scalars = {}, .blobs = {}};
  FillSteps(made.series, steps);
  const auto arena = std::make_shared<Arena>();
  BlobColumn column(*arena);
  for (const std::int64_t step : steps) column.Append({.step = step});
  made.blobs.push_back(column.View(arena));
  return made;
}

Restart Start(std::int64_t step, std::vector<std::uint64_t> counts = {}) {
  return {.step = step, .is_session_start = true, .counts = std::move(counts)};
}

std::shared_ptr<const FileView> File(const std::vector<Made>& tags,
                                     std::vector<Restart> restarts = {}) {
  auto view = std::make_shared<FileView>();
  const auto columns = std::make_shared<FileColumns>();
  for (const Made& made : tags) {
    columns->scalars.insert(columns->scalars.end(), made.scalars.begin(), made.scalars.end());
    columns->blobs.insert(columns->blobs.end(), made.blobs.begin(), made.blobs.end());
  }
  std::size_t scalar = 0, blob = 0;
  for (const Made& made : tags) {
    SeriesView& series = view->series.emplace_back(made.series);
    series.scalars = std::span(columns->scalars).subspan(scalar, made.scalars.size());
    series.blobs = std::span(columns->blobs).subspan(blob, made.blobs.size());
    scalar += made.scalars.size();
    blob += made.blobs.size();
  }
  view->columns = columns;
  view->restarts = std::move(restarts);
  return view;
}

std::shared_ptr<const Run> Merged(const std::vector<std::shared_ptr<const FileView>>& files,
                                  bool purge = true) {
  return MergeRun("run", "/logs/run", files, {.purge = purge, .version = 7});
}

std::vector<std::int64_t> StepsOf(const Tag* tag) {
  std::vector<std::int64_t> steps;
  if (tag == nullptr) return steps;
  for (const ScalarPoint& point : tag->scalars.ToPoints()) steps.push_back(point.step);
  tag->blobs.ForEach([&](const BlobEntry& entry) { steps.push_back(entry.step); });
  return steps;
}

TEST(MergeRun, PutsTheFilesOfARunTogetherAndSortsItsTags) {
  const auto run = Merged({File({Scalars("loss", {1, 2}), Scalars("acc", {2})}),
                           File({Scalars("new", {9}), Scalars("loss", {3, 5})})});
  EXPECT_EQ(run->name, "run");
  EXPECT_EQ(run->version, 7u);
  EXPECT_EQ(run->files.size(), 2u);
  ASSERT_EQ(run->tags.size(), 3u);
  EXPECT_EQ(run->tags[0].name(), "acc");
  EXPECT_EQ(run->tags[1].name(), "loss");
  EXPECT_EQ(run->tags[2].name(), "new");
  EXPECT_THAT(StepsOf(run->Find("loss")), ElementsAre(1, 2, 3, 5));
  EXPECT_EQ(run->Find("loss")->min_step, 1);
  EXPECT_EQ(run->Find("loss")->max_step, 5);
  EXPECT_TRUE(run->Find("loss")->steps_ascend);
  EXPECT_EQ(run->Find("none"), nullptr);
}

TEST(MergeRun, KnowsWhenStepsGoBackFromFileToFile) {
  const auto run = Merged({File({Scalars("loss", {1, 5})}), File({Scalars("loss", {3, 4})})});
  EXPECT_FALSE(run->Find("loss")->steps_ascend);
  EXPECT_EQ(run->Find("loss")->max_step, 5);
}

TEST(MergeRun, TheFirstFileDecidesWhatATagIs) {
  const auto run = Merged({File({Scalars("x", {1})}), File({Blobs("x", TagKind::kImage, {2, 3})}),
                           File({Scalars("x", {4})})});
  ASSERT_EQ(run->tags.size(), 1u);
  EXPECT_EQ(run->tags[0].kind(), TagKind::kScalar);
  EXPECT_EQ(run->tags[0].mismatched_count, 2u);
  EXPECT_THAT(StepsOf(&run->tags[0]), ElementsAre(1, 4));
}

TEST(MergeRun, BlobsKnowTheirFile) {
  const auto run = Merged({File({}), File({Blobs("image", TagKind::kImage, {2, 3})})});
  EXPECT_EQ(run->Find("image")->blobs.at(1).file, 1u);
}

TEST(MergeRun, SumsUpEventsTimesAndDamage) {
  auto first = std::make_shared<FileView>();
  first->event_count = 2;
  first->first_wall_time_seconds = 5;
  first->newest_wall_time_seconds = 6;
  first->damage_count = 70;
  first->damage.resize(70);
  auto second = std::make_shared<FileView>(*first);
  second->first_wall_time_seconds = 4;
  const auto run = Merged({first, second});
  EXPECT_EQ(run->event_count, 4u);
  EXPECT_EQ(run->first_wall_time_seconds, 4);
  EXPECT_EQ(run->newest_wall_time_seconds, 6);
  EXPECT_EQ(run->damage_count, 140u);
  EXPECT_EQ(run->damage.size(), kMaxReportedDamage);
}

TEST(Purge, TheFirstStartOfARunIsNoRestart) {
  const auto run =
      Merged({File({Scalars("loss", {1, 2, 3})}), File({Scalars("loss", {2, 3})}, {Start(2)})});
  EXPECT_THAT(StepsOf(run->Find("loss")), ElementsAre(1, 2, 3, 2, 3));
}

TEST(Purge, ALaterStartMakesEarlierPointsFromItsStepOnVoidInAllTags) {
  const std::vector<std::shared_ptr<const FileView>> files = {
      File({Scalars("loss", {1, 2, 3, 4}), Blobs("image", TagKind::kImage, {1, 3}),
            Scalars("low", {0, 1})},
           {Start(0)}),
      File({Scalars("loss", {3, 4, 5})}, {Start(3)})};
  const auto run = Merged(files);
  EXPECT_THAT(StepsOf(run->Find("loss")), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_TRUE(run->Find("loss")->steps_ascend);
  EXPECT_THAT(StepsOf(run->Find("image")), ElementsAre(1));
  EXPECT_EQ(run->Find("image")->max_step, 1);
  EXPECT_THAT(StepsOf(run->Find("low")), ElementsAre(0, 1));
  EXPECT_THAT(StepsOf(Merged(files, /*purge=*/false)->Find("loss")),
              ElementsAre(1, 2, 3, 4, 3, 4, 5));
}

TEST(Purge, ARestartInTheMiddleOfAFileConcernsWhatIsBeforeIt) {
  const auto run = Merged(
      {File({Scalars("a", {1, 2, 3, 2, 3}), Scalars("b", {5, 6})}, {Start(0), Start(2, {3})})});
  EXPECT_THAT(StepsOf(run->Find("a")), ElementsAre(1, 2, 3));
  EXPECT_THAT(StepsOf(run->Find("b")), ElementsAre(5, 6)) << "logged after the restart";
}

TEST(Purge, AllPointsOfATagMayBeVoid) {
  const auto run = Merged({File({Scalars("a", {5, 6})}, {Start(0)}), File({}, {Start(0)})});
  ASSERT_NE(run->Find("a"), nullptr);
  EXPECT_THAT(StepsOf(run->Find("a")), IsEmpty());
}

TEST(Purge, AStepThatGoesBackInAnOldFileConcernsItsTagOnly) {
  Restart back{.step = 2, .series = 0, .counts = {3, 2}};
  const auto run = Merged({File({Scalars("a", {9})}),
                           File({Scalars("a", {1, 2, 3, 2}), Scalars("b", {1, 5, 6})}, {back})});
  EXPECT_THAT(StepsOf(run->Find("a")), ElementsAre(1, 2));
  EXPECT_THAT(StepsOf(run->Find("b")), ElementsAre(1, 5, 6));
}

// The rules once more, event by event, as TensorBoard applies them.
TEST(Purge, IsWhatTensorBoardDoesEventByEvent) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<std::shared_ptr<const FileView>> files;
    std::vector<std::vector<std::int64_t>> expected(2);
    bool has_started = false;
    for (int f = 0; f < 3; ++f) {
      std::vector<std::vector<std::int64_t>> steps(2);
      std::vector<Restart> restarts;
      const std::size_t events = random() % 12;
      for (std::size_t i = 0; i < events; ++i) {
        const auto step = static_cast<std::int64_t>(random() % 8);
        if (random() % 5 > 0) {
          const std::size_t tag = random() % 2;
          steps[tag].push_back(step);
          expected[tag].push_back(step);
          continue;
        }
        restarts.push_back(Start(step, {steps[0].size(), steps[1].size()}));
        if (std::exchange(has_started, true)) {
          for (auto& kept : expected) std::erase_if(kept, [&](auto s) { return s >= step; });
        }
      }
      files.push_back(File({Scalars("a", steps[0]), Scalars("b", steps[1])}, restarts));
    }
    const auto run = Merged(files);
    for (int tag = 0; tag < 2; ++tag) {
      const Tag* merged = run->Find(tag == 0 ? "a" : "b");
      const auto& kept = expected[static_cast<std::size_t>(tag)];
      ASSERT_EQ(StepsOf(merged), kept) << "round " << round;
      if (kept.empty()) continue;
      EXPECT_EQ(merged->min_step, *std::ranges::min_element(kept));
      EXPECT_EQ(merged->max_step, *std::ranges::max_element(kept));
      EXPECT_EQ(merged->steps_ascend, std::ranges::is_sorted(kept));
    }
  }
}

}  // namespace
}  // namespace cboard::reader
