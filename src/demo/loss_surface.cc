#include "demo/loss_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "cboard/writer/summary_writer.h"
#include "demo/mesh_colours.h"

namespace cboard::demo {
namespace {

constexpr std::size_t kSide = 17;
constexpr std::size_t kPictures = 60;
constexpr double kHeight = 0.9;  // Height of the highest point; the width of the square is 2.

// Returns a random direction in the space of weights. In each filter, the direction has the same
// norm as the weights of the network. Its biases are zero.
Network Direction(const Network& network, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Network direction = network;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const std::size_t inputs = NetworkShape()[i].weights_per_output();
    Layer& layer = direction.layers[i];
    std::ranges::fill(layer.biases, 0.0F);
    for (std::size_t out = 0; out < NetworkShape()[i].out_channels; ++out) {
      const std::span<float> filter = std::span(layer.weights).subspan(out * inputs, inputs);
      const auto length = [&] {
        double squares = 0;
        for (const float weight : filter) squares += static_cast<double>(weight) * weight;
        return std::sqrt(squares);
      };
      const double wanted = length();
      std::ranges::generate(filter, [&] { return normal(random); });
      const auto scale = static_cast<float>(wanted / std::max(length(), 1e-12));
      for (float& weight : filter) weight *= scale;
    }
  }
  return direction;
}

Network Moved(const Network& from, const Network& along, float a, const Network& across, float b) {
  Network moved = from;
  for (std::size_t i = 0; i < moved.layers.size(); ++i) {
    std::vector<float>& weights = moved.layers[i].weights;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      weights[k] += a * along.layers[i].weights[k] + b * across.layers[i].weights[k];
    }
  }
  return moved;
}

// Returns the first images, which contain every digit.
Digits Some(const Digits& digits) {
  const std::size_t count = std::min(kPictures, digits.size());
  const auto pixels = static_cast<std::ptrdiff_t>(count * kDigitPixels);
  return {{digits.pixels.begin(), digits.pixels.begin() + pixels},
          {digits.labels.begin(), digits.labels.begin() + static_cast<std::ptrdiff_t>(count)}};
}

double LossOf(const Network& network, std::span<const ActivationRange> ranges,
              const std::optional<QuantizationScheme>& scheme, const Digits& digits) {
  const auto judge = [&](auto& runner) {
    return Evaluate(digits, [&](std::span<const float> image) { return runner.Run(image); }).loss;
  };
  if (!scheme) {
    FloatRunner runner(network);
    return judge(runner);
  }
  const QuantizedNetwork quantized = Quantize(network, ranges, *scheme);
  QuantizedRunner runner(quantized);
  return judge(runner);
}

// Returns the triangles of a mesh: two for each square of neighbouring points.
std::vector<std::int32_t> FacesOf(std::size_t side) {
  std::vector<std::int32_t> faces;
  const auto at = [&](std::size_t row, std::size_t column) {
    return static_cast<std::int32_t>(row * side + column);
  };
  for (std::size_t row = 0; row + 1 < side; ++row) {
    for (std::size_t column = 0; column + 1 < side; ++column) {
      faces.insert(faces.end(),
                   {at(row, column), at(row + 1, column), at(row, column + 1), at(row, column + 1),
                    at(row + 1, column), at(row + 1, column + 1)});
    }
  }
  return faces;
}

// Returns a logarithm with a minimum, because a loss of 0 has none.
double LogOf(double loss) { return std::log(std::max(loss, 1e-6)); }

}  // namespace

LossSurface SurfaceAround(const Network& network, std::span<const ActivationRange> ranges,
                          const std::optional<QuantizationScheme>& scheme, const Digits& digits,
                          std::size_t side) {
  const Network along = Direction(network, 1), across = Direction(network, 2);
  LossSurface surface{.side = side, .losses = {}};
  const auto place = [&](std::size_t at) {
    const double half = static_cast<double>(side - 1) / 2;
    return static_cast<float>((static_cast<double>(at) - half) / half);
  };
  for (std::size_t row = 0; row < side; ++row) {
    for (std::size_t column = 0; column < side; ++column) {
      const Network moved = Moved(network, along, place(column), across, place(row));
      surface.losses.push_back(LossOf(moved, ranges, scheme, digits));
    }
  }
  return surface;
}

std::map<std::string, LossSurface> LossSurfaces(const DemoVariants& made, const Digits& test) {
  const Digits digits = Some(test);
  const Network& network = *made.variants.front().network;
  const auto around = [&](const std::optional<QuantizationScheme>& scheme) {
    return SurfaceAround(network, made.ranges, scheme, digits, kSide);
  };
  return {{"fp32", around(std::nullopt)},
          {"int8", around(QuantizationScheme{})},
          {"w4a8", around(QuantizationScheme{.weight_bits = 4})}};
}

Result<void> LogLossSurface(const LossSurface& surface,
                            const std::map<std::string, LossSurface>& surfaces,
                            SummaryWriter& writer) {
  double least = LogOf(surface.losses.front()), greatest = least;
  for (const auto& [name, other] : surfaces) {
    const auto [low, high] = std::ranges::minmax(other.losses);
    least = std::min(least, LogOf(low));
    greatest = std::max(greatest, LogOf(high));
  }
  std::vector<float> vertices;
  std::vector<std::uint8_t> colours;
  const auto place = [&](std::size_t at) {
    return static_cast<float>(at) / static_cast<float>(surface.side - 1) * 2 - 1;
  };
  for (std::size_t i = 0; i < surface.losses.size(); ++i) {
    const double share = (LogOf(surface.losses[i]) - least) / std::max(greatest - least, 1e-9);
    vertices.insert(vertices.end(), {place(i % surface.side), static_cast<float>(kHeight * share),
                                     place(i / surface.side)});
    const MeshColour colour = HeatColour(share);
    colours.insert(colours.end(), colour.begin(), colour.end());
  }
  const std::vector<std::int32_t> faces = FacesOf(surface.side);
  const auto count = static_cast<std::int64_t>(surface.losses.size());
  return writer.AddMesh(
      "loss/around_the_weights", TensorView(vertices, {1, count, 3}),
      {.colors = TensorView(colours, {1, count, 3}),
       .faces = TensorView(faces, {1, static_cast<std::int64_t>(faces.size() / 3), 3})},
      0);
}

}  // namespace cboard::demo
