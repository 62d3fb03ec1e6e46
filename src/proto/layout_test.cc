#include <gtest/gtest.h>

#include "cboard/proto/plugins.h"
#include "proto/testing/golden_bytes.h"
#include "testing/matchers.h"

namespace cboard::proto {
namespace {

using testing::FailsWith;
using testing::Golden;
using testing::Succeeds;

TEST(Layout, HasProtobufsBytes) {
  const std::vector<LayoutCategory> categories = {
      {.title = "c", .charts = {{.title = "t", .multiline_tags = {"a", "b"}, .margins = {}}}}};
  EXPECT_EQ(EncodeLayout(categories),
            Golden("12 10 0a 01 \"c\" 12 0b 0a 01 \"t\" 12 06 0a 01 \"a\" 0a 01 \"b\""));
}

TEST(Layout, RoundTrips) {
  const std::vector<LayoutCategory> categories = {
      {.title = "loss",
       .charts = {{.title = "lines", .multiline_tags = {"loss/.*", ""}, .margins = {}},
                  {.title = "band", .multiline_tags = {}, .margins = {{"v", "lo", "hi"}, {}}}},
       .closed = true},
      {.title = {}, .charts = {}}};
  const auto parsed = ParseLayout(EncodeLayout(categories));
  ASSERT_THAT(parsed, Succeeds());
  EXPECT_EQ(*parsed, categories);
}

TEST(Layout, AChartWithoutTagsIsAMultilineChart) {
  const std::vector<LayoutCategory> categories = {
      {.title = {}, .charts = {{.title = {}, .multiline_tags = {}, .margins = {}}}}};
  EXPECT_EQ(EncodeLayout(categories), Golden("12 04 12 02 12 00"));
}

TEST(Layout, MalformedBytesAreDataLoss) {
  for (const char* bytes : {"12 05", "12 02 12 07", "12 04 12 02 1a 05", "12 06 12 04 1a 02 0a 07",
                            "12 05 12 03 12 01 0a"}) {
    EXPECT_THAT(ParseLayout(Golden(bytes)), FailsWith(ErrorCode::kDataLoss)) << bytes;
  }
}

}  // namespace
}  // namespace cboard::proto
