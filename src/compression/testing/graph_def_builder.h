// Creates small TensorFlow graphs for tests: the beginning of Inception v3, float and quantized.
#pragma once

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cboard/proto/graph.h"
#include "cboard/proto/tensor.h"

namespace cboard::testing {

class GraphDefBuilder {
 public:
  void Node(const std::string& name, const std::string& op, std::vector<std::string> inputs = {}) {
    graph_.AddNode({.name = name, .op = op, .inputs = std::move(inputs)});
  }

  template <typename T>
  void Const(const std::string& name, proto::DataType type, const std::vector<T>& values,
             const std::vector<std::int64_t>& shape) {
    const std::string_view bytes(reinterpret_cast<const char*>(values.data()),
                                 values.size() * sizeof(T));
    graph_.AddNode({.name = name,
                    .op = "Const",
                    .attributes = {{"dtype", proto::Attribute::Type(type)},
                                   {"value", proto::Attribute::EncodedTensor(
                                                 proto::EncodeRawTensor(type, shape, bytes))}}});
  }

  void Float(const std::string& name, float value) {
    Const<float>(name, proto::DataType::kFloat, {value}, {});
  }

  std::string Encode() const { return graph_.Encode(); }
  void Save(const std::filesystem::path& path) const {
    std::ofstream(path, std::ios::binary) << Encode();
  }

 private:
  proto::GraphBuilder graph_;
};

inline std::vector<float> Waves(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = std::sin(static_cast<float>(i));
  return values;
}

inline GraphDefBuilder FloatGraph() {
  GraphDefBuilder graph;
  graph.Node("input", "Placeholder");
  graph.Const("v0/cg/conv0/conv2d/kernel", proto::DataType::kFloat, Waves(3 * 3 * 32),
              {3, 3, 1, 32});
  graph.Node("v0/cg/conv0/conv2d/Conv2D", "Conv2D", {"input", "v0/cg/conv0/conv2d/kernel"});
  graph.Node("v0/cg/conv0/Relu", "Relu", {"v0/cg/conv0/conv2d/Conv2D"});
  graph.Const("v0/cg/fc/biases", proto::DataType::kFloat, Waves(32), {32});
  graph.Node("v0/cg/fc/BiasAdd", "BiasAdd", {"v0/cg/conv0/Relu", "v0/cg/fc/biases"});
  return graph;
}

inline constexpr const char* kRequantize = "v0/cg/conv0/conv2d/Conv2D_eightbit_requantize";

inline GraphDefBuilder QuantizedGraph() {
  GraphDefBuilder graph;
  const std::string conv = "v0/cg/conv0/conv2d/Conv2D";
  graph.Node("input", "Placeholder");
  std::vector<std::int8_t> codes(3 * 3 * 32);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::int8_t>(i % 255 - 127);
  graph.Const("v0/cg/conv0/conv2d/kernel_qint8_const", proto::DataType::kQint8, codes,
              {3, 3, 1, 32});
  graph.Const("v0/cg/conv0/bias", proto::DataType::kFloat, Waves(32), {32});
  graph.Float(conv + "_eightbit_min_input", 0);
  graph.Float(conv + "_eightbit_max_input", 1);
  graph.Float(conv + "_eightbit_min_filter", -0.5f);
  graph.Float(conv + "_eightbit_max_filter", 0.5f);
  graph.Float(conv + "_eightbit_min_output", 0);
  graph.Float(conv + "_eightbit_max_output", 6);
  graph.Node(kRequantize, "QuantizedConv2DWithBiasAndReluAndRequantize",
             {"input", "v0/cg/conv0/conv2d/kernel_qint8_const", "v0/cg/conv0/bias",
              conv + "_eightbit_min_input", conv + "_eightbit_max_input",
              conv + "_eightbit_min_filter", conv + "_eightbit_max_filter",
              conv + "_eightbit_min_output", conv + "_eightbit_max_output"});
  return graph;
}

}  // namespace cboard::testing
