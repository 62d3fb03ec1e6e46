#include "server/content/markdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cboard::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Markdown, KeepsAddressesThatOnlyLead) {
  EXPECT_EQ(MarkdownToSafeHtml("[a](https://x.org/?b=1&c=2)"),
            R"(<p><a href="https://x.org/?b=1&amp;c=2">a</a></p>)");
  EXPECT_EQ(MarkdownToSafeHtml("[a](b/c:d)"), R"(<p><a href="b/c:d">a</a></p>)");
}

TEST(Markdown, DropsAddressesThatCouldRun) {
  for (const char* const address :
       {"javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "vbscript:x",
        "<java\tscript:alert(1)>", "<&#1;javascript:alert(1)>"}) {
    const std::string html = MarkdownToSafeHtml("[a](" + std::string(address) + ")");
    EXPECT_THAT(html, Not(HasSubstr("href=\"java"))) << html;
    EXPECT_THAT(html, Not(HasSubstr("href=\"JaVa"))) << html;
    EXPECT_THAT(html, Not(HasSubstr("href=\"data"))) << html;
    EXPECT_THAT(html, Not(HasSubstr("href=\"vb"))) << html;
  }
}

// A browser would decode "javascript&colon;" in an attribute to a scheme; escaped, it is a path.
TEST(Markdown, LetsNoEntityHideAScheme) {
  EXPECT_THAT(MarkdownToSafeHtml("[a](javascript&colon;alert(1))"),
              Not(HasSubstr("script&colon;")));
}

TEST(Markdown, DrawsTablesWithOneDashPerColumn) {
  const std::string table = MarkdownToSafeHtml("| a | b |\n|---|---|\n| 1 | 2 |");
  ASSERT_THAT(table, HasSubstr("<th>a</th>"));
  EXPECT_EQ(MarkdownToSafeHtml("| a | b |\n|-|:-:|\n| 1 | 2 |"), table);
  EXPECT_EQ(MarkdownToSafeHtml("| a | b |\r\n|-|-|\r\n| 1 | 2 |"), table);
  EXPECT_EQ(MarkdownToSafeHtml("```\n|-|\n```\n"), "<pre><code>|-|\n</code></pre>");
  EXPECT_EQ(MarkdownToSafeHtml("    |-|"), "<pre><code>|-|\n</code></pre>");
}

TEST(Markdown, ShowsHtmlAsText) {
  EXPECT_EQ(MarkdownToSafeHtml("<img src=x onerror=y>"), "<p>&lt;img src=x onerror=y&gt;</p>");
  EXPECT_EQ(MarkdownToSafeHtml("![\" onerror=\"x](a.png)"),
            R"(<p><img alt="&quot; onerror=&quot;x" src="a.png"></p>)");
}

TEST(Markdown, SaysHowManyNullBytesItLeftOut) {
  EXPECT_EQ(MarkdownToSafeHtml(std::string_view("a\0b", 3)),
            "<!-- WARNING: discarded 1 null bytes in markdown string after UTF-8 decoding -->\n"
            "<p>ab</p>");
}

}  // namespace
}  // namespace cboard::server
