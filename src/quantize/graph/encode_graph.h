// A Graph as the bytes of an ONNX model.
#pragma once

#include <string>
#include <vector>

#include "quantize/graph/graph.h"

namespace cboard::quantize {

struct EncodedModel {
  std::string model;
  // Elements of large constants, when the model would exceed 2 GiB; else empty. The model refers to
  // them by `data_name`.
  std::string data;
};

// Constants that exceed `max_model_bytes` together go to `data`, largest first.
EncodedModel EncodeModel(const Graph& graph, const std::string& data_name = "model.data",
                         std::size_t max_model_bytes = std::size_t{2000} << 20);

// The model without external data. Fails with kResourceExhausted above 2 GiB.
Result<std::string> EncodeGraph(const Graph& graph);

// The same with these tensors as additional outputs of the graph, which need no type.
Result<std::string> EncodeGraphWithOutputs(const Graph& graph,
                                           const std::vector<std::string>& outputs);

}  // namespace cboard::quantize
