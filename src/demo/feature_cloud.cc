#include "demo/feature_cloud.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "demo/mesh_colours.h"

namespace cboard::demo {
namespace {

constexpr int kRounds = 100;  // Number of power iterations, more than sufficient for a picture.

std::vector<double> MeanOf(std::span<const float> rows, std::size_t width) {
  std::vector<double> mean(width);
  const auto count = static_cast<double>(rows.size() / width);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    mean[i % width] += static_cast<double>(rows[i]) / count;
  }
  return mean;
}

// Returns the covariance of each pair of columns, as a matrix of size width x width.
std::vector<double> CovarianceOf(std::span<const float> rows, std::size_t width) {
  const std::vector<double> mean = MeanOf(rows, width);
  std::vector<double> covariance(width * width), centred(width);
  for (std::size_t row = 0; row < rows.size(); row += width) {
    for (std::size_t i = 0; i < width; ++i) {
      centred[i] = static_cast<double>(rows[row + i]) - mean[i];
    }
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j < width; ++j) covariance[i * width + j] += centred[i] * centred[j];
    }
  }
  return covariance;
}

double Dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

std::vector<std::vector<double>> PrincipalDirections(std::span<const float> rows,
                                                     std::size_t width) {
  const std::vector<double> covariance = CovarianceOf(rows, width);
  std::vector<std::vector<double>> found;
  while (found.size() < 3) {
    std::vector<double> direction(width);
    for (std::size_t i = 0; i < width; ++i) {
      direction[i] = std::sin(static_cast<double>(i * 3 + found.size()) + 1);
    }
    for (int round = 0; round < kRounds; ++round) {
      std::vector<double> next(width);
      for (std::size_t i = 0; i < width; ++i) {
        next[i] = Dot(std::span(covariance).subspan(i * width, width), direction);
      }
      for (const std::vector<double>& other : found) {
        const double along = Dot(next, other);
        for (std::size_t i = 0; i < width; ++i) next[i] -= along * other[i];
      }
      const double length = std::sqrt(Dot(next, next));
      if (!(length > 1e-9)) return found;
      for (std::size_t i = 0; i < width; ++i) direction[i] = next[i] / length;
    }
    found.push_back(std::move(direction));
  }
  return found;
}

Result<void> LogFeatureClouds(std::string_view tag, std::span<const FeaturesOfEpoch> epochs,
                              const Digits& digits, SummaryWriter& writer) {
  if (epochs.empty()) return {};
  const std::span<const float> last = epochs.back().features;
  const std::vector<std::vector<double>> directions = PrincipalDirections(last, kFeatures);
  const std::vector<double> mean = MeanOf(last, kFeatures);
  std::vector<std::uint8_t> colours;
  for (const std::uint8_t label : digits.labels) {
    const MeshColour colour = DigitColour(label);
    colours.insert(colours.end(), colour.begin(), colour.end());
  }
  const std::vector<std::int64_t> shape = {1, static_cast<std::int64_t>(digits.size()), 3};
  for (const FeaturesOfEpoch& epoch : epochs) {
    std::vector<float> points(digits.size() * 3);
    for (std::size_t row = 0; row < digits.size(); ++row) {
      for (std::size_t axis = 0; axis < directions.size(); ++axis) {
        double along = 0;
        for (std::size_t i = 0; i < kFeatures; ++i) {
          along += (static_cast<double>(epoch.features[row * kFeatures + i]) - mean[i]) *
                   directions[axis][i];
        }
        points[row * 3 + axis] = static_cast<float>(along);
      }
    }
    CBOARD_RETURN_IF_ERROR(writer.AddMesh(tag, TensorView(points, shape),
                                          {.colors = TensorView(colours, shape)}, epoch.epoch));
  }
  return {};
}

}  // namespace cboard::demo
