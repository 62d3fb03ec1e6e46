// Compares the outputs of a float model and its quantized version, by layer and by sample.
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

// Number of samples for which images are logged. The Model Compression Toolkit uses the same
// number.
inline constexpr std::size_t kSimilaritySamples = 20;

// A comparison point: the output of one layer in both models.
struct ComparePoint {
  std::string_view layer;
  TensorView reference;   // Output of the float model.
  TensorView compressed;  // Output of the quantized model; codes are dequantized.
};

// Returns the mean of each of the `points` columns over all rows that have a number in this column;
// NaN if no row has one.
std::vector<double> MeanCosines(std::size_t points, std::span<const std::vector<double>> samples);

// Accumulates the similarity of two models. This class is not thread-safe.
class ModelSimilarity {
 public:
  // `channel_axis` is the dimension of the channels; a tensor with fewer dimensions has no
  // channels.
  explicit ModelSimilarity(std::size_t channel_axis = 1) : channel_axis_(channel_axis) {}
  ModelSimilarity(ModelSimilarity&&) = default;
  ModelSimilarity& operator=(ModelSimilarity&&) = default;

  // Adds the outputs of one sample at all comparison points, in the order of the model. The first
  // sample defines the points.
  //
  // Fails with kInvalidArgument if there is no point, if the points differ from those of the first
  // sample, if two points have the same name, or if the shapes of a pair differ. The sample is then
  // not added, except that comparisons() may count it for points before the failing one.
  Result<void> AddSample(std::span<const ComparePoint> points);
  Result<void> AddSample(std::initializer_list<ComparePoint> points) {
    return AddSample(std::span(points.begin(), points.size()));
  }

  const std::vector<std::string>& layers() const { return layers_; }

  // Cosine similarity by sample and comparison point: 1 if both tensors are all zero, 0 if only one
  // of them is all zero, NaN if there is no position at which both values are finite.
  const std::vector<std::vector<double>>& samples() const { return samples_; }

  std::vector<double> MeanCosines() const {
    return cboard::compression::MeanCosines(layers_.size(), samples_);
  }

  // Returns the comparison of each point over all samples.
  std::vector<tensor::Comparison> Comparisons() const;

 private:
  std::size_t channel_axis_;
  std::vector<std::string> layers_;
  std::vector<std::vector<double>> samples_;
  std::vector<tensor::ComparisonBuilder> builders_;
};

}  // namespace cboard::compression
