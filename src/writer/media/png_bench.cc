// Measures the time to encode an image as PNG, and the size of the file.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>

#include "writer/media/image_layout.h"
#include "writer/media/png_encoder.h"

namespace cboard::writer::media {
namespace {

Pixels Noise(std::size_t side) {
  Pixels pixels = BlankPixels(side, side, 3).value();
  std::mt19937 random(1);
  for (std::uint8_t& byte : pixels.bytes) byte = static_cast<std::uint8_t>(random());
  return pixels;
}

// A photo-like image: slopes, an edge and a little sensor noise.
Pixels Photo(std::size_t side) {
  Pixels pixels = BlankPixels(side, side, 3).value();
  std::mt19937 random(1);
  for (std::size_t i = 0; i < pixels.bytes.size(); ++i) {
    const double x = static_cast<double>(i / 3 % side) / static_cast<double>(side);
    const double y = static_cast<double>(i / 3 / side) / static_cast<double>(side);
    const double light = 90 + 60 * std::sin(5 * x + static_cast<double>(i % 3)) * std::cos(4 * y) +
                         (std::hypot(x - .5, y - .5) < .3 ? 60 : 0) +
                         static_cast<double>(random() % 4);
    pixels.bytes[i] = static_cast<std::uint8_t>(light);
  }
  return pixels;
}

// A chart-like image: white with a few lines.
Pixels Plot(std::size_t side) {
  Pixels pixels = BlankPixels(side, side, 3).value();
  for (std::uint8_t& byte : pixels.bytes) byte = 255;
  for (std::size_t x = 0; x < side; ++x) {
    const double wave = std::sin(static_cast<double>(x) / 20) * static_cast<double>(side) / 3;
    const auto y = static_cast<std::size_t>(static_cast<double>(side) / 2 + wave);
    pixels.row(y)[3 * x] = 31;
    pixels.row(side - 1)[3 * x + 1] = 0;
  }
  return pixels;
}

void Encode(benchmark::State& state, const Pixels& pixels, PngCompression compression) {
  std::size_t size = 0;
  for (auto _ : state) size = EncodePng(pixels, compression).value().size();
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(pixels.bytes.size()));
  state.counters["file_bytes"] = static_cast<double>(size);
}

BENCHMARK_CAPTURE(Encode, noise_256, Noise(256), PngCompression::kFast);
BENCHMARK_CAPTURE(Encode, photo_256, Photo(256), PngCompression::kFast);
BENCHMARK_CAPTURE(Encode, plot_640, Plot(640), PngCompression::kFast);
BENCHMARK_CAPTURE(Encode, photo_256_small, Photo(256), PngCompression::kSmall);
BENCHMARK_CAPTURE(Encode, thumbnail_32, Photo(32), PngCompression::kFast);

// Encodes a float image as neural networks produce it, with both steps.
void BM_FloatImage(benchmark::State& state) {
  std::vector<float> image(3 * 256 * 256);
  std::mt19937 random(1);
  for (float& value : image) value = static_cast<float>(random() % 256) / 255;
  const TensorView view(image, {3, 256, 256});
  for (auto _ : state) {
    benchmark::DoNotOptimize(EncodePng(LayOutImage(view, "CHW").value()).value().size());
  }
}
BENCHMARK(BM_FloatImage);

void BM_LayOutFloatImage(benchmark::State& state) {
  const std::vector<float> image(3 * 256 * 256, 0.5f);
  const TensorView view(image, {3, 256, 256});
  for (auto _ : state) benchmark::DoNotOptimize(LayOutImage(view, "CHW").value().bytes.data());
}
BENCHMARK(BM_LayOutFloatImage);

}  // namespace
}  // namespace cboard::writer::media
