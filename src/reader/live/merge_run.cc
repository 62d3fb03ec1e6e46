#include "reader/live/merge_run.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "reader/live/purge.h"

namespace cboard::reader {
namespace {

// A tag in a file.
struct Part {
  const std::shared_ptr<const FileView>* view;
  const SeriesView* series;
  std::uint32_t file;
  std::uint32_t index;  // Index in FileView::series.
};

std::int64_t StepAt(const ScalarColumnView& column, std::size_t index) {
  return column.at(index).step;
}
std::int64_t StepAt(const BlobColumnView& column, std::size_t index) {
  return column.at(index).step;
}

std::uint64_t SizeOf(const SeriesView& series) {
  std::uint64_t size = 0;
  for (const ScalarColumnView& column : series.scalars) size += column.size();
  for (const BlobColumnView& column : series.blobs) size += column.size();
  return size;
}

// The columns of one tag, and facts about their steps.
template <typename Column>
class Columns {
 public:
  // Appends all points of the columns.
  void Add(std::span<const Column> columns, const SeriesView& series) {
    if (SizeOf(series) == 0) return;
    Note(series.min_step, series.max_step, series.first_step, series.last_step,
         series.steps_ascend);
    columns_.insert(columns_.end(), columns.begin(), columns.end());
  }

  // Appends the points of the columns that are inside `ranges`. The ranges are sorted from the last
  // to the first.
  void AddRanges(std::span<const Column> columns, const SeriesView& series,
                 const std::vector<RestartTable::Range>& ranges) {
    if (ranges.size() == 1 && (ranges[0].bound == kNoBound || series.max_step < ranges[0].bound)) {
      Add(columns, series);
      return;
    }
    for (auto range = ranges.rbegin(); range != ranges.rend(); ++range) {
      std::uint64_t begin = 0;  // The start of the column in the series.
      for (const Column& column : columns) {
        const std::uint64_t first = std::max(begin, range->first);
        const std::uint64_t end = std::min<std::uint64_t>(begin + column.size(), range->end);
        if (first < end) AddBelow(column, first - begin, end - begin, range->bound);
        begin += column.size();
      }
    }
  }

  void FinishInto(Tag& tag) const {
    tag.min_step = min_step_;
    tag.max_step = max_step_;
    tag.steps_ascend = ascends_;
  }
  std::vector<Column> Take() { return std::move(columns_); }

 private:
  void Note(std::int64_t min_step, std::int64_t max_step, std::int64_t first, std::int64_t last,
            bool ascends) {
    if (columns_.empty()) {
      min_step_ = min_step;
      max_step_ = max_step;
    } else {
      min_step_ = std::min(min_step_, min_step);
      max_step_ = std::max(max_step_, max_step);
      ascends_ = ascends_ && first >= last_step_;
    }
    ascends_ = ascends_ && ascends;
    last_step_ = last;
  }

  // Appends the points of `column` from `first` to `end` whose step is below `bound`. Uses as few
  // slices as possible.
  void AddBelow(const Column& column, std::uint64_t first, std::uint64_t end, std::int64_t bound) {
    const auto is_void = [&](std::int64_t step) { return bound != kNoBound && step >= bound; };
    for (std::uint64_t i = first; i < end;) {
      while (i < end && is_void(StepAt(column, i))) ++i;
      const std::uint64_t begin = i;
      std::int64_t min_step = 0, max_step = 0, last = 0;
      bool ascends = true;
      for (; i < end; ++i) {
        const std::int64_t step = StepAt(column, i);
        if (is_void(step)) break;
        min_step = i == begin ? step : std::min(min_step, step);
        max_step = i == begin ? step : std::max(max_step, step);
        ascends = ascends && (i == begin || step >= last);
        last = step;
      }
      if (begin == i) continue;
      Note(min_step, max_step, StepAt(column, begin), last, ascends);
      columns_.push_back(column.Slice(begin, i - begin));
    }
  }

