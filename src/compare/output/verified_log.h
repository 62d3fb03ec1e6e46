// Runs with restored parts, for programs and as events.
#pragma once

#include <string>

#include "cboard/base/json_writer.h"
#include "cboard/base/result.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/writer/summary_writer.h"

namespace cboard::compare {

// The members "verified_layers", "why_not_verified" and "verified" of an object.
void WriteVerified(const ModelComparison& comparison, JsonWriter& json);

// Writes, unless nobody asked for it:
//
//   <model>/layers/<layer>/restored_weight_gain_db/<variant>, …/restored_output_gain_db/<variant>
//   <model>/verified/sqnr_db/<variant>   the best of as many parts as the step says
//   <model>/verified/<variant>           a table for people
//   <model>/verified/runs/<variant>      all of it as JSON: what the board reads
//
// Fails as SummaryWriter does.
Result<void> LogVerified(SummaryWriter& writer, const std::string& model,
                         const std::string& variant, const ModelComparison& comparison);

}  // namespace cboard::compare
