#include "reader/index/arena.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace cboard::reader {
namespace {

TEST(Arena, PiecesDoNotOverlap) {
  Arena arena;
  std::vector<std::pair<std::byte*, std::size_t>> pieces;
  for (std::size_t i = 0; i < 3000; ++i) {
    const std::size_t bytes = 1 + i * 37 % 5000;
    pieces.emplace_back(arena.Allocate(bytes), bytes);
    std::memset(pieces.back().first, static_cast<int>(i % 251), bytes);
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto [memory, bytes] = pieces[i];
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 8, 0u);
    for (std::size_t k = 0; k < bytes; ++k) ASSERT_EQ(memory[k], std::byte(i % 251));
  }
}

TEST(Arena, ASmallOneIsSmall) {
  Arena arena;
  for (int i = 0; i < 10; ++i) arena.Allocate(100);
  EXPECT_LE(arena.size_bytes(), 2048u);
}

TEST(Arena, APieceMayBeLargerThanAnyChunk) {
  Arena arena;
  constexpr std::size_t kBytes = 5 << 20;
  std::byte* memory = arena.Allocate(kBytes);
  std::memset(memory, 1, kBytes);
  EXPECT_GE(arena.size_bytes(), kBytes);
}

TEST(Arena, ManyGrowAtTheSameTime) {
  std::vector<std::jthread> threads;
  for (int id = 1; id <= 4; ++id) {
    threads.emplace_back([id] {
      for (int round = 0; round < 20; ++round) {
        Arena arena;
        std::vector<std::byte*> pieces;
        for (int i = 0; i < 100; ++i) {
          pieces.push_back(arena.Allocate(1000));
          std::memset(pieces.back(), id, 1000);
        }
        for (const std::byte* piece : pieces) {
          for (int k = 0; k < 1000; ++k) ASSERT_EQ(piece[k], std::byte(id));
        }
      }
    });
  }
}

TEST(Arena, KeepsOwnersAlive) {
  auto owner = std::make_shared<int>(1);
  std::weak_ptr<int> watched = owner;
  {
    Arena arena;
    arena.Keep(std::move(owner));
    EXPECT_FALSE(watched.expired());
  }
  EXPECT_TRUE(watched.expired());
}

TEST(Arena, ResetMakesTheNewestMemoryAvailableAgain) {
  Arena arena(64 << 10);
  std::byte* const first = arena.Allocate(100);
  const std::size_t bytes = arena.size_bytes();
  arena.Reset();
  EXPECT_EQ(arena.Allocate(100), first);
  EXPECT_EQ(arena.size_bytes(), bytes);
  for (int i = 0; i < 5000; ++i) std::memset(arena.Allocate(100), 1, 100);
  arena.Reset();
  EXPECT_LE(arena.size_bytes(), bytes);
  for (int i = 0; i < 5000; ++i) std::memset(arena.Allocate(100), 2, 100);
}

TEST(Arena, AScratchArenaIsUsedAgainUnlessSomebodyHasIt) {
  std::shared_ptr<Arena> arena = TakeScratchArena();
  const Arena* const address = arena.get();
  ReturnScratchArena(std::move(arena));
  arena = TakeScratchArena();
  EXPECT_EQ(arena.get(), address);
  const std::shared_ptr<Arena> user = arena;
  ReturnScratchArena(std::move(arena));
  EXPECT_NE(TakeScratchArena(), user);
}

}  // namespace
}  // namespace cboard::reader
