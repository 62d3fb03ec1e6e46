// bench_writer: measures the cost of logging with SummaryWriter, from opening the run until it is
// closed.
//
//   bench_writer scalars   --logdir D --events N [--threads N] [--no-clock]
//   bench_writer histogram --logdir D --count N --data values.f32
//   bench_writer image     --logdir D --count N --data pixels.u8 --side N
//
// Prints one line of JSON, see measurement.h. With `--no-clock`, the caller gives every scalar a
// wall time; otherwise each call reads the clock. Image data are 3 x side x side bytes.
#include <cboard/writer/summary_writer.h>

#include <atomic>
#include <fstream>
#include <thread>
#include <vector>

#include "measurement.h"

namespace cboard::bench {
namespace {

void OrStop(const Result<void>& result) {
  if (!result) Flags::Stop(result.error().message);
}

template <typename T>
std::vector<T> ReadValues(const std::string& path) {
  std::vector<T> values(std::filesystem::file_size(path) / sizeof(T));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(T)));
  if (!file) Flags::Stop("cannot read " + path);
  return values;
}

void LogScalars(SummaryWriter& writer, std::int64_t events, bool with_clock) {
  for (std::int64_t step = 1; step <= events; ++step) {
    const double value = 1e-6 * static_cast<double>(step);
    OrStop(writer.AddScalar("train/loss", value,
                            with_clock ? writer::At(step) : writer::At(step, 1.7e9)));
  }
}

void BenchScalars(const Flags& flags) {
  const std::string logdir = flags.Text("--logdir");
  const std::int64_t threads = flags.Has("--threads") ? flags.Count("--threads") : 1;
  const std::int64_t events_per_thread = flags.Count("--events") / threads;
  const bool with_clock = !flags.Has("--no-clock");
  Measurement measurement;
  {
    SummaryWriter writer(logdir);
    std::vector<std::thread> others;
    for (std::int64_t i = 1; i < threads; ++i) {
      others.emplace_back([&] { LogScalars(writer, events_per_thread, with_clock); });
    }
    LogScalars(writer, events_per_thread, with_clock);
    for (std::thread& other : others) other.join();
    OrStop(writer.Close());
  }
  measurement.Stop();
  measurement.Print(static_cast<std::uint64_t>(events_per_thread * threads), BytesBelow(logdir));
}

// Calls `log` with a writer and each step.
template <typename Log>
void BenchCalls(const Flags& flags, const Log& log) {
  const std::string logdir = flags.Text("--logdir");
  const std::int64_t count = flags.Count("--count");
  Measurement measurement;
  {
    SummaryWriter writer(logdir);
    for (std::int64_t step = 0; step < count; ++step) OrStop(log(writer, step));
    OrStop(writer.Close());
  }
  measurement.Stop();
  measurement.Print(static_cast<std::uint64_t>(count), BytesBelow(logdir));
}

void BenchHistogram(const Flags& flags) {
  const auto values = ReadValues<float>(flags.Text("--data"));
  BenchCalls(flags, [&](SummaryWriter& writer, std::int64_t step) {
    return writer.AddHistogram("weights", values, step);
  });
}

void BenchImage(const Flags& flags) {
  const auto pixels = ReadValues<std::uint8_t>(flags.Text("--data"));
  const std::int64_t side = flags.Count("--side");
  if (static_cast<std::int64_t>(pixels.size()) != 3 * side * side) {
    Flags::Stop("--data does not hold 3 x side x side bytes");
  }
  BenchCalls(flags, [&](SummaryWriter& writer, std::int64_t step) {
    return writer.AddImage("image", TensorView(pixels, {3, side, side}), step);
  });
}

}  // namespace
}  // namespace cboard::bench

int main(int argc, char** argv) {
  using cboard::bench::Flags;
  const std::string command = argc > 1 ? argv[1] : "";
  const Flags flags(argc, argv);
  if (command == "scalars") {
    cboard::bench::BenchScalars(flags);
  } else if (command == "histogram") {
    cboard::bench::BenchHistogram(flags);
  } else if (command == "image") {
    cboard::bench::BenchImage(flags);
  } else {
    Flags::Stop("usage: bench_writer scalars|histogram|image --logdir D …");
  }
}
