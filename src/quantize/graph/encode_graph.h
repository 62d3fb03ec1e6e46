// Encodes a Graph as an ONNX model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "quantize/graph/graph.h"

namespace cboard::quantize {

// Maximum size of an ONNX file; a larger model stores large constants in a separate file, because
// protobuf is limited to 2 GiB.
inline constexpr std::size_t kMaxModelBytes = std::size_t{2000} << 20;

struct WrittenModel {
  std::size_t model_bytes = 0;
  std::size_t data_bytes = 0;  // Size of the file <path>.data; 0 if there is none.
};

// Writes the model, with the given tensors as additional outputs. Above `max_model_bytes`,
// constants of at least 1 KiB are stored in <path>.data. Each file is written under a temporary
// name and renamed, the data first.
Result<WrittenModel> WriteModel(const Graph& graph, const std::filesystem::path& path,
                                const std::vector<std::string>& outputs = {},
                                std::size_t max_model_bytes = kMaxModelBytes);

// Returns the approximate number of bytes that EncodeGraph needs.
std::size_t EncodedSize(const Graph& graph);

// Encodes the model for a session: the constants in graph.constant_file, which must not be null,
// become external data.
std::string EncodeWithConstantFile(const Graph& graph, const std::vector<std::string>& outputs);

// Encodes the GraphProto of a body of If, Loop or Scan.
std::string EncodeBody(const Graph& body);

// Encodes the model without external data. Fails with kResourceExhausted above 2 GiB.
Result<std::string> EncodeGraph(const Graph& graph);

// Encodes the model with the given tensors as additional outputs, which need no type.
Result<std::string> EncodeGraphWithOutputs(const Graph& graph,
                                           const std::vector<std::string>& outputs);

}  // namespace cboard::quantize
