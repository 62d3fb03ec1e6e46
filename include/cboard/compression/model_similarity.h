// How alike a float model and its quantized form are, layer by layer, for one sample after another.
//
//   ModelSimilarity similarity;
//   for (…) CBOARD_RETURN_IF_ERROR(similarity.AddSample({{"conv1", a1, b1}, {"fc", a2, b2}}));
//   logger.LogSimilarity(similarity);
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/compare.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::compression {

// As many samples as the Model Compression Toolkit looks at.
inline constexpr std::size_t kSimilaritySamples = 20;

// The same place in both models.
struct ComparePoint {
  std::string_view layer;
  TensorView reference;   // Output of the float model.
  TensorView compressed;  // Output of the quantized model; codes are dequantized.
};

// The mean of each of `points` columns over those rows that have a number there; NaN when none has.
std::vector<double> MeanCosines(std::size_t points, std::span<const std::vector<double>> samples);

// Not thread-safe.
class ModelSimilarity {
 public:
  // Channels run along `channel_axis`; a tensor with fewer dimensions has no channels.
  explicit ModelSimilarity(std::size_t channel_axis = 1) : channel_axis_(channel_axis) {}
  ModelSimilarity(ModelSimilarity&&) = default;
  ModelSimilarity& operator=(ModelSimilarity&&) = default;

  // The outputs of one sample at all points, in the order of the model. The first sample says which
  // points there are.
  //
  // Fails with kInvalidArgument when there is no point, when the points are not those of the first
  // sample, two are called the same, or the shapes of a pair differ. Nothing was added then, except
  // that points before the one that fails may count the sample in comparisons().
  Result<void> AddSample(std::span<const ComparePoint> points);
  Result<void> AddSample(std::initializer_list<ComparePoint> points) {
    return AddSample(std::span(points.begin(), points.size()));
  }

  const std::vector<std::string>& layers() const { return layers_; }

  // The cosine by sample and point: 1 when both tensors are zero throughout, 0 when one is, NaN
  // when no pair of their values is finite.
  const std::vector<std::vector<double>>& samples() const { return samples_; }

  std::vector<double> MeanCosines() const {
    return cboard::compression::MeanCosines(layers_.size(), samples_);
  }

  // All samples of each point together.
  std::vector<tensor::Comparison> Comparisons() const;

 private:
  std::size_t channel_axis_;
  std::vector<std::string> layers_;
  std::vector<std::vector<double>> samples_;
  std::vector<tensor::ComparisonBuilder> builders_;
};

}  // namespace cboard::compression
