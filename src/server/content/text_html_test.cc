#include "server/content/text_html.h"

#include <gtest/gtest.h>

namespace cboard::server {
namespace {

TEST(TextToHtml, AScalarIsItsMarkdown) {
  EXPECT_EQ(TextToHtml({.shape = {}, .texts = {"**bold**"}}), "<p><strong>bold</strong></p>");
  EXPECT_EQ(TextToHtml({.shape = {}, .texts = {"<i>**"}}, TextCells::kPlain), "&lt;i&gt;**");
}

TEST(TextToHtml, NothingThatWasLoggedBecomesAnElementOfItsOwn) {
  const std::string html = TextToHtml({.shape = {1}, .texts = {"<script>alert(1)</script>"}});
  EXPECT_EQ(html.find("<script"), std::string::npos) << html;
  EXPECT_NE(html.find("&lt;script"), std::string::npos) << html;
}

TEST(TextToHtml, AMatrixIsATable) {
  const std::string html =
      TextToHtml({.shape = {2, 2}, .texts = {"a", "b", "c", "d"}}, TextCells::kPlain);
  EXPECT_EQ(html,
            "<table>\n<tbody>\n<tr>\n<td>a</td>\n<td>b</td>\n</tr>\n"
            "<tr>\n<td>c</td>\n<td>d</td>\n</tr>\n</tbody>\n</table>");
}

TEST(TextToHtml, AShapeThatTheTextsDoNotFillGivesAnEmptyTable) {
  constexpr std::string_view kEmpty = "<table>\n<tbody>\n</tbody>\n</table>";
  EXPECT_EQ(TextToHtml({.shape = {3, 2}, .texts = {"a"}}), kEmpty);
  EXPECT_EQ(TextToHtml({.shape = {std::int64_t{1} << 60, 0}, .texts = {}}), kEmpty);
  EXPECT_EQ(TextToHtml({.shape = {-1}, .texts = {}}), kEmpty);
}

}  // namespace
}  // namespace cboard::server
