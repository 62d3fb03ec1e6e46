// The inputs and outputs that a model declares, and checks whether tensors match them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/runtime/session.h"
#include "runtime/ort_library.h"

namespace cboard::runtime {

// Reads the dtype, the shape and the names of dimensions from ONNX Runtime's type information.
Result<void> ReadTensorInfo(const std::shared_ptr<const OrtLibrary>& library,
                            const ort::TensorInfo* info, ModelValue& value);

Result<std::vector<ModelValue>> InputsOf(const std::shared_ptr<const OrtLibrary>& library,
                                         const ort::Session* session);
Result<std::vector<ModelValue>> OutputsOf(const std::shared_ptr<const OrtLibrary>& library,
                                          const ort::Session* session);

// Formats a list of inputs or outputs for messages: "'x' float32 [n, 2], 'mask' int64 [n]".
std::string ListOf(std::span<const ModelValue> values);

// Checks that a tensor matches a declared input. If not, fails with kInvalidArgument; the error
// describes the input.
Result<void> CheckInput(const ModelValue& wanted, const TensorView& given);

}  // namespace cboard::runtime
