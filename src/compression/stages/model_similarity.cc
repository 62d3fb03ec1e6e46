#include "cboard/compression/model_similarity.h"

#include <cmath>
#include <limits>
#include <set>

#include "cboard/base/strings.h"

namespace cboard::compression {

Result<void> ModelSimilarity::AddSample(std::span<const ComparePoint> points) {
  if (points.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "a sample has no layers to compare; give at least one");
  }
  if (!layers_.empty() && points.size() != layers_.size()) {
    return Fail(ErrorCode::kInvalidArgument,
                "sample " + std::to_string(samples_.size()) + " has " + HumanCount(points.size()) +
                    " layers to compare, but the first sample has " + HumanCount(layers_.size()));
  }
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!seen.insert(points[i].layer).second) {
      return Fail(ErrorCode::kInvalidArgument,
                  "two layers of a sample have the name " + Quoted(points[i].layer));
    }
    if (!layers_.empty() && points[i].layer != layers_[i]) {
      return Fail(ErrorCode::kInvalidArgument,
                  "layer " + std::to_string(i) + " of sample " + std::to_string(samples_.size()) +
                      " is " + Quoted(points[i].layer) + ", but in the first sample it is " +
                      Quoted(layers_[i]));
    }
  }
  const bool first = layers_.empty();
  std::vector<tensor::ComparisonBuilder> builders;
  std::vector<double> cosines;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ComparePoint& point = points[i];
    tensor::ComparisonOptions options;
    if (point.reference.shape.size() > channel_axis_) options.channel_axis = channel_axis_;
    tensor::ComparisonBuilder sample(options);
    auto added = sample.Add(point.reference, point.compressed);
    if (added && !first) added = builders_[i].Merge(sample);
    if (!added) return Fail(Annotate(std::move(added).error(), "point " + Quoted(point.layer)));
    cosines.push_back(sample.Build().total.Cosine());
    if (first) builders.push_back(std::move(sample));
  }
  if (first) {
    for (const ComparePoint& point : points) layers_.emplace_back(point.layer);
    builders_ = std::move(builders);
  }
  samples_.push_back(std::move(cosines));
  return {};
}

std::vector<double> MeanCosines(std::size_t points, std::span<const std::vector<double>> samples) {
  std::vector<double> means;
  for (std::size_t point = 0; point < points; ++point) {
    double sum = 0;
    std::size_t count = 0;
    for (const std::vector<double>& sample : samples) {
      if (std::isnan(sample[point])) continue;
      sum += sample[point];
      ++count;
    }
    means.push_back(count > 0 ? sum / static_cast<double>(count)
                              : std::numeric_limits<double>::quiet_NaN());
  }
  return means;
}

std::vector<tensor::Comparison> ModelSimilarity::Comparisons() const {
  std::vector<tensor::Comparison> comparisons;
  for (const tensor::ComparisonBuilder& builder : builders_) comparisons.push_back(builder.Build());
  return comparisons;
}

}  // namespace cboard::compression
