#include "reader/index/tag_info_table.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace cboard::reader {
namespace {

TEST(TagInfoTable, EqualInfosAreOneObject) {
  const TagInfo info{"loss", TagKind::kScalar, "p", "c", "d", "t"};
  const auto one = Intern(info);
  EXPECT_EQ(Intern(info), one);
  EXPECT_EQ(*one, info);
  for (const TagInfo& other : {TagInfo{"loss2", TagKind::kScalar, "p", "c", "d", "t"},
                               TagInfo{"loss", TagKind::kTensor, "p", "c", "d", "t"},
                               TagInfo{"loss", TagKind::kScalar, "pc", "", "d", "t"},
                               TagInfo{"loss", TagKind::kScalar, "p", "c", "dt", ""}}) {
    EXPECT_NE(Intern(other), one);
  }
}

TEST(TagInfoTable, ForgetsWhatNobodyHolds) {
  std::weak_ptr<const TagInfo> released = Intern({.name = "released"});
  EXPECT_TRUE(released.expired());
  EXPECT_EQ(Intern({.name = "released"})->name, "released");
}

TEST(TagInfoTable, ThreadsGetTheSameObjects) {
  constexpr std::size_t kTags = 500;
  std::vector<std::vector<std::shared_ptr<const TagInfo>>> infos(4);
  {
    std::vector<std::jthread> threads;
    for (auto& own : infos) {
      threads.emplace_back([&own] {
        for (std::size_t i = 0; i < kTags; ++i) {
          own.push_back(Intern({.name = "thread tag " + std::to_string(i)}));
        }
      });
    }
  }
  for (const auto& own : infos) EXPECT_EQ(own, infos[0]);
}

}  // namespace
}  // namespace cboard::reader
