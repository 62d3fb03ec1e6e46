// Measures the time of a writer call, in units that users know: per scalar, per histogram, per
// image.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "cboard/writer/event_file_writer.h"
#include "cboard/writer/summary_writer.h"
#include "testing/temp_dir.h"

namespace cboard::writer {
namespace {

// Starts a new file regularly, because files of gigabytes would fill the page cache.
constexpr std::int64_t kEventsPerFile = 4'000'000;

void BM_AddScalar(benchmark::State& state) {
  static testing::TempDir* dir;
  static SummaryWriter* writer;
  if (state.thread_index() == 0) {
    dir = new testing::TempDir;
    writer = new SummaryWriter(dir->path());
  }
  std::int64_t step = 0;
  for (auto _ : state) {
    if (!writer->AddScalar("train/loss", 0.25, ++step)) state.SkipWithError("not accepted");
  }
  state.SetItemsProcessed(state.iterations());
  if (state.thread_index() == 0) {
    delete writer;
    delete dir;
  }
}
BENCHMARK(BM_AddScalar)
    ->Iterations(kEventsPerFile)
    ->Threads(1)
    ->Threads(2)
    ->Threads(4)
    ->UseRealTime();

void BM_AddScalarGivenTime(benchmark::State& state) {
  testing::TempDir dir;
  SummaryWriter writer(dir.path());
  std::int64_t step = 0;
  for (auto _ : state) {
    ++step;
    benchmark::DoNotOptimize(writer.AddScalar("train/loss", 0.25, At(step, 1.5e9)));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_AddScalarGivenTime)->Iterations(kEventsPerFile)->UseRealTime();

void BM_AddHistogram(benchmark::State& state) {
  testing::TempDir dir;
  SummaryWriter writer(dir.path());
  std::vector<float> values(static_cast<std::size_t>(state.range(0)));
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 0.05f);
  for (float& value : values) value = normal(random);
  std::int64_t step = 0;
  for (auto _ : state) benchmark::DoNotOptimize(writer.AddHistogram("weights", values, ++step));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_AddHistogram)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMicrosecond);

void BM_AddImage(benchmark::State& state) {
  testing::TempDir dir;
  SummaryWriter writer(dir.path());
  std::vector<std::uint8_t> pixels(3 * 256 * 256);
  std::mt19937 random(1);
  for (std::uint8_t& pixel : pixels) pixel = static_cast<std::uint8_t>(random());
  std::int64_t step = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(writer.AddImage("image", TensorView(pixels, {3, 256, 256}), ++step));
  }
}
BENCHMARK(BM_AddImage)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace cboard::writer
