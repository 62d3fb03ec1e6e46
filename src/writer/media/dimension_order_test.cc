#include "writer/media/dimension_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "testing/matchers.h"

namespace cboard::writer::media {
namespace {

using cboard::testing::FailsSaying;
using cboard::testing::FailsWith;
using cboard::testing::Succeeds;
using Shape = std::vector<std::int64_t>;

TEST(ParseDimensions, FindsEveryDimensionInEveryOrder) {
  std::string letters = "CHNW";
  do {
    Shape shape;
    for (const char letter : letters) shape.push_back(letter);  // Any four different sizes.
    const Result<DimensionOrder> order = ParseDimensions(shape, letters, "NCHW");
    ASSERT_THAT(order, Succeeds()) << letters;
    std::size_t stride = 1;
    for (auto letter = letters.rbegin(); letter != letters.rend(); ++letter) {
      EXPECT_EQ((*order)[*letter].size, static_cast<std::size_t>(*letter)) << letters;
      EXPECT_EQ((*order)[*letter].stride, stride) << letters;
      stride *= (*order)[*letter].size;
    }
  } while (std::ranges::next_permutation(letters).found);
}

TEST(ParseDimensions, TakesLettersOfEitherCase) {
  const Result<DimensionOrder> order = ParseDimensions(Shape{4, 5, 3}, "hWc", "CHW");
  ASSERT_THAT(order, Succeeds());
  EXPECT_EQ((*order)['H'].size, 4u);
  EXPECT_EQ((*order)['C'].stride, 1u);
}

TEST(ParseDimensions, GivesAMissingDimensionOneElementThatRepeats) {
  const Result<DimensionOrder> order = ParseDimensions(Shape{4, 5}, "HW", "HW");
  ASSERT_THAT(order, Succeeds());
  EXPECT_EQ((*order)['C'].size, 1u);
  EXPECT_EQ((*order)['C'].stride, 0u);
}

struct BadDataformat {
  const char* name;
  std::string dataformats;
  Shape shape;
};

class MalformedDataformats : public ::testing::TestWithParam<BadDataformat> {};

TEST_P(MalformedDataformats, IsRefused) {
  const auto& [name, dataformats, shape] = GetParam();
  EXPECT_THAT(ParseDimensions(shape, dataformats, "CHW"), FailsWith(ErrorCode::kInvalidArgument));
}

INSTANTIATE_TEST_SUITE_P(
    , MalformedDataformats,
    ::testing::Values(
        BadDataformat{"Empty", "", {1, 2, 3}}, BadDataformat{"EmptyForAScalar", "", {}},
        BadDataformat{"TooShort", "HW", {1, 2, 3}}, BadDataformat{"TooLong", "NCHW", {1, 2, 3}},
        BadDataformat{"RankOfAnotherFormat", "NCHW", {1, 2, 3, 4}},
        BadDataformat{"Repeated", "HHW", {1, 2, 3}},
        BadDataformat{"RepeatedInOtherCase", "HhW", {1, 2, 3}},
        BadDataformat{"UnknownLetter", "CHX", {1, 2, 3}},
        BadDataformat{"LetterOfAnotherFormat", "NHW", {1, 2, 3}},
        BadDataformat{"NulByte", std::string("CH\0", 3), {1, 2, 3}},
        BadDataformat{"NotAscii", "C\xc3\xa9", {1, 2, 3}},
        BadDataformat{"HighByte", "CH\xff", {1, 2, 3}}, BadDataformat{"Space", "C H", {1, 2, 3}},
        BadDataformat{"VeryLong", std::string(100000, 'H'), {1, 2, 3}}),
    [](const auto& test) { return test.param.name; });

TEST(ParseDimensions, NamesTheFormatAndTheShape) {
  EXPECT_THAT(
      ParseDimensions(Shape{3, 4, 5}, "CHX", "CHW"),
      FailsSaying(ErrorCode::kInvalidArgument,
                  "dataformats 'CHX' does not fit a tensor of shape [3, 4, 5]: 'X' is not one"));
}

}  // namespace
}  // namespace cboard::writer::media
