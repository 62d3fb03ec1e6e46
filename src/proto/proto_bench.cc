// Measures the time to encode and to parse one event.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "cboard/proto/event.h"
#include "cboard/proto/summary.h"

namespace cboard::proto {
namespace {

// Encodes an event with the summary that `append` writes, into reused buffers.
template <typename Append>
void EncodeLoop(benchmark::State& state, const Append& append) {
  std::string summary;
  std::string event;
  std::int64_t step = 0;
  for (auto _ : state) {
    summary.clear();
    event.clear();
    append(summary);
    AppendEvent({.wall_time_seconds = 1.7e9,
                 .step = ++step,
                 .kind = EventKind::kSummary,
                 .payload = summary},
                event);
    benchmark::DoNotOptimize(event.data());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(event.size()));
}

void BM_EncodeScalar(benchmark::State& state) {
  EncodeLoop(state, [](std::string& summary) {
    AppendScalarValue("resnet18/performance/latency_ms/int8", 12.4f, {}, summary);
  });
}
BENCHMARK(BM_EncodeScalar);

void BM_EncodeHistogram(benchmark::State& state) {
  const std::vector<double> buckets(static_cast<std::size_t>(state.range(0)), 1.5);
  EncodeLoop(state, [&](std::string& summary) {
    AppendHistogramValue("layer1.0.conv1/weight",
                         {.min = -1, .max = 1, .bucket_limits = buckets, .bucket_counts = buckets},
                         {}, summary);
  });
}
BENCHMARK(BM_EncodeHistogram)->Arg(64)->Arg(1548);

void BM_EncodeImage(benchmark::State& state) {
  const std::string png(static_cast<std::size_t>(state.range(0)), '\xab');
  EncodeLoop(state, [&](std::string& summary) {
    AppendImageValue("samples", {.height = 512, .width = 512, .colorspace = 3, .encoded = png}, {},
                     summary);
  });
}
BENCHMARK(BM_EncodeImage)->Arg(1 << 20);

void BM_ParseScalar(benchmark::State& state) {
  std::string summary;
  AppendScalarValue("resnet18/performance/latency_ms/int8", 12.4f, {}, summary);
  const std::string bytes = EncodeEvent(
      {.wall_time_seconds = 1.7e9, .step = 100, .kind = EventKind::kSummary, .payload = summary});
  const std::function<void(const SummaryValue&)> visit = [](const SummaryValue& value) {
    benchmark::DoNotOptimize(value.simple_value);
  };
  for (auto _ : state) {
    const Result<Event> event = ParseEvent(bytes);
    benchmark::DoNotOptimize(ForEachValue(event->payload, visit));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_ParseScalar);

}  // namespace
}  // namespace cboard::proto
