// Inputs and outputs that models declare, and tensors that are to be one of them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/runtime/session.h"
#include "runtime/ort_library.h"

namespace cboard::runtime {

// The dtype and the shape that `info` tells; its names of sizes, too.
Result<void> ReadTensorInfo(const std::shared_ptr<const OrtLibrary>& library,
                            const ort::TensorInfo* info, ModelValue& value);

Result<std::vector<ModelValue>> InputsOf(const std::shared_ptr<const OrtLibrary>& library,
                                         const ort::Session* session);
Result<std::vector<ModelValue>> OutputsOf(const std::shared_ptr<const OrtLibrary>& library,
                                          const ort::Session* session);

// "'x' float32 [n, 2], 'mask' int64 [n]", for messages.
std::string ListOf(std::span<const ModelValue> values);

// Whether a tensor is what the model declares; fails with kInvalidArgument and what that is.
Result<void> CheckInput(const ModelValue& wanted, const TensorView& given);

}  // namespace cboard::runtime
