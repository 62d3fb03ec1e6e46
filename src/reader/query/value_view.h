// Parses a Summary.Value that ReadBlob() has returned.
#pragma once

#include <string_view>

#include "cboard/base/result.h"
#include "cboard/proto/summary.h"
#include "cboard/proto/tensor.h"

namespace cboard::reader {

// Parses a value. Its views point into `bytes`. Fails with kDataLoss if the bytes are damaged.
Result<proto::SummaryValue> ParseValue(std::string_view bytes);

// Returns the tensor in a value. If the value has no tensor, the error names the field that it has
// instead. `what` is the expected data in the message, such as "a PR curve".
Result<proto::Tensor> TensorOf(const proto::SummaryValue& value, std::string_view what);

}  // namespace cboard::reader
