// Common code of all format fuzzers: any bytes give a valid graph or an error.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "cboard/model/model_graph.h"
#include "model/graph/formats.h"

namespace cboard::model {

inline void Require(bool condition) {
  if (!condition) __builtin_trap();
}

inline void WalkModel(const ModelGraph& model) {
  for (std::size_t i = 0; i < model.nodes().size(); ++i) {
    const ModelNode& node = model.nodes()[i];
    Require(!node.name.empty() && model.FindNode(node.name) == NodeId(i));
    for (const TensorId output : node.outputs) {
      Require(output == kNoTensor || model.tensor(output).producer == NodeId(i));
    }
  }
  std::array<float, 300> values;
  for (std::size_t i = 0; i < model.tensors().size(); ++i) {
    const auto id = TensorId(static_cast<std::uint32_t>(i));
    for (const NodeId consumer : model.consumers(id)) {
      Require(IndexOf(consumer) < model.nodes().size());
    }
    if (!model.IsWeight(id)) continue;
    (void)model.ViewOf(id);
    const Result<WeightReader> weights = model.OpenWeights(id);
    if (!weights) continue;
    const auto part = std::span(values).first(std::min(values.size(), weights->element_count()));
    weights->Read(0, part);
    weights->Read(weights->element_count() - part.size(), part);
    weights->Read(weights->element_count() / 3, part.first(part.size() / 2));
  }
}

inline int FuzzFormat(ModelFormat format, const std::uint8_t* data, std::size_t size,
                      const InputShapes& shapes = {}) {
  const Result<ModelGraph> model =
      ReadModel(format,
                MappedFile::FromMemory(std::string(reinterpret_cast<const char*>(data), size),
                                       "/nonexistent/model"),
                shapes);
  if (model) {
    WalkModel(*model);
  } else {
    Require(!model.error().message.empty());
  }
  return 0;
}

}  // namespace cboard::model
