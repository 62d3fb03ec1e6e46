// Parses the requests of TensorBoard's HParams page: protobuf messages as JSON.
//
// As in protobuf, field names may have either form (colParams, col_params), enums may be names or
// numbers, numbers may also be text, and unknown fields are errors.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/reader/hparams_query.h"

namespace cboard::server::tensorboard {

inline constexpr std::size_t kMaxHParamsRequestBytes = std::size_t{4} << 20;

// All functions below fail with kInvalidArgument and name the field.

// GetExperimentRequest.
Result<reader::HParamsColumnsQuery> ParseExperimentRequest(std::string_view json);

// Parses a ListSessionGroupsRequest. A request that lists no statuses gets no session groups.
Result<reader::SessionGroupsQuery> ParseSessionGroupsRequest(std::string_view json);

// ListMetricEvalsRequest.
struct MetricEvalsQuery {
  std::string session_name;
  reader::MetricName metric;
};
Result<MetricEvalsQuery> ParseMetricEvalsRequest(std::string_view json);

}  // namespace cboard::server::tensorboard
