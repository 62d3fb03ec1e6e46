// AURORA scores as JSON columns, and the weights of a request.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "cboard/analysis/variant_comparison.h"
#include "cboard/base/json_writer.h"
#include "cboard/base/result.h"
#include "cboard/compression/aurora.h"

namespace cboard::server {

// Writes the keys "scores", "means", "coverages", "kinds", "formulas", "reasons", "factors" and
// "weights", each an array with one element per cell.
void WriteAuroraColumns(JsonWriter& json, std::span<const analysis::AuroraCell* const> cells);

// Reads the weights of quality, throughput, latency, energy and memory in percent, followed by the
// penalty factor: "40,20,15,15,10,10". Returns nullopt for an empty text. Fails with
// kInvalidArgument if the text is not six finite numbers of at least 0.
Result<std::optional<compression::AuroraOptions>> ParseAuroraWeights(std::string_view text);

}  // namespace cboard::server
