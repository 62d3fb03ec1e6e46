// Loads a log directory and says what that cost.
//
//   reader_bench load  --logdir D --threads 2 [--store FILE]
//   reader_bench start --stored FILE --logdir D
//
// `load` reads every event file, checksums and all, until every point can be looked at. With
// --store the index is written to a file, from which `start` makes it again as a second start does.
// Prints one line of JSON.
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "cboard/base/file.h"
#include "cboard/base/json_writer.h"
#include "measurement.h"
#include "reader/index/file_index.h"

namespace {

using namespace cboard;  // NOLINT: a program of one file.
using reader::FileIndex;

class Threads final : public reader::Workers {
 public:
  explicit Threads(unsigned count) : count_(count) {}
  unsigned count() const override { return count_; }
  void ForEach(std::size_t n, const std::function<void(std::size_t)>& task) override {
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t i = next++; i < n; i = next++) task(i);
    };
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < std::min<std::size_t>(count_, n); ++i) others.emplace_back(work);
    work();
  }

 private:
  unsigned count_;
};

template <typename T>
T OrStop(Result<T> result) {
  if (!result) bench::Flags::Stop(result.error().message);
  return *std::move(result);
}

std::vector<std::filesystem::path> EventFiles(const std::filesystem::path& logdir) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(logdir)) {
    if (entry.path().filename().string().find("tfevents") != std::string::npos) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

void PrintTotals(const std::vector<FileIndex>& indexes, double wall_seconds, double cpu_seconds) {
  std::uint64_t points = 0, blobs = 0, events = 0, damage = 0, scalar_bytes = 0, blob_bytes = 0;
  for (const FileIndex& index : indexes) {
    const auto view = index.View();
    events += view->event_count;
    damage += view->damage_count;
    scalar_bytes += index.scalar_bytes();
    blob_bytes += index.blob_index_bytes();
    for (const reader::SeriesView& series : view->series) {
      for (const auto& column : series.scalars) points += column.size();
      for (const auto& column : series.blobs) blobs += column.size();
    }
  }
  const auto ratio = [](std::uint64_t bytes, std::uint64_t count) {
    return count == 0 ? 0.0 : static_cast<double>(bytes) / static_cast<double>(count);
  };
  JsonWriter json;
  json.BeginObject().Key("files").Value(std::uint64_t{indexes.size()});
  json.Key("events").Value(events).Key("points").Value(points).Key("blobs").Value(blobs);
  json.Key("damage").Value(damage).Key("wall_seconds").Value(wall_seconds);
  json.Key("cpu_seconds").Value(cpu_seconds);
  json.Key("peak_rss_bytes").Value(bench::Measurement::PeakRssBytes());
  json.Key("bytes_per_point").Value(ratio(scalar_bytes, points));
  json.Key("bytes_per_blob").Value(ratio(blob_bytes, blobs)).EndObject();
  std::puts(json.text().c_str());
}

// Each index is preceded by its length.
void Store(const std::vector<FileIndex>& indexes, const std::filesystem::path& path) {
  std::string bytes;
  for (const FileIndex& index : indexes) {
    const std::size_t begin = bytes.size();
    bytes.resize(begin + 8);
    index.AppendEncoded(bytes);
    StoreLittleEndian(std::uint64_t{bytes.size() - begin - 8},
                      std::as_writable_bytes(std::span(bytes)).subspan(begin));
  }
  OrStop(WriteFileAtomically(path, bytes).map([] { return 0; }));
}

void Load(const bench::Flags& flags) {
  bench::Measurement measurement;
  const auto files = EventFiles(flags.Text("--logdir"));
  Threads threads(static_cast<unsigned>(flags.Count("--threads")));
  std::vector<FileIndex> indexes;
  indexes.reserve(files.size());
  for (const auto& path : files) indexes.emplace_back(path);
  threads.ForEach(files.size(), [&](std::size_t i) {
    const File file = OrStop(File::OpenForReading(files[i]));
    // A few files are split, so that every thread has something to do.
    const bool split = files.size() < 2 * threads.count();
    indexes[i].ReadOn(file, {.workers = split ? &threads : nullptr});
    (void)indexes[i].View();
  });
  measurement.Stop();
  PrintTotals(indexes, measurement.wall_seconds(), measurement.cpu_seconds());
  if (flags.Has("--store")) Store(indexes, flags.Text("--store"));
}

void Start(const bench::Flags& flags) {
  bench::Measurement measurement;
  const auto files = EventFiles(flags.Text("--logdir"));
  const File stored = OrStop(File::OpenForReading(flags.Text("--stored")));
  const auto size = static_cast<std::size_t>(OrStop(stored.Size()));
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, stored.descriptor(), 0);
  if (memory == MAP_FAILED) bench::Flags::Stop("cannot map the stored index");
  ByteSpan bytes(static_cast<const std::byte*>(memory), size);
  const std::shared_ptr<const void> owner(memory, [](const void*) {});  // Until the program ends.
  std::vector<FileIndex> indexes;
  for (const auto& path : files) {
    const auto length = static_cast<std::size_t>(LoadLittleEndian<std::uint64_t>(bytes));
    indexes.push_back(OrStop(FileIndex::Decode(path, bytes.subspan(8, length), owner)));
    (void)indexes.back().View();
    bytes = bytes.subspan(8 + length);
  }
  measurement.Stop();
  PrintTotals(indexes, measurement.wall_seconds(), measurement.cpu_seconds());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  const bench::Flags flags(argc, argv);
  if (command == "load") {
    Load(flags);
  } else if (command == "start") {
    Start(flags);
  } else {
    bench::Flags::Stop("unknown command '" + command + "': load or start");
  }
  return 0;
}
