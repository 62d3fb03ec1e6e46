// Writes the results of `compare --verify` as JSON.
#pragma once

#include <optional>

#include "cboard/analysis/verified_runs.h"
#include "cboard/base/json_writer.h"

namespace cboard::server {

// Writes {"summary","ends","samples","texts","parts","sqnr_db","gains_db","why_not","best"}: one
// entry per run of the model, and the index of the parts to keep in float. Writes null if nothing
// was verified.
void WriteVerified(JsonWriter& json, const std::optional<analysis::VerifiedRuns>& verified);

}  // namespace cboard::server
