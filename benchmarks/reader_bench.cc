// Loads a log directory as the server does, and prints the cost.
//
//   reader_bench --logdir D --threads 2 [--cache DIRECTORY]
//
// The clock stops when every point can be queried. With --cache the index is stored in the
// directory after the clock has stopped: the first start writes it, and the second one loads it.
// Prints one line of JSON.
#include <cstdint>
#include <cstdio>
#include <memory>

#include "cboard/base/json_writer.h"
#include "cboard/reader/log_reader.h"
#include "measurement.h"

namespace {

using namespace cboard;  // NOLINT: a program of one file.

void Print(const reader::Snapshot& snapshot, const reader::ReaderStatistics& statistics,
           const bench::Measurement& measurement, std::uint64_t peak_rss_bytes) {
  std::uint64_t points = 0, blobs = 0, events = 0, damage = 0;
  for (const std::shared_ptr<const reader::Run>& run : snapshot.runs) {
    events += run->event_count;
    damage += run->damage_count;
    for (const reader::Tag& tag : run->tags) {
      points += tag.scalars.size();
      blobs += tag.blobs.size();
    }
  }
  const auto ratio = [](std::uint64_t bytes, std::uint64_t count) {
    return count == 0 ? 0.0 : static_cast<double>(bytes) / static_cast<double>(count);
  };
  JsonWriter json;
  json.BeginObject().Key("runs").Value(std::uint64_t{snapshot.runs.size()});
  json.Key("events").Value(events).Key("points").Value(points).Key("blobs").Value(blobs);
  json.Key("damage").Value(damage).Key("cached_files").Value(statistics.cached_files);
  json.Key("wall_seconds").Value(measurement.wall_seconds());
  json.Key("cpu_seconds").Value(measurement.cpu_seconds());
  json.Key("peak_rss_bytes").Value(peak_rss_bytes);
  json.Key("bytes_per_point").Value(ratio(statistics.scalar_bytes, points));
  json.Key("bytes_per_blob").Value(ratio(statistics.blob_index_bytes, blobs)).EndObject();
  std::puts(json.text().c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Flags flags(argc + 1, argv - 1);
  reader::ReaderOptions options{.logdirs = {{.path = flags.Text("--logdir")}},
                                .threads = static_cast<unsigned>(flags.Count("--threads"))};
  if (flags.Has("--cache")) options.cache_directory = flags.Text("--cache");
  bench::Measurement measurement;
  Result<std::unique_ptr<LogReader>> reader = LogReader::Open(std::move(options));
  if (!reader) bench::Flags::Stop(reader.error().message);
  (*reader)->WaitUntilLoaded();
  measurement.Stop();
  Print(*(*reader)->snapshot(), (*reader)->statistics(), measurement,
        bench::Measurement::PeakRssBytes());
  return 0;
}
