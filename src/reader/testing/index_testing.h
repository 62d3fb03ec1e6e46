// Common code of the tests and fuzzers of this folder: files in memory, workers, and views that can
// be compared.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "cboard/base/bytes.h"
#include "cboard/base/check.h"
#include "cboard/base/file.h"
#include "reader/index/file_index.h"

namespace cboard::testing {

// A file without a name that is deleted with the object.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes = {}) : descriptor_(::memfd_create("events", 0)) {
    CBOARD_CHECK(descriptor_ >= 0);
    Append(bytes);
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void Append(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      CBOARD_CHECK(written > 0);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  File Open() const {
    auto file = File::OpenForReading("/proc/self/fd/" + std::to_string(descriptor_));
    CBOARD_CHECK(file.has_value());
    return *std::move(file);
  }

 private:
  int descriptor_;
};

// Each task in a thread of its own.
class ThreadWorkers final : public reader::Workers {
 public:
  explicit ThreadWorkers(unsigned count) : count_(count) {}
  unsigned count() const override { return count_; }
  void ForEach(std::size_t n, const std::function<void(std::size_t)>& task) override {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < n; ++i) threads.emplace_back([&task, i] { task(i); });
  }

 private:
  unsigned count_;
};

// All tasks in this thread, the last one first.
class BackwardWorkers final : public reader::Workers {
 public:
  unsigned count() const override { return 4; }
  void ForEach(std::size_t n, const std::function<void(std::size_t)>& task) override {
    for (std::size_t i = n; i > 0; --i) task(i - 1);
  }
};

// A point as bits, so that NaN equals itself.
using PointBits = std::tuple<std::int64_t, std::uint64_t, std::uint64_t>;

inline PointBits BitsOf(const reader::ScalarPoint& point) {
  return {point.step, std::bit_cast<std::uint64_t>(point.wall_time_seconds),
          std::bit_cast<std::uint64_t>(point.value)};
}

inline std::vector<PointBits> PointsOf(const reader::ScalarColumnView& view) {
  std::vector<std::int64_t> steps(view.size());
  std::vector<double> walls(view.size()), values(view.size());
  view.Read(0, view.size(), steps.data(), walls.data(), values.data());
  std::vector<PointBits> points;
  for (std::size_t i = 0; i < view.size(); ++i) {
    points.push_back(BitsOf({steps[i], walls[i], values[i]}));
  }
  return points;
}

// All that a series says.
struct SeriesContents {
  reader::TagInfo info;
  std::vector<PointBits> points;
  std::vector<std::tuple<std::int64_t, std::uint64_t, std::uint64_t, std::uint32_t, std::uint32_t,
                         std::uint32_t>>
      blobs;
  std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t> steps;
  std::uint32_t mismatched_count = 0;
  bool steps_ascend = false;

  friend bool operator==(const SeriesContents&, const SeriesContents&) = default;
};

inline SeriesContents ContentsOf(const reader::SeriesView& view) {
  SeriesContents contents{.info = *view.info,
                          .steps = {view.min_step, view.max_step, view.first_step, view.last_step},
                          .mismatched_count = view.mismatched_count,
                          .steps_ascend = view.steps_ascend};
  for (const reader::ScalarColumnView& column : view.scalars) {
    for (const PointBits& point : PointsOf(column)) contents.points.push_back(point);
  }
  for (const reader::BlobColumnView& column : view.blobs) {
    for (std::size_t i = 0; i < column.size(); ++i) {
      const reader::BlobEntry blob = column.at(i);
      contents.blobs.emplace_back(blob.step, std::bit_cast<std::uint64_t>(blob.wall_time_seconds),
                                  blob.record_offset, blob.record_bytes, blob.value_offset,
                                  blob.value_bytes);
    }
  }
  return contents;
}

// All that a view says, but for the wording of damage: that depends on where reading paused.
struct FileContents {
  std::vector<SeriesContents> series;
  std::vector<std::tuple<std::int64_t, bool, std::uint32_t, std::vector<std::uint64_t>>> restarts;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> damage;
  std::vector<std::uint64_t> numbers;

  friend bool operator==(const FileContents&, const FileContents&) = default;
};

inline FileContents ContentsOf(const reader::FileView& view) {
  FileContents contents;
  for (const reader::SeriesView& series : view.series)
    contents.series.push_back(ContentsOf(series));
  for (const reader::Restart& restart : view.restarts) {
    contents.restarts.emplace_back(restart.step, restart.is_session_start, restart.series,
                                   restart.counts);
  }
  for (const reader::Damage& damage : view.damage) {
    contents.damage.emplace_back(damage.offset, damage.bytes);
  }
  contents.numbers = {view.file.size_bytes,
                      view.file.record_count,
                      view.file.damaged_bytes,
                      view.file.torn_bytes,
                      view.damage_count,
                      view.event_count,
                      view.read_bytes,
                      std::bit_cast<std::uint64_t>(view.first_wall_time_seconds),
                      std::bit_cast<std::uint64_t>(view.newest_wall_time_seconds),
                      view.file.error.has_value()};
  return contents;
}

inline std::shared_ptr<const reader::FileView> ReadWhole(std::string_view bytes,
                                                         const reader::ReadOptions& options = {}) {
  const MemoryFile memory(bytes);
  reader::FileIndex index("events");
  index.ContinueReading(memory.Open(), options);
  return index.View();
}

}  // namespace cboard::testing
