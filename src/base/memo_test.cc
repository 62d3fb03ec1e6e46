#include "cboard/base/memo.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace cboard {
namespace {

struct Length {
  std::size_t value = 0;
};

TEST(Notes, AreMadeOnceForEachType) {
  Notes notes;
  int made = 0;
  const auto make = [&] {
    ++made;
    return std::string("worked out");
  };
  EXPECT_EQ(notes.Find<std::string>(), nullptr);
  const std::string& first = notes.Get<std::string>(make);
  EXPECT_EQ(first, "worked out");
  EXPECT_EQ(&notes.Get<std::string>(make), &first);
  EXPECT_EQ(notes.Find<std::string>(), &first);
  EXPECT_EQ(made, 1);
  EXPECT_EQ(notes.Find<Length>(), nullptr);
  EXPECT_EQ(notes.Get<Length>([] { return Length{3}; }).value, 3u);
  EXPECT_EQ(notes.Find<std::string>(), &first);
}

TEST(Notes, OfAnObjectThatIsCopiedOrReplacedAreForgotten) {
  Notes notes;
  notes.Keep(Length{1});
  const Notes copy = notes;
  EXPECT_EQ(copy.Find<Length>(), nullptr);
  EXPECT_EQ(notes.Find<Length>()->value, 1u);
  notes = copy;
  EXPECT_EQ(notes.Find<Length>(), nullptr);
}

TEST(Notes, GoWithTheirObject) {
  const auto held = std::make_shared<int>(7);
  {
    Notes notes;
    notes.Keep(std::shared_ptr<int>(held));
    EXPECT_EQ(held.use_count(), 2);
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Notes, AreTheSameForAllThreads) {
  for (int round = 0; round < 200; ++round) {
    const Notes notes;
    std::vector<const Length*> seen(4);
    std::vector<const std::string*> texts(4);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      threads.emplace_back([&, i] {
        seen[i] = &notes.Get<Length>([&] { return Length{i}; });
        texts[i] = &notes.Get<std::string>([&] { return std::to_string(i); });
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 1; i < seen.size(); ++i) {
      EXPECT_EQ(seen[i], seen[0]);
      EXPECT_EQ(texts[i], texts[0]);
    }
  }
}

}  // namespace
}  // namespace cboard
