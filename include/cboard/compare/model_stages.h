// Logs two model files as stages of quantization: before and after it.
//
//   CBOARD_ASSIGN_OR_RETURN(
//       const auto comparison,
//       compare::CompareModels("fp32.onnx", "int8.onnx", {.histograms = true}));
//   CBOARD_ASSIGN_OR_RETURN(auto logger, StageLogger::OpenIn("logs/net"));
//   CBOARD_RETURN_IF_ERROR(LogModelStages(comparison, *logger));
#pragma once

#include "cboard/base/result.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/compression/stage_graph.h"
#include "cboard/compression/stage_logger.h"
#include "cboard/model/model_graph.h"

namespace cboard::compare {

// Converts a model file to the graph of a stage. Constants do not become nodes: the bytes of a
// constant count for the node that uses it.
compression::StageGraph StageGraphOf(const model::ModelGraph& model, std::string name);

// Logs the baseline as initial_graph and the variant as after_quantization: graphs with Resources,
// histograms and per-channel statistics of the outputs that both models have, similarity, layer
// metrics, bit widths, diagnoses and verified runs. Parts that were not measured are omitted
// (outputs, if no sample was run). Fails like OpenModel and StageLogger.
Result<void> LogModelStages(const ModelComparison& comparison, StageLogger& logger);

}  // namespace cboard::compare
