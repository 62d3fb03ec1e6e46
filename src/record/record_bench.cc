#include <benchmark/benchmark.h>

#include <vector>

#include "cboard/record/crc32c.h"
#include "cboard/record/record_writer.h"
#include "testing/sinks.h"

namespace cboard::record {
namespace {

void BM_Append(benchmark::State& state) {
  const std::vector<std::byte> payload(static_cast<std::size_t>(state.range(0)));
  testing::NullSink sink;
  RecordWriter writer(sink);
  for (auto _ : state) benchmark::DoNotOptimize(writer.Append(payload));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
// A scalar event, a histogram, an image.
BENCHMARK(BM_Append)->Arg(64)->Arg(4 << 10)->Arg(1 << 20);

void BM_Crc32c(benchmark::State& state) {
  const std::vector<std::byte> bytes(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(ComputeCrc32c(bytes));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Crc32c)->Arg(8)->Arg(40)->Arg(256)->Arg(4 << 10)->Arg(1 << 20);

}  // namespace
}  // namespace cboard::record
