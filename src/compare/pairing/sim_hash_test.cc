#include "compare/pairing/sim_hash.h"

#include <gmock/gmock.h>

#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;
using ::testing::SizeIs;

SimHash SignsOfVector(std::uint32_t seed, double noise) {
  std::vector<float> values = Gaussian(64, seed);
  const std::vector<float> other = Gaussian(values.size(), seed + 1'000'000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] += static_cast<float>(noise * other[i]);
  }
  return SimHash(values, 1);
}

// How many of `count` vectors are found through noise of this size, and how many are looked at for
// each.
struct Search {
  std::size_t found = 0;
  std::size_t looked_at = 0;
};
Search SearchAll(std::uint32_t count, double noise) {
  std::vector<SimHash> all;
  for (std::uint32_t i = 0; i < count; ++i) all.push_back(SignsOfVector(i, 0));
  const SimHashIndex index(all);
  Search search;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::vector<std::size_t> near = index.Near(SignsOfVector(i, noise));
    if (std::ranges::binary_search(near, i)) ++search.found;
    search.looked_at += near.size();
  }
  search.looked_at /= count;
  return search;
}

TEST(SimHashIndex, FindsThroughTheNoiseOfFourBitsWithoutLookingAtAll) {
  const Search search = SearchAll(4096, 0.1);
  EXPECT_GE(search.found, 4090u);
  EXPECT_LT(search.looked_at, 200u);
}

TEST(SimHashIndex, FindsMostThroughTheNoiseOfTwoBits) {
  EXPECT_GE(SearchAll(160, 0.3).found, 155u);
}

TEST(SimHashIndex, OfFewAllAreNear) {
  const std::vector<SimHash> few = {SignsOfVector(1, 0), SignsOfVector(2, 0)};
  EXPECT_THAT(SimHashIndex(few).Near(SignsOfVector(3, 0)), ::testing::ElementsAre(0u, 1u));
  EXPECT_THAT(SimHashIndex({}).Near(few[0]), ::testing::IsEmpty());
}

TEST(SimHashIndex, OfManyThatAreAllAlikeSomeAreNear) {
  const std::vector<SimHash> all(5000, SignsOfVector(1, 0));
  EXPECT_THAT(SimHashIndex(all).Near(all[0]), SizeIs(AllOf(Ge(1u), Le(512u))));
}

TEST(SimHash, LengthsOfRowsDoNotMatter) {
  std::vector<float> values = Gaussian(4 * 10, 1);
  const SimHash signs(values, 4);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= static_cast<float>(1 + i / 10);
  const SimHash scaled(values, 4);
  for (std::size_t plane = 0; plane < SimHash::kPlanes; ++plane) {
    EXPECT_EQ(signs.At(plane), scaled.At(plane));
  }
}

TEST(SimHash, PlanesThatAreMadeOnceAreTheSame) {
  for (const std::size_t row : {1u, 9u, 64u}) {
    const SimHashPlanes planes(row);
    for (unsigned seed = 0; seed < 20; ++seed) {
      const std::vector<float> values = Gaussian(row, seed);
      const SimHash once = planes.HashOf(values), anew(values, 1);
      for (std::size_t plane = 0; plane < SimHash::kPlanes; ++plane) {
        EXPECT_EQ(once.At(plane), anew.At(plane)) << row << " elements, plane " << plane;
      }
    }
  }
}

}  // namespace
}  // namespace cboard::compare
