// Writes scalars in the form of TensorBoard's routes; several of its plugins use them.
#pragma once

#include <vector>

#include "cboard/base/json_writer.h"
#include "cboard/reader/series.h"
#include "server/tensorboard/data_route.h"

namespace cboard::server::tensorboard {

// Returns as many points of a series as --samples_per_plugin allows, evenly spaced.
std::vector<reader::ScalarPoint> SampledPoints(const DataCall& call,
                                               const reader::ScalarSeries& series);

// Writes the points as [[wall_time, step, value], …].
void WritePoints(JsonWriter& json, const std::vector<reader::ScalarPoint>& points);

// Responds to /scalars for a run and a tag: with JSON, or with CSV if `format` is csv.
Result<HttpResponse> ScalarsResponse(const DataCall& call, const std::optional<std::string>& run,
                                     const std::optional<std::string>& tag,
                                     const std::optional<std::string>& format);

}  // namespace cboard::server::tensorboard
