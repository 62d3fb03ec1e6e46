// Writes a node of a model as JSON: for `compression-board model --json`, and for oracles that test
// our readers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cboard/base/json_writer.h"
#include "cboard/model/model_graph.h"

namespace cboard::cli {

// Writes the names of tensors; null for an omitted optional tensor.
inline void WriteNames(const model::ModelGraph& model, const std::vector<model::TensorId>& ids,
                       JsonWriter& json) {
  json.BeginArray();
  for (const model::TensorId id : ids) {
    if (id == model::kNoTensor) {
      json.Null();
    } else {
      json.Value(model.tensor(id).name);
    }
  }
  json.EndArray();
}

// Writes a number; null if it is unknown.
inline void WriteOptional(const std::optional<std::uint64_t>& number, JsonWriter& json) {
  if (number) {
    json.Value(*number);
  } else {
    json.Null();
  }
}

// Writes a shape; null if the rank is unknown. Unknown sizes are also null.
inline void WriteShape(const model::ModelTensor& tensor, JsonWriter& json) {
  if (!tensor.has_shape) {
    json.Null();
    return;
  }
  json.BeginArray();
  for (const std::int64_t size : tensor.shape) {
    if (size < 0) {
      json.Null();
    } else {
      json.Value(size);
    }
  }
  json.EndArray();
}

inline void WriteNode(const model::ModelGraph& model, const model::ModelNode& node,
                      JsonWriter& json) {
  json.BeginObject();
  json.Key("name").Value(node.name);
  json.Key("op_type").Value(node.op_type);
  json.Key("scope").Value(node.scope);
  WriteNames(model, node.inputs, json.Key("inputs"));
  WriteNames(model, node.outputs, json.Key("outputs"));
  json.Key("output_shapes").BeginArray();
  for (const model::TensorId output : node.outputs) {
    if (output == model::kNoTensor) {
      json.Null();
    } else {
      WriteShape(model.tensor(output), json);
    }
  }
  json.EndArray();
  json.Key("weight_bytes").Value(node.weight_bytes);
  WriteOptional(node.output_bytes, json.Key("output_bytes"));
  WriteOptional(node.macs, json.Key("macs"));
  json.EndObject();
}

}  // namespace cboard::cli
