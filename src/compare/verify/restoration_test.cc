#include "compare/verify/restoration.h"

#include <gmock/gmock.h>

#include "compare/layers/weight_rows.h"
#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::IsEmpty;
using testing::OnnxBuilder;
using ::testing::Pointwise;
using testing::Succeeds;

constexpr std::int64_t kInputs = 4;
const std::vector<float> kWeights = Gaussian(3 * kInputs * 9, 1);
const std::vector<float> kBias = {0.5f, -1, 2};
const std::vector<float> kFactors = {2, 4, -8};

std::vector<float> Multiplied(const std::vector<float>& values, const std::vector<float>& factors) {
  std::vector<float> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.push_back(values[i] * factors[i * factors.size() / values.size()]);
  }
  return result;
}

// A convolution with 3 channels, and its output times a factor for each of them.
model::ModelGraph Scaled() {
  OnnxBuilder builder;
  builder.Input("x", {1, kInputs, 8, 8})
      .Weight("w", {3, kInputs, 3, 3}, kWeights)
      .Weight("b", {3}, kBias)
      .Weight("k", {1, 3, 1, 1}, kFactors)
      .Node("Conv", {"x", "w", "b"}, {"c"}, {}, "conv")
      .Node("Mul", {"c", "k"}, {"y"}, {}, "scale")
      .Output("y", {1, 3, 6, 6});
  return Opened(builder);
}

// The same with the factors in weights and bias, and these as codes.
model::ModelGraph FoldedCodes() {
  const std::vector<float> weights = Multiplied(kWeights, kFactors);
  const std::vector<float> bias = Multiplied(kBias, kFactors);
  const Codes w = Quantized(weights), b = Quantized(bias);
  OnnxBuilder builder;
  builder.Input("x", {1, kInputs, 8, 8})
      .Constant("w_quantized", {3, kInputs, 3, 3}, OnnxBuilder::kInt8, w.values)
      .Weight("w_scale", {}, {w.scale})
      .Constant("b_quantized", {3}, OnnxBuilder::kInt8, b.values)
      .Weight("b_scale", {}, {b.scale})
      .Node("DequantizeLinear", {"w_quantized", "w_scale"}, {"w_real"})
      .Node("DequantizeLinear", {"b_quantized", "b_scale"}, {"b_real"})
      .Node("Conv", {"x", "w_real", "b_real"}, {"y"}, {}, "conv")
      .Output("y", {1, 3, 6, 6});
  return Opened(builder);
}

PairedWeights FirstPair(const model::ModelGraph& baseline, const model::ModelGraph& variant) {
  PairedWeights pair{.before = FindWeightLayers(baseline)[0],
                     .after = FindWeightLayers(variant)[0]};
  const auto folded = FindFolded(baseline, pair.before, variant, pair.after);
  EXPECT_THAT(folded, Succeeds());
  pair.folded = *folded;
  return pair;
}

runtime::GraphEdits WithWeights(const model::ModelGraph& baseline, const model::ModelGraph& variant,
                                const PairedWeights& weights) {
  Restoration restoration(baseline, variant);
  EXPECT_THAT(restoration.AddWeights(weights), Succeeds());
  EXPECT_THAT(restoration.AddWeights(weights), Succeeds());  // Changes nothing more.
  return restoration.Take();
}

TEST(Restoration, WhatWasFoldedIsPartOfRestoredWeights) {
  const model::ModelGraph baseline = Scaled(), variant = FoldedCodes();
  const PairedWeights pair = FirstPair(baseline, variant);
  ASSERT_EQ(pair.folded.baseline, 1u);
  const runtime::GraphEdits edits = WithWeights(baseline, variant, pair);
  ASSERT_EQ(edits.constants.size(), 2u);
  EXPECT_EQ(edits.constants[0].name, "w_real");
  EXPECT_THAT(edits.constants[0].shape, ElementsAre(3, kInputs, 3, 3));
  EXPECT_EQ(edits.constants[0].values, Multiplied(kWeights, kFactors));
  EXPECT_EQ(edits.constants[1].name, "b_real");
  EXPECT_EQ(edits.constants[1].values, Multiplied(kBias, kFactors));
}

