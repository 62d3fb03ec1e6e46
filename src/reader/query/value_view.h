// Parses one Summary.Value, as ReadBlob() returns it.
#pragma once

#include <string_view>

#include "cboard/base/result.h"
#include "cboard/proto/summary.h"
#include "cboard/proto/tensor.h"

namespace cboard::reader {

// The views point into `bytes`. Fails with kDataLoss.
Result<proto::SummaryValue> ParseValue(std::string_view bytes);

// The tensor of a value, or an error that names the field that the value holds instead. `what`
// names the expected data in the message: "a PR curve".
Result<proto::Tensor> TensorOf(const proto::SummaryValue& value, std::string_view what);

}  // namespace cboard::reader
