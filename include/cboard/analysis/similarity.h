// Reads the similarity of the float and the quantized model per sample. StageLogger logs it as
// numbers, next to its images.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cboard/analysis/stages.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

struct SampleSimilarity {
  std::string name;                            // sample_0
  std::vector<std::optional<double>> cosines;  // Cosine similarity by comparison point.
};

struct StageSimilarity {
  std::vector<std::string> layers;  // Names of the comparison points, in the order of the model.
  std::vector<std::optional<double>> means;
  std::vector<SampleSimilarity> samples;  // In the order of the log.
};

// Maximum number of comparison points. Steps are indices of comparison points. Larger steps are
// treated as damage, because memory is allocated up to the largest step.
inline constexpr std::int64_t kMaxSimilarityPoints = 1 << 20;

// Reads the similarities of a timeline. The result is empty if the log has no similarities, or only
// images of them, as in logs of the Model Compression Toolkit.
StageSimilarity ReadSimilarity(const reader::Snapshot& snapshot, const StageTimeline& timeline);

}  // namespace cboard::analysis
