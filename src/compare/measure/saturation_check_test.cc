#include "compare/measure/saturation_check.h"

#include <gtest/gtest.h>

#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using testing::OnnxBuilder;
constexpr int kUint8 = 2;

// x -> QuantizeLinear -> "codes" -> DequantizeLinear -> the node under test.
OnnxBuilder WithCodes(std::vector<std::int64_t> shape, int type = kUint8) {
  OnnxBuilder builder;
  builder.Input("x", std::move(shape))
      .Weight("s", {}, {0.1f})
      .Constant<std::uint8_t>("z", {}, type, {7})
      .Node("QuantizeLinear", {"x", "s", "z"}, {"codes"})
      .Node("DequantizeLinear", {"codes", "s", "z"}, {"real"});
  return builder;
}

void AddWeights(OnnxBuilder& builder, std::vector<std::int64_t> shape,
                const std::vector<std::int8_t>& codes) {
  builder.Constant("w", std::move(shape), OnnxBuilder::kInt8, codes)
      .Weight("ws", {}, {0.1f})
      .Node("DequantizeLinear", {"w", "ws"}, {"wr"});
}

std::optional<SaturationCheck> CheckOf(const model::ModelGraph& model) {
  return SaturationCheck::For(model, FindWeightLayers(model)[0]);
}

TEST(SaturationCheck, CountsThePairsOfAProduct) {
  OnnxBuilder builder = WithCodes({1, 4});
  AddWeights(builder, {4, 2}, {127, 1, 127, 1, 10, 1, 10, 1});  // Channel 0 is 127 127 10 10.
  builder.Node("MatMul", {"real", "wr"}, {"y"}).Output("y", {1, 2});
  const model::ModelGraph model = Opened(builder);
  auto check = CheckOf(model);
  ASSERT_TRUE(check);
  EXPECT_EQ(check->input(), "codes");
  EXPECT_FALSE(check->Build());
  check->Add(TensorView(std::vector<std::uint8_t>{200, 200, 255, 255}, {1, 4}));
  const auto count = check->Build();
  EXPECT_EQ(count->pairs, 4u);
  EXPECT_EQ(count->saturated, 1u);  // 200 * 127 * 2 = 50800.
  EXPECT_EQ(count->products, 2u);
  EXPECT_EQ(count->affected, 1u);
}

TEST(SaturationCheck, BringsThePatchesOfAConvolution) {
  OnnxBuilder builder = WithCodes({1, 2, 3, 3});
  // One filter of 2 input channels and 3 x 3 pixels: only the middle pixel is large.
  std::vector<std::int8_t> filter(18, 0);
  filter[4] = filter[13] = 127;
  AddWeights(builder, {1, 2, 3, 3}, filter);
  const std::string pads = proto::EncodeMessage([](auto& attribute) {
    attribute.Text(1, "pads");
    for (int i = 0; i < 4; ++i) attribute.PresentInt(8, 1);
    attribute.Int(20, 7);
  });
  builder.Node("Conv", {"real", "wr"}, {"y"}, pads).Output("y", {1, 1, 3, 3});
  const model::ModelGraph model = Opened(builder);
  auto check = CheckOf(model);
  ASSERT_TRUE(check);
  // Both channels are 255 in two of nine pixels, one of them in a third.
  std::vector<std::uint8_t> image(18, 1);
  image[0] = image[9] = image[8] = image[17] = image[4] = 255;
  check->Add(TensorView(image, {1, 2, 3, 3}));
  const auto count = check->Build();
  EXPECT_EQ(count->products, 9u);
  EXPECT_EQ(count->pairs, 81u);
  EXPECT_EQ(count->saturated, 2u);
  EXPECT_EQ(count->affected, 2u);
}

TEST(SaturationCheck, SignedActivationsCannotSaturate) {
  OnnxBuilder builder = WithCodes({1, 4}, OnnxBuilder::kInt8);
  AddWeights(builder, {4, 1}, {127, 127, 127, 127});
  builder.Node("MatMul", {"real", "wr"}, {"y"}).Output("y", {1, 1});
  const model::ModelGraph model = Opened(builder);
  EXPECT_FALSE(CheckOf(model));
}

}  // namespace
}  // namespace cboard::compare
