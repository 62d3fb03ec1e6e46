// Quantization as a sequence of stages, each a run with a graph, memory per node and statistics:
// the log of Sony's Model Compression Toolkit, in the names of all its versions.
//
//   logs_15112026_120000/tensorboard_logs/initial_graph
//   logs_15112026_120000/tensorboard_logs/thresholds_selection/min_per_channel
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/analysis/comparison_table.h"
#include "cboard/base/result.h"
#include "cboard/compression/stage_names.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

struct Stage {
  compression::StageDescription description = {};
  std::string run = {};  // As it was logged.
  bool has_graph = false;
  bool has_resources = false;
  std::size_t histogram_count = 0;  // Layers with a histogram.
  // The sub-runs with one scalar per layer, whose step is the channel; empty when there is none.
  std::string min_per_channel = {};
  std::string max_per_channel = {};
  std::string mean_per_channel = {};
};

struct StageTimeline {
  std::string experiment = {};  // The directory that holds the stages.
  std::string model = {};       // The name of the directory: a guess.
  // Model name in the layer metrics of these runs; empty if there are none.
  std::string logged_model = {};
  std::vector<Stage> stages = {};        // In the order of the pipeline.
  std::vector<std::string> extras = {};  // Runs beside them: figures, xquant, max_cut, …
};

// One timeline per directory that holds stages, by name. Reads no files.
std::vector<StageTimeline> FindStages(const reader::Snapshot& snapshot);

inline constexpr std::string_view kResourcesTag = "Resources";

// Variant names of the first and the last stage of a timeline.
inline constexpr std::string_view kFloatStages = "float", kQuantizedStages = "quantized";

// The weights' bytes that `Resources` of a stage adds up to.
Result<std::uint64_t> ReadStageBytes(const reader::Snapshot& snapshot, const Stage& stage);

// The stages whose Resources are the sizes of kFloatStages and of kQuantizedStages: the first
// before quantization, and the last of quantized weights. nullptr when there is none.
const Stage* FindSizedStage(const StageTimeline& timeline, std::string_view variant);

// Metrics that stage logs add to the comparison table: model_size_mb of kFloatStages, from the
// first stage with Resources, and of kQuantizedStages, from the last one whose weights are
// quantized. Reads these values from their files; unreadable values are skipped and named in
// `errors`.
std::vector<Fact> CollectStageFacts(const reader::Snapshot& snapshot, std::vector<Error>& errors);

}  // namespace cboard::analysis
