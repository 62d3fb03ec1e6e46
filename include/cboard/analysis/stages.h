// Reads quantization logs that consist of stages. Each stage is a run with a graph, memory per node
// and statistics. Sony's Model Compression Toolkit writes such logs; the stage names of all its
// versions are recognized. Examples of directories:
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
  std::string run = {};  // Name of the run in the log.
  bool has_graph = false;
  bool has_resources = false;
  std::size_t histogram_count = 0;  // Number of layers with a histogram.
  // Names of sub-runs with one scalar tag per layer; the step is the channel. Empty if there is no
  // such sub-run.
  std::string min_per_channel = {};
  std::string max_per_channel = {};
  std::string mean_per_channel = {};
  std::string sqnr_per_channel = {};       // Comparisons of two models: of the compressed one.
  std::string histogram_per_channel = {};  // Histograms instead of scalars; of some channels.
};

struct StageTimeline {
  std::string experiment = {};  // Directory that contains the stages.
  std::string model = {};       // Guessed from the directory's name.
  // Model name that the layer metrics of the stages contain; empty if there are none.
  std::string logged_model = {};
  std::vector<Stage> stages = {};        // In the order of the pipeline.
  std::vector<std::string> extras = {};  // Other runs in the directory: figures, xquant, max_cut, …
};

// Returns one timeline per directory that contains stages, sorted by name. Reads no files.
std::vector<StageTimeline> FindStages(const reader::Snapshot& snapshot);

inline constexpr std::string_view kResourcesTag = "Resources";

// Variant names of the first and the last stage of a timeline.
inline constexpr std::string_view kFloatStages = "float", kQuantizedStages = "quantized";

// Reads the total size of the weights from `Resources` of a stage, in bytes.
Result<std::uint64_t> ReadStageBytes(const reader::Snapshot& snapshot, const Stage& stage);

// Finds the stage whose `Resources` give the model size of a variant: for kFloatStages the first
// stage before quantization, for kQuantizedStages the last stage with quantized weights. nullptr if
// there is none.
const Stage* FindSizedStage(const StageTimeline& timeline, std::string_view variant);

// Returns the model_size_mb of the variants kFloatStages and kQuantizedStages for the comparison
// table. The float size is from the first stage with `Resources`, the quantized size from the last
// stage with quantized weights. Reads the values from their files; unreadable values are skipped
// and named in `errors`.
std::vector<Fact> CollectStageFacts(const reader::Snapshot& snapshot, std::vector<Error>& errors);

}  // namespace cboard::analysis
