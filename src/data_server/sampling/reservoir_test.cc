#include "data_server/sampling/reservoir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace cboard::data_server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Reservoir Offered(Capacity capacity, const std::vector<std::int64_t>& steps) {
  Reservoir reservoir(capacity);
  for (const std::int64_t step : steps) reservoir.Offer(step);
  return reservoir;
}

TEST(Reservoir, KeepsAllPointsWhileThereIsRoom) {
  EXPECT_THAT(Offered(4, {1, 2, 3, 4}).kept(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Offered({}, {1, 2, 3, 4, 5, 6}).kept(), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(Offered(0, {1, 2, 3}).kept(), IsEmpty());
}

TEST(Reservoir, AlwaysKeepsTheNewestPointAndNoMoreThanItsCapacity) {
  Reservoir reservoir(10);
  for (std::size_t i = 0; i < 1000; ++i) {
    reservoir.Offer(static_cast<std::int64_t>(i));
    ASSERT_EQ(reservoir.kept().back(), i);
    ASSERT_EQ(reservoir.kept().size(), std::min<std::size_t>(i + 1, 10));
    ASSERT_TRUE(std::ranges::is_sorted(reservoir.kept()));
  }
}

TEST(Reservoir, AStepThatIsLoggedAgainReplacesAllFromThere) {
  EXPECT_THAT(Offered(100, {1, 2, 3, 4, 3, 4, 5}).kept(), ElementsAre(0, 1, 4, 5, 6));
  EXPECT_THAT(Offered(100, {0, 0, 0, 0}).kept(), ElementsAre(3));
  EXPECT_THAT(Offered(100, {5, 6, -1}).kept(), ElementsAre(2));
  EXPECT_THAT(Offered({}, {1, 2, 3, 2}).kept(), ElementsAre(0, 3));
}

TEST(ReservoirCache, GivesWhatAReservoirKeeps) {
  ReservoirCache cache;
  for (const std::size_t count : {5000u, 20u, 1000u, 1001u, 5000u, 7000u, 3u}) {
    std::vector<std::int64_t> steps(count);
    std::iota(steps.begin(), steps.end(), 100);
    for (const std::size_t capacity : {1u, 10u, 1000u}) {
      EXPECT_EQ(*cache.KeptOf(capacity, count), Offered(capacity, steps).kept());
    }
  }
}

TEST(ReservoirCache, ForgetsAndMakesAgain) {
  ReservoirCache cache;
  const auto first = cache.KeptOf(10, 50);
  const std::vector<std::size_t> kept = *first;
  for (std::size_t count = 100; count < 1000; ++count) (void)cache.KeptOf(10, count);
  EXPECT_EQ(*first, kept);  // Still valid for its holders.
  EXPECT_EQ(*cache.KeptOf(10, 50), kept);
}

// FNV-1a, to compare long lists.
std::uint64_t HashOf(const std::vector<std::size_t>& indices) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::size_t index : indices) hash = (hash ^ index) * 0x100000001b3;
  return hash;
}

// Expected: rand::seq::index::sample(n - 1, k - 1) of Rust's rand 0.7.3, sorted. Each row takes
// another way through it.
TEST(DownsampledIndices, AreThoseOfRustAndTheLast) {
  struct Row {
    std::size_t count, max_count;
    std::uint64_t hash;
  };
  for (const Row& row : {Row{100, 51, 0x44bffba39f74868},
                         {100, 11, 0xdc9bdb71f787046d},
                         {100, 1, 0xcbf29ce484222325},
                         {1000, 6, 0x720d7aceefc4fd55},
                         {1000, 61, 0x4ef8db28fe1b55dc},
                         {100001, 171, 0x294083147d159ac8},
                         {40001, 171, 0xcca880ac4aaeca07},
                         {600001, 161, 0xf31eaa0e4873b731},
                         {600001, 13, 0x341c7eac96523906},
                         {600001, 171, 0x7cab4e17204545ad}}) {
    std::vector<std::size_t> indices = DownsampledIndices(row.count, row.max_count);
    EXPECT_EQ(indices.size(), row.max_count);
    EXPECT_EQ(indices.back(), row.count - 1);
    indices.pop_back();
    EXPECT_EQ(HashOf(indices), row.hash) << row.count << " to " << row.max_count;
  }
}

TEST(DownsampledIndices, AreAllWhereThereIsRoom) {
  EXPECT_THAT(DownsampledIndices(3, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(DownsampledIndices(3, 100), ElementsAre(0, 1, 2));
  EXPECT_THAT(DownsampledIndices(3, 0), IsEmpty());
  EXPECT_THAT(DownsampledIndices(0, 5), IsEmpty());
}

}  // namespace
}  // namespace cboard::data_server
