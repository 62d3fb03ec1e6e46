#include "compare/measure/box_overlap.h"

#include <gmock/gmock.h>

namespace cboard::compare {
namespace {

// Rows of four channels.
std::optional<BoxOverlap::Agreement> Compared(const std::vector<float>& baseline,
                                              const std::vector<float>& variant) {
  const std::size_t boxes = baseline.size() / 4;
  BoxOverlap overlap;
  overlap.Add(baseline, variant, {.outer = boxes, .channels = 4}, std::vector<bool>(boxes, true));
  return overlap.Compare();
}

TEST(BoxOverlap, ReadsCorners) {
  const auto found = Compared({0, 0, 10, 10, 20, 20, 40, 40}, {0, 0, 10, 8, 25, 25, 45, 45});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->boxes, 2u);
  EXPECT_EQ(found->same, 1u);
  EXPECT_NEAR(found->mean_overlap, (0.8 + 225.0 / 575) / 2, 1e-9);
}

// Boxes at 100 of 320 pixels that are 20 wide: 10 pixels off leaves a third.
TEST(BoxOverlap, ReadsCenterAndSize) {
  const auto found = Compared({100, 100, 20, 20}, {110, 100, 20, 20});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->same, 0u);
  EXPECT_NEAR(found->mean_overlap, 1.0 / 3, 1e-9);
}

TEST(BoxOverlap, DoesNotReadValuesThatAreNoBoxes) {
  EXPECT_FALSE(Compared({0.1f, -0.2f, -0.3f, 0.4f}, {0.1f, -0.2f, -0.3f, 0.4f}));
  EXPECT_FALSE(Compared({}, {}));
}

TEST(BoxOverlap, CountsInfiniteBoxesAsLost) {
  const auto found = Compared({0, 0, 10, 10}, {0, 0, HUGE_VALF, 10});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->same, 0u);
}

TEST(BoxOverlap, SkipsPositionsWithoutADetection) {
  BoxOverlap overlap;
  const std::vector<float> baseline = {0, 0, 10, 10, 0, 0, 10, 10};
  const std::vector<float> variant = {0, 0, 10, 10, 50, 50, 60, 60};
  overlap.Add(baseline, variant, {.outer = 2, .channels = 4}, {true, false});
  EXPECT_EQ(overlap.Compare()->boxes, 1u);
  EXPECT_EQ(overlap.Compare()->same, 1u);
}

}  // namespace
}  // namespace cboard::compare
