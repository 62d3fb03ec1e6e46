#include "compare/verify/verification.h"

#include <gmock/gmock.h>

#include "cboard/base/file.h"
#include "cboard/compare/compare_models.h"
#include "cboard/runtime/session.h"
#include "compare/testing/test_models.h"
#include "testing/temp_dir.h"

namespace cboard::compare {
namespace {

using ::testing::ElementsAre;
using testing::OnnxBuilder;
using testing::Succeeds;

// Three products; with `is_quantized`, weights are codes, and those of the second have a scale that
// is half of what it should be.
OnnxBuilder Chain(bool is_quantized, std::vector<std::int64_t> input = {-1, 16}) {
  OnnxBuilder builder;
  builder.Input("x", input);
  std::string from = "x";
  for (unsigned i = 0; i < 3; ++i) {
    const std::string number = std::to_string(i), weight = "w" + number, to = "t" + number;
    const std::vector<float> values = Gaussian(256, i + 1, 0.3f);
    if (is_quantized) {
      const Codes codes = Quantized(values);
      builder.Constant(weight + "_quantized", {16, 16}, OnnxBuilder::kInt8, codes.values)
          .Weight(weight + "_scale", {}, {i == 1 ? codes.scale / 2 : codes.scale})
          .Node("DequantizeLinear", {weight + "_quantized", weight + "_scale"}, {weight});
    } else {
      builder.Weight(weight, {16, 16}, values);
    }
    builder.Node("MatMul", {from, weight}, {to}, {}, "fc" + number);
    from = to;
  }
  builder.Output(from, input);
  return builder;
}

class VerificationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto found = runtime::FindRuntime(); !found) GTEST_SKIP() << found.error().message;
    ASSERT_THAT(WriteFileAtomically(folder_ / "a.onnx", Chain(false).Bytes()), Succeeds());
    ASSERT_THAT(WriteFileAtomically(folder_ / "b.onnx", Chain(true).Bytes()), Succeeds());
  }

  ModelComparison Compared(CompareOptions options) const {
    auto result = CompareModels(folder_ / "a.onnx", folder_ / "b.onnx", options);
    EXPECT_THAT(result, Succeeds());
    return *std::move(result);
  }

  testing::TempDir folder_;
};

std::vector<Restored> KindsOf(const ModelComparison& comparison) {
  std::vector<Restored> kinds;
  for (const Verification& run : comparison.verified) kinds.push_back(run.restored);
  return kinds;
}

TEST_F(VerificationTest, TheBrokenPartIsTheOneThatHelps) {
  const ModelComparison comparison = Compared({.samples = 4, .verify = 5});
  EXPECT_THAT(comparison.verified_layers, ElementsAre("fc2"));
  EXPECT_THAT(KindsOf(comparison),
              ElementsAre(Restored::kNothing, Restored::kParts, Restored::kRedLayers,
                          Restored::kAllWeights, Restored::kAllOutputs, Restored::kEverything));
  EXPECT_THAT(comparison.verified[1].parts, ElementsAre(RestoredPart{"fc1", Part::kWeight}));
  EXPECT_LT(comparison.verified[0].sqnr_db, 10);
  EXPECT_GT(comparison.verified[1].sqnr_db, 30);
  EXPECT_EQ(comparison.verified[2].sqnr_db, comparison.verified[1].sqnr_db);
  EXPECT_EQ(comparison.verified[3].sqnr_db, HUGE_VAL);
  // No output is quantized.
  EXPECT_NEAR(comparison.verified[4].sqnr_db, comparison.verified[0].sqnr_db, 1e-9);
}

TEST_F(VerificationTest, ItIsLeftOutUnlessAskedFor) {
  const ModelComparison comparison = Compared({.samples = 4});
  EXPECT_TRUE(comparison.verified.empty());
  EXPECT_EQ(comparison.why_not_verified, "");
}

TEST_F(VerificationTest, WhatWasMeasuredBeforeItWasStoppedIsKept) {
  std::vector<std::pair<std::size_t, std::size_t>> heard;
  const ModelComparison comparison = Compared(
      {.samples = 4, .verify = 5, .verify_progress = [&](std::size_t done, std::size_t of) {
         heard.emplace_back(done, of);
         return done < 6;  // In the middle of the second run.
       }});
  EXPECT_THAT(KindsOf(comparison), ElementsAre(Restored::kNothing, Restored::kParts));
  EXPECT_EQ(heard.back(), std::pair(std::size_t{6}, std::size_t{20}));
}

TEST_F(VerificationTest, ProgressReachesItsTotal) {
  std::pair<std::size_t, std::size_t> last;
  Compared({.samples = 3, .verify = 5, .verify_progress = [&](std::size_t done, std::size_t of) {
              EXPECT_EQ(done, last.first + 1);
              last = {done, of};
              return true;
            }});
  EXPECT_EQ(last.first, 15u);  // One part, and four times many.
  EXPECT_EQ(last.second, 15u);
}

TEST_F(VerificationTest, SamplesAreThoseOfTheComparisonWhoeverFixedTheirShape) {
  const std::vector<std::int64_t> open = {1, -1, 16};
  ASSERT_THAT(WriteFileAtomically(folder_ / "a.onnx", Chain(false, open).Bytes()), Succeeds());
  const auto expect_same = [&](const CompareOptions& options) {
    const ModelComparison comparison = Compared(options);
    ASSERT_EQ(comparison.verified.size(), 6u);
    // No output is quantized, and so it is the same again.
    EXPECT_NEAR(comparison.verified[4].sqnr_db, comparison.verified[0].sqnr_db, 1e-9);
    EXPECT_EQ(comparison.input_shapes.at("x"), (std::vector<std::int64_t>{1, 5, 16}));
  };
  // The other file did.
  ASSERT_THAT(WriteFileAtomically(folder_ / "b.onnx", Chain(true, {1, 5, 16}).Bytes()), Succeeds());
  expect_same({.samples = 4, .verify = 5});
  ASSERT_THAT(WriteFileAtomically(folder_ / "b.onnx", Chain(true, open).Bytes()), Succeeds());
  expect_same({.shapes = {{"x", {1, 5, 16}}}, .samples = 4, .verify = 5});
}

TEST_F(VerificationTest, ItTakesAnEndToMeasure) {
  EXPECT_EQ(Compared({.samples = 0, .verify = 5}).why_not_verified, "no samples were asked for");
  ASSERT_THAT(WriteFileAtomically(folder_ / "b.onnx", Chain(false).Bytes()), Succeeds());
  EXPECT_THAT(Compared({.samples = 2, .verify = 5}).why_not_verified,
              ::testing::HasSubstr("nothing in 'b.onnx'"));
}

}  // namespace
}  // namespace cboard::compare