TEST(Restoration, WhatIsMultipliedLaterIsTakenOutOfThem) {
  const model::ModelGraph baseline = FoldedCodes(), variant = Scaled();
  const PairedWeights pair = FirstPair(baseline, variant);
  ASSERT_EQ(pair.folded.variant, 1u);
  const runtime::GraphEdits edits = WithWeights(baseline, variant, pair);
  ASSERT_EQ(edits.constants.size(), 2u);
  EXPECT_EQ(edits.constants[0].name, "w");
  EXPECT_THAT(edits.constants[0].values, Pointwise(FloatNear(0.005f), kWeights));
  EXPECT_THAT(edits.constants[1].values, Pointwise(FloatNear(0.05f), kBias));
}

TEST(Restoration, ChannelsThatWereRescaledStaySo) {
  const model::ModelGraph baseline = FoldedCodes();
  PairedWeights pair = FirstPair(baseline, baseline);
  pair.rescaling = {1, 10, 100};
  const runtime::GraphEdits edits = WithWeights(baseline, baseline, pair);
  const auto plain = ReadRows(baseline, pair.before);
  EXPECT_EQ(edits.constants[0].values, Multiplied(plain->values, {1, 10, 100}));
  const auto bias = ReadBias(baseline, pair.before);
  EXPECT_EQ(edits.constants[1].values, Multiplied(*bias, {1, 10, 100}));
}

TEST(Restoration, WeightsComeInTheLayoutOfTheOtherFile) {
  OnnxBuilder product, transposed;
  product.Input("x", {1, 3})
      .Weight("w", {3, 2}, {1, 2, 3, 4, 5, 6})
      .Node("MatMul", {"x", "w"}, {"y"}, {}, "fc")
      .Output("y", {1, 2});
  transposed.Input("x", {1, 3})
      .Weight("w", {2, 3}, {0, 0, 0, 0, 0, 0})
      .Node("Gemm", {"x", "w"}, {"y"}, OnnxBuilder::IntAttribute("transB", 1), "fc")
      .Output("y", {1, 2});
  const model::ModelGraph baseline = Opened(product), variant = Opened(transposed);
  const runtime::GraphEdits edits =
      WithWeights(baseline, variant,
                  {.before = FindWeightLayers(baseline)[0], .after = FindWeightLayers(variant)[0]});
  ASSERT_EQ(edits.constants.size(), 1u);
  EXPECT_THAT(edits.constants[0].values, ElementsAre(1, 3, 5, 2, 4, 6));
}

TEST(Restoration, OperatorsOnCodesCannotTakeFloats) {
  OnnxBuilder builder;
  builder.Input("x", {1, 3}, OnnxBuilder::kInt8)
      .Constant("w", {3, 2}, OnnxBuilder::kInt8, std::vector<std::int8_t>{1, 2, 3, 4, 5, 6})
      .Weight("s", {}, {0.1f})
      .Constant<std::int8_t>("z", {}, OnnxBuilder::kInt8, {0})
      .Node("QLinearMatMul", {"x", "s", "z", "w", "s", "z", "s", "z"}, {"y"}, {}, "fc")
      .Output("y", {1, 2}, OnnxBuilder::kInt8);
  const model::ModelGraph model = Opened(builder);
  ASSERT_EQ(FindWeightLayers(model).size(), 1u);
  EXPECT_FALSE(CanRestoreWeights(model, FindWeightLayers(model)[0]));
  const model::ModelGraph scaled = Scaled();
  EXPECT_TRUE(CanRestoreWeights(scaled, FindWeightLayers(scaled)[0]));
  EXPECT_FALSE(CanRestoreOutput({.variant = "y"}));
  EXPECT_FALSE(
      CanRestoreOutput({.variant = "codes", .before = "y", .codes = model::ModelQuantization()}));
  EXPECT_TRUE(CanRestoreOutput({.variant = "real", .before = "y"}));
}

// A product by weights of four bits: two rows of 16 codes, one block each.
model::ModelGraph FourBits() {
  const auto attribute = [](std::string_view name, std::int64_t value) {
    return OnnxBuilder::IntAttribute(name, value);
  };
  OnnxBuilder builder;
  builder.Input("x", {1, 16})
      .Constant("w_Q4", {2, 1, 8}, OnnxBuilder::kUint8, std::vector<std::uint8_t>(16, 0x97))
      .Weight("w_scales", {2}, {0.5f, 0.25f})
      .NodeWith("MatMulNBits", {"x", "w_Q4", "w_scales"}, {"y"},
                {attribute("K", 16), attribute("N", 2), attribute("bits", 4),
                 attribute("block_size", 16)},
                "fc_Q4")
      .Output("y", {1, 2});
  return Opened(builder);
}

