// Scalars as TensorBoard's routes write them; several of its plugins show them.
#pragma once

#include <vector>

#include "cboard/base/json_writer.h"
#include "cboard/reader/series.h"
#include "server/tensorboard/data_route.h"

namespace cboard::server::tensorboard {

// As many points of a series as --samples_per_plugin allows, evenly chosen.
std::vector<reader::ScalarPoint> SampledPoints(const DataCall& call,
                                               const reader::ScalarSeries& series);

// [[wall_time, step, value], …]
void WritePoints(JsonWriter& json, const std::vector<reader::ScalarPoint>& points);

// The answer to /scalars for a run and a tag: JSON, or CSV if `format` says so.
Result<HttpResponse> ScalarsResponse(const DataCall& call, const std::optional<std::string>& run,
                                     const std::optional<std::string>& tag,
                                     const std::optional<std::string>& format);

}  // namespace cboard::server::tensorboard