  std::vector<Column> columns_;
  std::int64_t min_step_ = 0;
  std::int64_t max_step_ = 0;
  std::int64_t last_step_ = 0;
  bool ascends_ = true;
};

std::vector<BlobColumnView> WithFile(std::span<const BlobColumnView> columns, std::uint32_t file) {
  std::vector<BlobColumnView> result;
  result.reserve(columns.size());
  for (const BlobColumnView& column : columns) result.push_back(column.WithFile(file));
  return result;
}

// Returns the ranges of each part that remain after all restarts. Works backwards, because later
// restarts decide which earlier points remain.
std::vector<std::vector<RestartTable::Range>> RangesOf(std::span<const Part> parts,
                                                       const RestartTable& restarts) {
  std::vector<std::vector<RestartTable::Range>> ranges(parts.size());
  std::int64_t later = kNoBound;
  for (std::size_t i = parts.size(); i-- > 0;) {
    const Part& part = parts[i];
    ranges[i] = restarts.RangesOf(part.file, part.index, SizeOf(*part.series), later);
  }
  return ranges;
}

template <typename Column>
void AddPart(Columns<Column>& into, std::span<const Column> columns, const Part& part,
             const std::vector<RestartTable::Range>* ranges) {
  if (ranges == nullptr) {
    into.Add(columns, *part.series);
  } else {
    into.AddRanges(columns, *part.series, *ranges);
  }
}

// Returns the tag of a run with a single file, as the view of the file contains it.
Tag WholeTag(const Part& part) {
  const SeriesView& series = *part.series;
  Tag tag{.info = series.info,
          .min_step = series.min_step,
          .max_step = series.max_step,
          .mismatched_count = series.mismatched_count,
          .steps_ascend = series.steps_ascend};
  // The series share the ownership of the view.
  if (!series.scalars.empty()) tag.scalars = ScalarSeries(*part.view, series.scalars);
  if (!series.blobs.empty()) tag.blobs = BlobSeries(*part.view, series.blobs);
  return tag;
}

Tag MergeTag(std::span<const Part> parts, const RestartTable& restarts) {
  // A single part can be used unchanged, unless its file is not the first one: blobs of a later
  // file need the index of the file.
  if (parts.size() == 1 && restarts.empty() && parts[0].file == 0) return WholeTag(parts[0]);
  Tag tag;
  tag.info = parts.front().series->info;
  std::vector<std::vector<RestartTable::Range>> ranges;
  if (!restarts.empty()) ranges = RangesOf(parts, restarts);

  const bool is_scalar = tag.info->kind == TagKind::kScalar;
  Columns<ScalarColumnView> scalars;
  Columns<BlobColumnView> blobs;
  std::uint64_t mismatched = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    mismatched += part.series->mismatched_count;
    if (part.series->info->kind != tag.info->kind) {
      mismatched += SizeOf(*part.series);
      continue;
    }
    const auto* part_ranges = restarts.empty() ? nullptr : &ranges[i];
    if (is_scalar) {
      AddPart<ScalarColumnView>(scalars, part.series->scalars, part, part_ranges);
    } else {
      AddPart<BlobColumnView>(blobs, WithFile(part.series->blobs, part.file), part, part_ranges);
    }
  }
  if (is_scalar) {
    scalars.FinishInto(tag);
    tag.scalars = ScalarSeries(scalars.Take());
  } else {
    blobs.FinishInto(tag);
    tag.blobs = BlobSeries(blobs.Take());
  }
  tag.mismatched_count = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(mismatched, std::numeric_limits<std::uint32_t>::max()));
  return tag;
}

// The tags of all files, sorted by name, then by file, then by their position in the file.
std::vector<Part> SortedParts(std::span<const std::shared_ptr<const FileView>> files) {
  std::vector<Part> parts;
  std::size_t count = 0;
  for (const std::shared_ptr<const FileView>& file : files) count += file->series.size();
  parts.reserve(count);
  for (std::uint32_t file = 0; file < files.size(); ++file) {
    const std::vector<SeriesView>& series = files[file]->series;
    for (std::uint32_t i = 0; i < series.size(); ++i)
      parts.push_back({&files[file], &series[i], file, i});
  }
  std::ranges::sort(parts, [](const Part& a, const Part& b) {
    if (a.series->info != b.series->info) {
      const int order = a.series->info->name.compare(b.series->info->name);
      if (order != 0) return order < 0;
    }
    return std::tie(a.file, a.index) < std::tie(b.file, b.index);
  });
  return parts;
}

}  // namespace

std::shared_ptr<const Run> MergeRun(std::string name, std::filesystem::path directory,
                                    std::span<const std::shared_ptr<const FileView>> files,
                                    const MergeOptions& options) {
  auto run = std::make_shared<Run>();
  run->name = std::move(name);
  run->directory = std::move(directory);
  run->version = options.version;
  for (const std::shared_ptr<const FileView>& file : files) {
    run->files.emplace_back(file, &file->file);  // Shares the ownership of the view.
    run->damage_count += file->damage_count;
    for (const Damage& damage : file->damage) {
      if (run->damage.size() < kMaxReportedDamage) run->damage.push_back(damage);
    }
    run->event_count += file->event_count;
    run->first_wall_time_seconds =
        std::min(run->first_wall_time_seconds, file->first_wall_time_seconds);
    run->newest_wall_time_seconds =
        std::max(run->newest_wall_time_seconds, file->newest_wall_time_seconds);
  }

  const RestartTable restarts(files, options.purge);
  const std::vector<Part> parts = SortedParts(files);
  run->tags.reserve(parts.size());
  for (std::size_t first = 0; first < parts.size();) {
    const std::string& tag = parts[first].series->info->name;
    std::size_t end = first + 1;
    while (end < parts.size() && (parts[end].series->info == parts[first].series->info ||
                                  parts[end].series->info->name == tag)) {
      ++end;
    }
    run->tags.push_back(MergeTag(std::span(parts).subspan(first, end - first), restarts));
    first = end;
  }
  return run;
}

}  // namespace cboard::reader
