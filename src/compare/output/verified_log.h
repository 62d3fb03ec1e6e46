// Writes the results of --verify (runs with restored parts) as JSON and as events.
#pragma once

#include <string>

#include "cboard/base/json_writer.h"
#include "cboard/base/result.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/writer/summary_writer.h"

namespace cboard::compare {

// Writes the members "verified_layers", "why_not_verified" and "verified" of a JSON object.
void WriteVerified(const ModelComparison& comparison, JsonWriter& json);

// Logs the following values if the user asked for --verify:
//
//   <model>/layers/<layer>/restored_weight_gain_db/<variant>, …/restored_output_gain_db/<variant>
//   <model>/verified/sqnr_db/<variant>   best SQNR; the step is the number of parts
//   <model>/verified/<variant>           a table as Markdown
//   <model>/verified/runs/<variant>      everything as JSON, for the web page
//
// Fails if SummaryWriter fails.
Result<void> LogVerified(SummaryWriter& writer, const std::string& model,
                         const std::string& variant, const ModelComparison& comparison);

}  // namespace cboard::compare
