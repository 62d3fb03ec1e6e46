// Small networks for the tests of this module, as ONNX Runtime's tools write them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "compare/layers/model_layers.h"
#include "model/graph/formats.h"
#include "runtime/testing/onnx_builder.h"
#include "testing/matchers.h"

namespace cboard::compare {

inline std::vector<float> Gaussian(std::size_t count, unsigned seed, float deviation = 0.05f) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, deviation);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

inline model::ModelGraph Opened(const testing::OnnxBuilder& builder) {
  auto model = model::ReadOnnx(model::MappedFile::FromMemory(builder.Bytes(), "m.onnx"));
  EXPECT_THAT(model, testing::Succeeds());
  return *std::move(model);
}

// A file of weights only, all float32.
struct StoredWeight {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};
inline model::ModelGraph OpenedSafetensors(const std::vector<StoredWeight>& weights) {
  std::string header, data;
  for (const StoredWeight& weight : weights) {
    std::string shape;
    for (const std::int64_t size : weight.shape) {
      shape += (shape.empty() ? "" : ",") + std::to_string(size);
    }
    const std::size_t begin = data.size();
    data.append(reinterpret_cast<const char*>(weight.values.data()), weight.values.size() * 4);
    header += (header.empty() ? "{\"" : ",\"") + weight.name + R"(":{"dtype":"F32","shape":[)" +
              shape + R"(],"data_offsets":[)" + std::to_string(begin) + "," +
              std::to_string(data.size()) + "]}";
  }
  header += "}";
  std::string file(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) file[i] = static_cast<char>(header.size() >> (8 * i));
  auto model =
      model::ReadSafetensors(model::MappedFile::FromMemory(file + header + data, "m.safetensors"));
  EXPECT_THAT(model, testing::Succeeds());
  return *std::move(model);
}

// MatMul by [inputs, outputs], one after the other.
struct MatMulLayer {
  std::string node;
  std::string weight;
  std::int64_t inputs = 0, outputs = 0;
  std::vector<float> values;
};

inline model::ModelGraph FloatChain(const std::vector<MatMulLayer>& layers) {
  testing::OnnxBuilder builder;
  builder.Input("x", {-1, layers.front().inputs});
  std::string from = "x";
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string to = "t" + std::to_string(i);
    builder.Weight(layers[i].weight, {layers[i].inputs, layers[i].outputs}, layers[i].values)
        .Node("MatMul", {from, layers[i].weight}, {to}, {}, layers[i].node);
    from = to;
  }
  builder.Output(from, {-1, layers.back().outputs});
  return Opened(builder);
}

struct Codes {
  std::vector<std::int8_t> values;
  float scale = 1;
};
inline Codes Quantized(const std::vector<float>& values) {
  Codes codes;
  float range = 0;
  for (const float value : values) range = std::max(range, std::abs(value));
  codes.scale = range / 127;
  for (const float value : values) {
    codes.values.push_back(static_cast<std::int8_t>(std::lround(value / codes.scale)));
  }
  return codes;
}

// The same with weights as codes and a DequantizeLinear each: <weight>_quantized, <weight>_scale.
inline model::ModelGraph QuantizedChain(const std::vector<MatMulLayer>& layers,
                                        const std::vector<Codes>& codes) {
  testing::OnnxBuilder builder;
  builder.Input("x", {-1, layers.front().inputs});
  std::string from = "x";
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string to = "t" + std::to_string(i), weight = layers[i].weight;
    builder
        .Constant(weight + "_quantized", {layers[i].inputs, layers[i].outputs},
                  testing::OnnxBuilder::kInt8, codes[i].values)
        .Weight(weight + "_scale", {}, {codes[i].scale})
        .Node("DequantizeLinear", {weight + "_quantized", weight + "_scale"}, {weight + "_real"})
        .Node("MatMul", {from, weight + "_real"}, {to}, {}, layers[i].node);
    from = to;
  }
  builder.Output(from, {-1, layers.back().outputs});
  return Opened(builder);
}

}  // namespace cboard::compare
