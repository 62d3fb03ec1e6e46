// A tower of multiplications whose compressed form rounds behind each of them, for tests of blame:
// which quantizer breaks the end is known, because the test has made it coarse.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cboard/base/file.h"
#include "cboard/compare/compare_models.h"
#include "cboard/runtime/session.h"
#include "compare/testing/test_models.h"
#include "runtime/testing/npy_builder.h"
#include "testing/temp_dir.h"

namespace cboard::compare {

inline constexpr std::size_t kStages = 6, kWidth = 8, kTowerSamples = 40;

// x -> stage0 -> … -> stage5 -> head -> y. Stages multiply by constants near 1, and the head is a
// matrix product in float32. `scales` are those of x and of the outputs of stages 0 to 4, 0 for a
// tensor in float32; none for the float form.
inline testing::OnnxBuilder Tower(const std::vector<float>& scales, float last_gain = 1,
                                  std::uint8_t zero_point = 128) {
  testing::OnnxBuilder builder;
  const auto width = static_cast<std::int64_t>(kWidth);
  builder.Input("x", {1, width})
      .Constant("zero", {}, testing::OnnxBuilder::kUint8, std::vector<std::uint8_t>{zero_point});
  std::string from = "x";
  for (std::size_t i = 0; i < kStages; ++i) {
    const std::string number = std::to_string(i);
    if (!scales.empty() && scales[i] > 0) {
      builder.Weight(from + "_scale", {}, {scales[i]})
          .Node("QuantizeLinear", {from, from + "_scale", "zero"}, {from + "_codes"})
          .Node("DequantizeLinear", {from + "_codes", from + "_scale", "zero"},
                {from + "_rounded"});
      from += "_rounded";
    }
    std::vector<float> gains = Gaussian(kWidth, static_cast<unsigned>(i) + 1, 0.1f);
    for (float& gain : gains) gain = (1 + gain) * (i + 1 == kStages ? last_gain : 1);
    const std::string to = "t" + number;
    builder.Weight("gain" + number, {width}, gains)
        .Node("Mul", {from, "gain" + number}, {to}, {}, "stage" + number);
    from = to;
  }
  builder.Weight("head_weight", {width, width}, Gaussian(kWidth * kWidth, 9, 0.4f))
      .Node("MatMul", {from, "head_weight"}, {"y"}, {}, "head");
  builder.Output("y", {1, width});
  return builder;
}

// Steps that lose nothing that matters: values are up to about 4.
inline std::vector<float> FineScales() { return std::vector<float>(kStages, 0.035f); }

class TowerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto found = runtime::FindRuntime(); !found) GTEST_SKIP() << found.error().message;
    Write("float.onnx", Tower({}).Bytes());
    const std::string shape =
        "(" + std::to_string(kTowerSamples) + ", " + std::to_string(kWidth) + ")";
    Write("x.npy", testing::Npy<float>("<f4", shape, Gaussian(kTowerSamples * kWidth, 77, 1)));
  }

  void Write(const std::string& name, const std::string& content) {
    ASSERT_THAT(WriteFileAtomically(folder_ / name, content), testing::Succeeds());
  }

  ModelComparison Compared(const testing::OnnxBuilder& variant, double blame_seconds = 60) {
    Write("variant.onnx", variant.Bytes());
    CompareOptions options;
    options.data = folder_ / "x.npy";
    options.samples = kTowerSamples;
    options.blame_seconds = blame_seconds;
    auto result = CompareModels(folder_ / "float.onnx", folder_ / "variant.onnx", options);
    EXPECT_THAT(result, testing::Succeeds());
    return *std::move(result);
  }

  testing::TempDir folder_;
};

}  // namespace cboard::compare
