// Creates small float models for the tests of this module.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "cboard/base/file.h"
#include "runtime/testing/npy_builder.h"
#include "runtime/testing/onnx_builder.h"

namespace cboard::quantize {

inline std::vector<float> NormalValues(std::size_t count, unsigned seed, float deviation = 0.2f) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, deviation);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

// The model image [n, 3, 8, 8] -> Conv, BatchNormalization, Relu -> depthwise Conv, Add, Relu ->
// MaxPool -> GlobalAveragePool -> Flatten -> Gemm -> logits [n, 5].
inline testing::OnnxBuilder ResidualNet() {
  using testing::OnnxBuilder;
  OnnxBuilder builder;
  const auto pads = OnnxBuilder::IntsAttribute("pads", {1, 1, 1, 1});
  const std::vector<float> deviations(8, 2.0f);
  builder.Input("image", {-1, 3, 8, 8})
      .Weight("w1", {8, 3, 3, 3}, NormalValues(216, 1))
      .Weight("gamma", {8}, NormalValues(8, 2, 1.0f))
      .Weight("beta", {8}, NormalValues(8, 3))
      .Weight("mean", {8}, NormalValues(8, 4))
      .Weight("var", {8}, deviations)
      .Weight("w2", {8, 1, 3, 3}, NormalValues(72, 5))
      .Weight("b2", {8}, NormalValues(8, 6))
      .Weight("w3", {5, 8}, NormalValues(40, 7))
      .Weight("b3", {5}, NormalValues(5, 8))
      .Node("Conv", {"image", "w1"}, {"c1"}, pads, "conv1")
      .Node("BatchNormalization", {"c1", "gamma", "beta", "mean", "var"}, {"n1"}, {}, "norm1")
      .Node("Relu", {"n1"}, {"r1"}, {}, "relu1")
      .NodeWith("Conv", {"r1", "w2", "b2"}, {"c2"}, {pads, OnnxBuilder::IntAttribute("group", 8)},
                "conv2")
      .Node("Add", {"r1", "c2"}, {"a2"}, {}, "add2")
      .Node("Relu", {"a2"}, {"r2"}, {}, "relu2")
      .NodeWith("MaxPool", {"r2"}, {"p2"},
                {OnnxBuilder::IntsAttribute("kernel_shape", {2, 2}),
                 OnnxBuilder::IntsAttribute("strides", {2, 2})},
                "pool2")
      .Node("GlobalAveragePool", {"p2"}, {"g"}, {}, "average")
      .Node("Flatten", {"g"}, {"f"}, {}, "flatten")
      .Node("Gemm", {"f", "w3", "b3"}, {"logits"}, OnnxBuilder::IntAttribute("transB", 1), "head")
      .Output("logits", {-1, 5});
  return builder;
}

// Writes a .npy file with `count` images for ResidualNet.
inline std::string Images(std::size_t count, unsigned seed = 11) {
  return testing::Npy<float>("<f4", "(" + std::to_string(count) + ", 3, 8, 8)",
                             NormalValues(count * 192, seed, 1.0f));
}

}  // namespace cboard::quantize
