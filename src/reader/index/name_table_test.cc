#include "reader/index/name_table.h"

#include <gtest/gtest.h>

#include <string>

namespace cboard::reader {
namespace {

TEST(NameTable, FindsEveryNameThatWasAddedAndNoOther) {
  std::vector<std::string> names;
  const auto name_of = [&](std::int64_t number) -> std::string_view {
    return names[static_cast<std::size_t>(number)];
  };
  NameTable table;
  EXPECT_EQ(table.Find("", name_of), -1);
  for (std::uint32_t i = 0; i < 5000; ++i) {
    names.push_back(i == 7 ? "" : "tag/" + std::to_string(i));
    ASSERT_EQ(table.Find(names.back(), name_of), -1);
    table.Add(names.back(), i);
  }
  for (std::uint32_t i = 0; i < 5000; ++i) ASSERT_EQ(table.Find(names[i], name_of), i);
  EXPECT_EQ(table.Find("tag/5000", name_of), -1);
  table.Clear();
  EXPECT_EQ(table.Find("tag/1", name_of), -1);
}

}  // namespace
}  // namespace cboard::reader
