#include "server/content/body_pool.h"

#include <gtest/gtest.h>

#include <cstring>

namespace cboard::server {
namespace {

TEST(BodyPool, GivesTheMemoryOfABodyToTheNext) {
  const auto pool = std::make_shared<BodyPool>();
  EXPECT_TRUE(pool->Take().empty());
  auto body = pool->Share(std::string(100'000, 'x'));
  const char* const memory = body->data();
  EXPECT_EQ(pool->size(), 0u);
  body.reset();
  EXPECT_EQ(pool->size(), 1u);
  EXPECT_EQ(pool->Take().data(), memory);
  EXPECT_EQ(pool->size(), 0u);
}

TEST(BodyPool, KeepsFewAndNeitherShortNorHugeOnes) {
  const auto pool = std::make_shared<BodyPool>();
  pool->Share(std::string(100, 'x'));
  pool->Share(std::string(BodyPool::kMaxBytes + 1, 'x'));
  EXPECT_EQ(pool->size(), 0u);
  std::vector<std::shared_ptr<const std::string>> bodies;
  for (int i = 0; i < 10; ++i) bodies.push_back(pool->Share(std::string(100'000, 'x')));
  bodies.clear();
  EXPECT_EQ(pool->size(), BodyPool::kMaxBodies);
}

TEST(BodyPool, BodiesMayOutliveIt) {
  auto pool = std::make_shared<BodyPool>();
  const auto body = pool->Share(std::string(100'000, 'x'));
  pool.reset();
  EXPECT_EQ(body->size(), 100'000u);
}

TEST(BodyBuffer, KeepsWhatWasWrittenWhileItGrows) {
  for (const std::size_t used : {0u, 5u, 1000u}) {
    BodyBuffer buffer(std::string(used, '?'));
    std::string expected;
    for (std::size_t i = 0; i < 200; ++i) {
      const std::string piece(i % 13, static_cast<char>('a' + i % 26));
      std::memcpy(buffer.Extend(piece.size()), piece.data(), piece.size());
      expected += piece;
    }
    buffer.CutTo(700);
    std::memcpy(buffer.Extend(3), "end", 3);
    EXPECT_EQ(std::move(buffer).Finish(), expected.substr(0, 700) + "end");
  }
}

}  // namespace
}  // namespace cboard::server
