#include "cli/reports/text_table.h"

#include <gtest/gtest.h>

namespace cboard::cli {
namespace {

TEST(TextTable, AlignsColumnsAndLeavesNoTrailingBlanks) {
  TextTable table({{"tag"}, {"count", Align::kRight}, {"kind"}});
  table.AddRow({"loss", "1,000", "scalar"});
  table.AddRow({"a/long/tag", "7"});
  EXPECT_EQ(table.Render(2),
            "  tag         count  kind\n"
            "  loss        1,000  scalar\n"
            "  a/long/tag      7\n");
}

TEST(TextTable, DropsColumnsThatNoRowFills) {
  TextTable table({{"tag"}, {"unused"}, {"kind"}, {"unused too"}});
  table.AddRow({"loss", "", "scalar", ""});
  table.AddRow({"", "", "text"});
  table.DropEmptyColumns();
  EXPECT_EQ(table.Render(), "tag   kind\nloss  scalar\n      text\n");
}

TEST(TextTable, AlignsWideAndCombiningCharacters) {
  TextTable table({{"tag"}, {"n"}});
  table.AddRow({"模型", "1"});
  table.AddRow({"e\u0301", "2"});
  EXPECT_EQ(table.Render(), "tag   n\n模型  1\ne\u0301     2\n");
}

TEST(TextTable, CellsCannotSteerTheTerminal) {
  TextTable table({{"tag"}});
  table.AddRow({"\x1b[31mred\nline\u202e"});
  EXPECT_EQ(table.Render(), "tag\n\\x1b[31mred\\x0aline\\u202e\n");
}

TEST(Printable, ReplacesBytesThatAreNotUtf8AndEscapesC1Controls) {
  EXPECT_EQ(Printable("a\xff"), "a\uFFFD");
  EXPECT_EQ(Printable("\u009b31m"), "\\x9b31m");
  EXPECT_EQ(Printable("Grüße 🙂"), "Grüße 🙂");
}

TEST(Shortened, CutsAtTheWidthOfTheTerminalNotInsideACharacter) {
  EXPECT_EQ(Shortened("short", 5), "short");
  EXPECT_EQ(Shortened("longer", 5), "long…");
  EXPECT_EQ(Shortened("模型模型", 5), "模型…");
  EXPECT_EQ(Shortened("模型模型", 4), "模…");
}

TEST(ShortenedToEnd, CutsOffTheBeginning) {
  EXPECT_EQ(ShortenedToEnd("short", 5), "short");
  EXPECT_EQ(ShortenedToEnd("longer", 5), "…nger");
  EXPECT_EQ(ShortenedToEnd("模型模型", 5), "…模型");
  EXPECT_EQ(ShortenedToEnd("模型模型", 4), "…型");
}

}  // namespace
}  // namespace cboard::cli
