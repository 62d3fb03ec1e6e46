// How alike the float and the quantized model are, sample by sample: what StageLogger logs as
// numbers beside its pictures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cboard/analysis/stages.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

struct SampleSimilarity {
  std::string name;                            // sample_0
  std::vector<std::optional<double>> cosines;  // By point.
};

struct StageSimilarity {
  std::vector<std::string> layers;  // The points, in the order of the model.
  std::vector<std::optional<double>> means;
  std::vector<SampleSimilarity> samples;  // In their order.
};

// More points than this are damage: memory follows the largest step.
inline constexpr std::int64_t kMaxSimilarityPoints = 1 << 20;

// Empty when the log has only pictures, as the Model Compression Toolkit's, or nothing.
StageSimilarity ReadSimilarity(const reader::Snapshot& snapshot, const StageTimeline& timeline);

}  // namespace cboard::analysis