TEST(Restoration, AProductByWeightsOfFourBitsBecomesOneByFloats) {
  std::vector<float> weights(32);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i);
  const model::ModelGraph baseline = FloatChain({{"fc", "w", 16, 2, weights}}),
                          variant = FourBits();
  ASSERT_EQ(FindWeightLayers(variant).size(), 1u);
  EXPECT_TRUE(CanRestoreWeights(variant, FindWeightLayers(variant)[0]));
  const runtime::GraphEdits edits =
      WithWeights(baseline, variant,
                  {.before = FindWeightLayers(baseline)[0], .after = FindWeightLayers(variant)[0]});
  EXPECT_THAT(edits.constants, IsEmpty());
  ASSERT_EQ(edits.products.size(), 1u);
  EXPECT_EQ(edits.products[0].name, "y");
  EXPECT_EQ(edits.products[0].left, "x");
  EXPECT_THAT(edits.products[0].shape, ElementsAre(16, 2));
  EXPECT_EQ(edits.products[0].values, weights);
}

// x -> quantizer -> MaxPool -> the same quantizer -> Relu -> the same again, and another one.
model::ModelGraph Chain() {
  OnnxBuilder builder;
  builder.Input("x", {1, 1, 4, 4})
      .Weight("s", {}, {0.5f})
      .Weight("other", {}, {0.25f})
      .Constant("zero", {}, OnnxBuilder::kInt8, std::vector<std::int8_t>{0});
  const auto quantize = [&](const std::string& tensor, const std::string& scale) {
    builder.Node("QuantizeLinear", {tensor, scale, "zero"}, {tensor + "_codes"})
        .Node("DequantizeLinear", {tensor + "_codes", scale, "zero"}, {tensor + "_real"});
  };
  quantize("x", "s");
  builder.Node("DequantizeLinear", {"x_codes", "s", "zero"}, {"x_again"})
      .Node("MaxPool", {"x_real"}, {"m"})
      .Node("Flatten", {"x_again"}, {"f"});
  quantize("m", "s");
  quantize("f", "other");
  builder.Node("Relu", {"m_real"}, {"r"});
  quantize("r", "s");
  builder.Output("r_real", {1, 1, 2, 2}).Output("f_real", {1, 16});
  return Opened(builder);
}

std::vector<std::string> NamesOf(const runtime::GraphEdits& edits) {
  std::vector<std::string> names;
  for (const runtime::PassedTensor& passed : edits.passed)
    names.push_back(passed.from + "->" + passed.name);
  return names;
}

TEST(Restoration, AnOutputPassesQuantizersThatOnlyRepeatItsOwn) {
  const model::ModelGraph model = Chain();
  Restoration restoration(model, model);
  restoration.AddOutput(model.FindTensor("x"), ClampRange{0, HUGE_VALF});
  const runtime::GraphEdits edits = restoration.Take();
  EXPECT_THAT(NamesOf(edits), ElementsAre("x->x_real", "x->x_again", "m->m_real"));
  EXPECT_EQ(edits.passed[0].low, 0.0f);
  EXPECT_FALSE(edits.passed[0].high);
  EXPECT_FALSE(edits.passed[2].low);
}

TEST(Restoration, TheRestIsAddedOnce) {
  const model::ModelGraph model = Chain();
  Restoration restoration(model, model);
  restoration.AddOutput({.variant = "r_real", .before = "r"});
  restoration.AddOtherOutputs();
  EXPECT_THAT(NamesOf(restoration.Take()),
              ElementsAre("r->r_real", "x->x_real", "x->x_again", "m->m_real", "f->f_real"));
}

