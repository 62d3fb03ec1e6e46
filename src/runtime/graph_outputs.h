// Makes an ONNX model give out what its nodes compute on the way.
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
  // The tensors that were asked for, in the order in which nodes compute them.
  std::vector<std::string> tensors;
  std::vector<std::string> added;  // Those of them that are no outputs yet.
  // Files that the model keeps weights in, relative to its folder, each once.
  std::vector<std::string> external_files;
};

// The tensors `names` of `model`, or those that all its nodes compute; constants and what happens
// inside the branches of If, Loop and Scan stay inside.
//
// Fails with kDataLoss or kInvalidArgument when `model` is not an ONNX model, with kNotFound when
// no node computes a name, and with kPermissionDenied when weights are said to lie outside the
// model's folder.
Result<GraphOutputs> FindGraphOutputs(std::string_view model,
                                      std::optional<std::span<const std::string>> names);

struct ModelWithOutputs : GraphOutputs {
  std::string bytes;
};

// `model` with these tensors among its outputs. Names that are outputs already stay what they are.
//
// Not a byte of the model is changed: a second GraphProto that has only outputs follows the first
// one, and protobuf's rule for a message that comes twice makes one of the two.
//
// Fails as FindGraphOutputs does.
Result<ModelWithOutputs> AddGraphOutputs(std::string_view model,
                                         std::optional<std::span<const std::string>> names);

}  // namespace cboard::runtime
