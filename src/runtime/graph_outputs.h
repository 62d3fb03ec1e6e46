// Makes intermediate tensors of an ONNX model outputs of the model.
//
//   CBOARD_ASSIGN_OR_RETURN(const ModelWithOutputs model, AddGraphOutputs(file_bytes, {}));
//   CBOARD_ASSIGN_OR_RETURN(Session session, Session::FromBytes(AsBytes(model.bytes), path));
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::runtime {

struct GraphOutputs {
  // The requested tensors, in the order of execution.
  std::vector<std::string> tensors;
  std::vector<std::string> added;  // The requested tensors that are not outputs yet.
  // Files with external weights. The paths are relative to the model's folder; each file is listed
  // once.
  std::vector<std::string> external_files;
};

// Finds the tensors of `model` with these names, or the outputs of all nodes if `names` is not
// given. Constants, and tensors inside the branches of If, Loop and Scan, are not included.
//
// Fails with kDataLoss or kInvalidArgument if `model` is not an ONNX model, with kNotFound if
// no node computes a name, and with kPermissionDenied if weights are outside the model's
// folder.
Result<GraphOutputs> FindGraphOutputs(std::string_view model,
                                      std::optional<std::span<const std::string>> names);

struct ModelWithOutputs : GraphOutputs {
  std::string bytes;
};

// Returns `model` with these tensors among its outputs. Tensors that already are outputs do not
// change.
//
// No byte of the model is changed. A second GraphProto that contains only outputs is appended;
// protobuf merges two messages in the same field.
//
// Fails like FindGraphOutputs.
Result<ModelWithOutputs> AddGraphOutputs(std::string_view model,
                                         std::optional<std::span<const std::string>> names);

}  // namespace cboard::runtime
