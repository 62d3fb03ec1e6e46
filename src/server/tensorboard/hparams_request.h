// The requests of TensorBoard's HParams page: protobuf messages as JSON.
//
// Fields may be spelled in either of protobuf's ways (colParams, col_params), enums by name or
// number, numbers also as text. Unknown fields are refused, as protobuf does.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/reader/hparams_query.h"

namespace cboard::server::tensorboard {

inline constexpr std::size_t kMaxHParamsRequestBytes = std::size_t{4} << 20;

// All fail with kInvalidArgument, naming the field.

// GetExperimentRequest.
Result<reader::HParamsColumnsQuery> ParseExperimentRequest(std::string_view json);

// ListSessionGroupsRequest. Nothing is asked for unless the request says so: no status, no group.
Result<reader::SessionGroupsQuery> ParseSessionGroupsRequest(std::string_view json);

// ListMetricEvalsRequest.
struct MetricEvalsQuery {
  std::string session_name;
  reader::MetricName metric;
};
Result<MetricEvalsQuery> ParseMetricEvalsRequest(std::string_view json);

}  // namespace cboard::server::tensorboard
