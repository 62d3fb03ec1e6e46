#include "writer/summary/custom_scalars.h"

#include "testing/matchers.h"
#include "writer/testing/golden.h"

namespace cboard::writer::summary {
namespace {

using testing::FailsSaying;

TEST(CustomScalarsSummary, HasTheBytesOfTensorboardX) {
  const std::vector<CustomScalarCategory> layout = {
      {.title = "loss",
       .charts = {{.title = "both", .tags = {"train", "val"}, .margin = false},
                  {.title = "band", .tags = {"a", "b", "c"}, .margin = true}}}};
  EXPECT_EQ(MakeCustomScalarsSummary(layout).value(),
            FromHex("0a69 0a18 637573746f6d5f7363616c6172735f5f636f6e6669675f5f"
                    "4239 0807 1200 4233 1231 0a046c6f7373"
                    "1214 0a04626f7468 120c 0a05747261696e 0a0376616c"
                    "1213 0a0462616e64 1a0b 0a09 0a0161 120162 1a0163"
                    "4a12 0a10 0a0e 637573746f6d5f7363616c617273"));
}

TEST(CustomScalarsSummary, RefusesChartsThatShowNothing) {
  EXPECT_THAT(MakeCustomScalarsSummary(
                  {{.title = "c", .charts = {{.title = "t", .tags = {}, .margin = false}}}}),
              FailsSaying(ErrorCode::kInvalidArgument, "chart 't' has no tags"));
  EXPECT_THAT(
      MakeCustomScalarsSummary(
          {{.title = "c", .charts = {{.title = "t", .tags = {"a", "b"}, .margin = true}}}}),
      FailsSaying(ErrorCode::kInvalidArgument, "margin chart 't' has 2 tags; give exactly three"));
}

}  // namespace
}  // namespace cboard::writer::summary
