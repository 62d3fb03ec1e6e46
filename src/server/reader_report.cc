#include "server/reader_report.h"

#include <algorithm>

#include "cboard/base/strings.h"
#include "server/http/prometheus_text.h"

namespace cboard::server {
namespace {

struct FileTotals {
  std::size_t files = 0, tags = 0, refused = 0, damaged_places = 0;
  std::uint64_t bytes = 0, damaged_bytes = 0, torn_bytes = 0;
};

FileTotals TotalsOf(const reader::Snapshot& snapshot) {
  FileTotals totals;
  for (const auto& run : snapshot.runs) {
    totals.tags += run->tags.size();
    totals.damaged_places += run->damage_count;
    for (const auto& file : run->files) {
      ++totals.files;
      totals.bytes += file->size_bytes;
      totals.damaged_bytes += file->damaged_bytes;
      totals.torn_bytes += file->torn_bytes;
      if (file->error) ++totals.refused;
    }
  }
  return totals;
}

std::string Others(std::size_t count) {
  return count == 0 ? std::string() : " (and " + std::to_string(count) + " more)";
}

}  // namespace

void LagMeter::Observe(const reader::Snapshot& snapshot, double now_seconds) {
  double newest = 0;
  for (const auto& run : snapshot.runs) newest = std::max(newest, run->newest_wall_time_seconds);
  if (loaded_ && newest > newest_) last_seconds_ = std::max(0.0, now_seconds - newest);
  newest_ = newest;
  loaded_ = snapshot.progress.complete;
}

void AppendReaderMetrics(std::string& text, const reader::Snapshot& snapshot,
                         const reader::ReaderStatistics& statistics, const LagMeter& lag,
                         const ResponseCacheStatistics& answers) {
  const FileTotals totals = TotalsOf(snapshot);
  const reader::LoadProgress& progress = snapshot.progress;
  const auto gauge = [&](std::string_view name, std::string_view help, auto value) {
    AppendMetric(text, "cboard_" + std::string(name), "gauge", help, value);
  };
  const auto counter = [&](std::string_view name, std::string_view help, auto value) {
    AppendMetric(text, "cboard_" + std::string(name), "counter", help, value);
  };
  gauge("reader_runs", "Runs.", snapshot.runs.size());
  gauge("reader_tags", "Tags, those of each run counted.", totals.tags);
  gauge("reader_files", "Event files.", totals.files);
  gauge("reader_file_bytes", "Size of all event files.", totals.bytes);
  counter("reader_bytes_read_total", "Bytes read from event files.", statistics.bytes_read);
  counter("reader_events_read_total", "Events read, without those that came from the cache.",
          statistics.events_read);
  counter("reader_snapshots_total", "Snapshots published.", statistics.snapshots);
  gauge("reader_cached_files", "Files whose index came from the cache.", statistics.cached_files);
  gauge("reader_watched_directories", "Directories whose changes the system reports.",
        statistics.watched_directories);
  gauge("reader_loaded", "1 when all that was there at the start has been read.",
        progress.complete ? 1 : 0);
  gauge("reader_unread_bytes", "Bytes that existed at the start and are not read yet.",
        progress.total_bytes - std::min(progress.done_bytes, progress.total_bytes));
  gauge("reader_lag_seconds", "How old the newest event was when it could be asked for.",
        lag.last_seconds());
  gauge("reader_newest_event_timestamp_seconds", "Wall time of the newest event.",
        lag.newest_wall_time_seconds());
  gauge("reader_damaged_bytes", "Bytes of event files that make no sense.", totals.damaged_bytes);
  gauge("reader_damaged_places", "Places where such bytes are.", totals.damaged_places);
  gauge("reader_torn_bytes", "Bytes of records at the end of files that are not whole yet.",
        totals.torn_bytes);
  gauge("reader_unreadable_files", "Files that the system refuses to read.", totals.refused);
  gauge("reader_unreadable_directories", "Directories that cannot be listed.",
        snapshot.unreadable.size());
  gauge("reader_scalar_bytes", "Memory of scalar columns.", statistics.scalar_bytes);
  gauge("reader_blob_index_bytes", "Memory of the index of everything else.",
        statistics.blob_index_bytes);
  gauge("answer_cache_bytes", "Memory of answers that are kept.", answers.bytes);
  counter("answer_cache_hits_total", "Responses from the cache.", answers.hits);
  counter("answer_cache_misses_total", "Answers that had to be made.", answers.made);
}

std::vector<std::string> DescribeTrouble(const reader::Snapshot& snapshot) {
  const reader::EventFile* refused = nullptr;
  const reader::Damage* damaged = nullptr;
  std::size_t refused_count = 0, damaged_count = 0;
  for (const auto& run : snapshot.runs) {
    for (const auto& file : run->files) {
      if (!file->error) continue;
      ++refused_count;
      if (refused == nullptr) refused = file.get();
    }
    damaged_count += run->damage_count;
    if (damaged == nullptr && !run->damage.empty()) damaged = &run->damage.front();
  }
  std::vector<std::string> lines;
  if (refused != nullptr) {
    lines.push_back(refused->error->message + Others(refused_count - 1) +
                    "; what it holds is missing until it can be read ('ls -l' shows who may)");
  }
  if (damaged != nullptr) {
    lines.push_back(Quoted(damaged->path.string(), 1000) + " is damaged at offset " +
                    std::to_string(damaged->offset) + ": " + damaged->reason +
                    Others(damaged_count - 1) + "; " + std::to_string(damaged->bytes) +
                    " bytes skipped, the rest is shown ('compression-board inspect' lists all)");
  }
  return lines;
}

}  // namespace cboard::server
