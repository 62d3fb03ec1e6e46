// A Graph as the bytes of an ONNX model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "quantize/graph/graph.h"

namespace cboard::quantize {

// A model above this size keeps large constants in a file of their own: protobuf ends at 2 GiB.
inline constexpr std::size_t kMaxModelBytes = std::size_t{2000} << 20;

struct WrittenModel {
  std::size_t model_bytes = 0;
  std::size_t data_bytes = 0;  // Size of the file <path>.data; 0 if there is none.
};

// Writes the model, with these tensors as additional outputs. Above `max_model_bytes`, constants of
// at least 1 KiB go to <path>.data. Each file is written beside its name and renamed, the data
// first.
Result<WrittenModel> WriteModel(const Graph& graph, const std::filesystem::path& path,
                                const std::vector<std::string>& outputs = {},
                                std::size_t max_model_bytes = kMaxModelBytes);

// The number of bytes that EncodeGraph needs, about.
std::size_t EncodedSize(const Graph& graph);

// The model for a session: constants in graph.constant_file, which must not be null, are external
// data.
std::string EncodeWithConstantFile(const Graph& graph, const std::vector<std::string>& outputs);

// The GraphProto of a body of If, Loop or Scan.
std::string EncodeBody(const Graph& body);

// The model without external data. Fails with kResourceExhausted above 2 GiB.
Result<std::string> EncodeGraph(const Graph& graph);

// The same with these tensors as additional outputs of the graph, which need no type.
Result<std::string> EncodeGraphWithOutputs(const Graph& graph,
                                           const std::vector<std::string>& outputs);

}  // namespace cboard::quantize
