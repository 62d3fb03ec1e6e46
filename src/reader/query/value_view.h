// One Summary.Value by itself, the way ReadBlob gives it.
#pragma once

#include <string_view>

#include "cboard/base/result.h"
#include "cboard/proto/summary.h"
#include "cboard/proto/tensor.h"

namespace cboard::reader {

// The views point into `bytes`. Fails with kDataLoss.
Result<proto::SummaryValue> ParseValue(std::string_view bytes);

// The tensor of a value, or an error that says what it holds instead. `what` is for the message:
// "a PR curve".
Result<proto::Tensor> TensorOf(const proto::SummaryValue& value, std::string_view what);

}  // namespace cboard::reader