TEST(Restoration, WhatIsKeptIsNotRestoredAfterwards) {
  const model::ModelGraph scaled = Scaled(), codes = FoldedCodes(), four = FourBits();
  const model::ModelGraph product = FloatChain({{"fc", "w", 16, 2, Gaussian(32, 1)}});
  for (const auto& [baseline, variant] : {std::pair(&scaled, &codes), std::pair(&product, &four)}) {
    const PairedWeights pair = FirstPair(*baseline, *variant);
    Restoration restoration(*baseline, *variant);
    restoration.KeepWeights(pair);
    ASSERT_THAT(restoration.AddWeights(pair), Succeeds());
    EXPECT_TRUE(restoration.Take().empty());
  }
  const model::ModelGraph chain = Chain();
  Restoration restoration(chain, chain);
  restoration.KeepOutput({.variant = "m_real", .before = "m"});
  restoration.AddOutput(chain.FindTensor("x"), std::nullopt);
  EXPECT_THAT(NamesOf(restoration.Take()), ElementsAre("x->x_real", "x->x_again"));
}

TEST(Restoration, OtherConstantsAreKnownByTheirNames) {
  const std::vector<float> table = Gaussian(64, 3);
  const Codes codes = Quantized(table);
  std::vector<std::int8_t> unlike(codes.values.rbegin(), codes.values.rend());
  OnnxBuilder plain, quantized;
  plain.Input("x", {64})
      .Weight("table", {64}, table)
      .Weight("unlike", {64}, table)
      .Node("Add", {"x", "table"}, {"a"})
      .Node("Mul", {"a", "unlike"}, {"y"})
      .Output("y", {64});
  quantized.Input("x", {64})
      .Constant("table_quantized", {64}, OnnxBuilder::kInt8, codes.values)
      .Constant("unlike_quantized", {64}, OnnxBuilder::kInt8, unlike)
      .Weight("s", {}, {codes.scale})
      .Node("DequantizeLinear", {"table_quantized", "s"}, {"table_DequantizeLinear_Output"})
      .Node("DequantizeLinear", {"unlike_quantized", "s"}, {"unlike_DequantizeLinear_Output"})
      .Node("Add", {"x", "table_DequantizeLinear_Output"}, {"a"})
      .Node("Mul", {"a", "unlike_DequantizeLinear_Output"}, {"y"})
      .Output("y", {64});
  const model::ModelGraph baseline = Opened(plain), variant = Opened(quantized);
  Restoration restoration(baseline, variant);
  ASSERT_THAT(restoration.AddOtherConstants(), Succeeds());
  const runtime::GraphEdits edits = restoration.Take();
  ASSERT_EQ(edits.constants.size(), 1u);
  EXPECT_EQ(edits.constants[0].name, "table_DequantizeLinear_Output");
  EXPECT_EQ(edits.constants[0].values, table);
  EXPECT_THAT(edits.passed, IsEmpty());
}

// x [n, 4] times w [4, 3], as dynamic quantization writes it; `is_split` scales it in two steps.
model::ModelGraph DynamicProduct(bool is_split) {
  const Codes w = Quantized(Gaussian(12, 5));
  OnnxBuilder builder;
  builder.Input("x", {-1, 4})
      .Constant("w_quantized", {4, 3}, OnnxBuilder::kInt8, w.values)
      .Constant<std::int8_t>("w_zero_point", {}, OnnxBuilder::kInt8, {0})
      .Weight("w_scale", {}, {w.scale})
      .Node("DynamicQuantizeLinear", {"x"}, {"codes", "scale", "zero"})
      .Node("MatMulInteger", {"codes", "w_quantized", "zero", "w_zero_point"}, {"sums"}, {}, "fc")
      .Node("Cast", {"sums"}, {"cast"}, OnnxBuilder::IntAttribute("to", OnnxBuilder::kFloat));
  if (is_split) {
    builder.Node("Mul", {"cast", "scale"}, {"half"}).Node("Mul", {"half", "w_scale"}, {"y"});
  } else {
    builder.Node("Mul", {"scale", "w_scale"}, {"scales"}).Node("Mul", {"cast", "scales"}, {"y"});
  }
  return Opened(builder.Output("y", {-1, 3}));
}

TEST(Restoration, AProductOfCodesBecomesOneOfFloats) {
  const std::vector<float> weights = Gaussian(12, 5);
  OnnxBuilder builder;
  builder.Input("x", {-1, 4})
      .Weight("w", {4, 3}, weights)
      .Node("MatMul", {"x", "w"}, {"y"}, {}, "fc")
      .Output("y", {-1, 3});
  const model::ModelGraph baseline = Opened(builder), variant = DynamicProduct(false);
  const PairedWeights pair = FirstPair(baseline, variant);
  ASSERT_TRUE(CanRestoreWeights(variant, pair.after));
  const runtime::GraphEdits edits = WithWeights(baseline, variant, pair);
  ASSERT_EQ(edits.products.size(), 1u);
  EXPECT_EQ(edits.products[0].name, "y");
  EXPECT_EQ(edits.products[0].left, "x");
  EXPECT_THAT(edits.products[0].shape, ElementsAre(4, 3));
  EXPECT_EQ(edits.products[0].values, weights);
  // Where the scale is not in one place, there is no telling what is the product.
  const model::ModelGraph split = DynamicProduct(true);
  EXPECT_FALSE(CanRestoreWeights(split, FindWeightLayers(split)[0]));
}

// LSTM of one direction, 3 inputs and a state of 2.
constexpr std::int64_t kRows = 4 * 2, kLstmInputs = 3, kState = 2;
const std::vector<float> kW = Gaussian(kRows * kLstmInputs, 6), kR = Gaussian(kRows * kState, 7);

TEST(Restoration, AnLstmOfCodesBecomesOneOfFloatsWithTheFirstOfItsWeights) {
  OnnxBuilder before, after;
  before.Input("x", {5, 1, kLstmInputs})
      .Weight("W", {1, kRows, kLstmInputs}, kW)
      .Weight("R", {1, kRows, kState}, kR)
      .Node("LSTM", {"x", "W", "R"}, {"", "h"}, OnnxBuilder::IntAttribute("hidden_size", kState),
            "rnn")
      .Output("h", {1, 1, kState});
  const auto turned = [](const std::vector<float>& rows, std::int64_t columns) {
    std::vector<float> values(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t row = i / static_cast<std::size_t>(columns);
      values[i % static_cast<std::size_t>(columns) * kRows + row] = rows[i];
    }
    return values;
  };
  const Codes w = Quantized(turned(kW, kLstmInputs)), r = Quantized(turned(kR, kState));
  after.Input("x", {5, 1, kLstmInputs})
      .Constant("Wq", {1, kLstmInputs, kRows}, OnnxBuilder::kInt8, w.values)
      .Constant("Rq", {1, kState, kRows}, OnnxBuilder::kInt8, r.values)
      .Weight("Ws", {1}, {w.scale})
      .Weight("Rs", {1}, {r.scale})
      .Constant<std::int8_t>("zero", {1}, OnnxBuilder::kInt8, {0})
      .Node("DynamicQuantizeLSTM",
            {"x", "Wq", "Rq", "", "", "", "", "", "Ws", "zero", "Rs", "zero"}, {"", "h"},
            OnnxBuilder::IntAttribute("hidden_size", kState), "rnn")
      .Output("h", {1, 1, kState});
  const model::ModelGraph baseline = Opened(before), variant = Opened(after);
  const auto ours = FindWeightLayers(baseline), theirs = FindWeightLayers(variant);
  ASSERT_EQ(theirs.size(), 2u);
  Restoration restoration(baseline, variant);
  ASSERT_THAT(restoration.AddWeights({.before = ours[1], .after = theirs[1]}), Succeeds());
  const runtime::GraphEdits edits = restoration.Take();
  ASSERT_EQ(edits.nodes.size(), 1u);
  EXPECT_EQ(edits.nodes[0].output, "h");
  EXPECT_EQ(edits.nodes[0].op_type, "LSTM");
  EXPECT_THAT(edits.nodes[0].inputs, ElementsAre("x", "h__W", "h__R", "", "", "", "", ""));
  ASSERT_EQ(edits.added.size(), 2u);
  EXPECT_THAT(edits.added[0].shape, ElementsAre(1, kRows, kLstmInputs));
  EXPECT_THAT(edits.added[0].values, Pointwise(FloatNear(w.scale * 0.51f), kW));
  EXPECT_NE(edits.added[0].values, kW);  // The dequantized codes.
  EXPECT_EQ(edits.added[1].values, kR);

  Restoration both(baseline, variant);
  for (const std::size_t i : {0u, 1u}) {
    ASSERT_THAT(both.AddWeights({.before = ours[i], .after = theirs[i]}), Succeeds());
  }
  const runtime::GraphEdits all = both.Take();
  ASSERT_EQ(all.nodes.size(), 1u);
  EXPECT_EQ(all.added.at(0).values, kW);
  EXPECT_EQ(all.added.at(1).values, kR);
}

}  // namespace
}  // namespace cboard::compare
