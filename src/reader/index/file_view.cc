// Builds one view of all parts of a file.
#include <algorithm>

#include "cboard/record/crc32c.h"
#include "cboard/record/record_reader.h"
#include "reader/index/file_index_impl.h"

namespace cboard::reader {

std::optional<std::uint64_t> SumOfCrcs(const File& file, std::uint64_t end) {
  record::FileSource source(file);
  record::RecordReader reader(source);
  std::uint64_t sum = 0;
  while (reader.offset() < end) {
    const Result<record::Record> record = reader.Next();
    if (record) {
      sum += record::ToInteger(record::ComputeMaskedCrc(record->payload));
    } else if (record.error().code == ErrorCode::kTruncated) {
      break;
    } else if (record.error().code != ErrorCode::kDataLoss) {
      return std::nullopt;
    }
  }
  if (source.file().error()) return std::nullopt;  // Some records cannot be read now.
  return sum;
}

std::shared_ptr<const FileView> FileIndex::Impl::View() const {
  return stored_ ? stored_->view : ViewParts().view;
}

FileIndex::Impl::Viewed FileIndex::Impl::ViewParts() const {
  auto view = std::make_shared<FileView>();
  if (!parts_.empty()) view->read_bytes = parts_.back()->end;
  view->file.path = path_;
  view->file.size_bytes = size_bytes_;
  view->file.torn_bytes = size_bytes_ - std::min(size_bytes_, view->read_bytes);
  view->file.error = error_;
  for (const auto& part : parts_) {
    const PartIndex& index = part->index;
    view->file.record_count += index.record_count;
    view->file.damaged_bytes += index.damaged_bytes;
    view->damage_count += index.damage_count;
    view->event_count += index.event_count;
    view->crc_sum += index.crc_sum;
    view->first_wall_time_seconds =
        std::min(view->first_wall_time_seconds, index.first_wall_time_seconds);
    view->newest_wall_time_seconds =
        std::max(view->newest_wall_time_seconds, index.newest_wall_time_seconds);
    for (const PartDamage& damage : index.damage) {
      if (view->damage.size() == kMaxReportedDamage) break;
      view->damage.push_back(
          {{path_, damage.offset, damage.bytes, damage.reason}, damage.is_record});
    }
  }
  const auto columns = std::make_shared<FileColumns>();
  std::size_t scalar_count = 0, blob_count = 0;
  for (const Joined& joined : joined_) {
    (joined.info->kind == TagKind::kScalar ? scalar_count : blob_count) += joined.members.size();
  }
  // Reserves all space first: then the columns do not move, and series may point to them.
  columns->scalars.reserve(scalar_count);
  columns->blobs.reserve(blob_count);
  view->series.reserve(joined_.size());
  for (const Joined& joined : joined_) view->series.push_back(ViewOf(joined, *columns));
  view->columns = columns;
  view->restarts = Restarts();
  return {std::move(view), columns};
}

// Returns a view of one tag. Appends its columns to `columns`, which must have enough reserved
// space.
SeriesView FileIndex::Impl::ViewOf(const Joined& joined, FileColumns& columns) const {
  SeriesView view{.info = joined.info};
  const std::size_t first_scalar = columns.scalars.size(), first_blob = columns.blobs.size();
  bool has_points = false;
  for (const auto& [part, number] : joined.members) {
    const SeriesTable& table = parts_[part]->index.series;
    const Series& series = table[number];
    view.mismatched_count += series.mismatched_count;
    if (series.size() == 0) continue;
    if (!has_points) {
      has_points = true;
      view.min_step = series.min_step;
      view.max_step = series.max_step;
      view.first_step = series.first_step;
    } else {
      view.steps_ascend = view.steps_ascend && series.first_step >= view.last_step;
    }
    view.min_step = std::min(view.min_step, series.min_step);
    view.max_step = std::max(view.max_step, series.max_step);
    view.last_step = series.last_step;
    view.steps_ascend = view.steps_ascend && series.steps_ascend;
    if (joined.info->kind == TagKind::kScalar) {
      columns.scalars.push_back(series.scalars.View(table.scalar_arena()));
    } else {
      columns.blobs.push_back(series.blobs.View(table.blob_arena()));
    }
  }
  view.scalars = std::span(columns.scalars).subspan(first_scalar);
  view.blobs = std::span(columns.blobs).subspan(first_blob);
  return view;
}

std::vector<Restart> FileIndex::Impl::Restarts() const {
  std::vector<Restart> restarts;
  // The number of points of each series in all earlier parts.
  std::vector<std::uint64_t> before(joined_.size());
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const PartIndex& index = parts_[k]->index;
    for (const PartRestart& restart : index.restarts) {
      Restart whole{.step = restart.step, .is_session_start = restart.is_session_start};
      if (restart.is_session_start) {
        whole.counts = before;
        for (std::size_t i = 0; i < restart.counts.size(); ++i) {
          whole.counts[numbers_[k][i]] += restart.counts[i];
        }
        while (!whole.counts.empty() && whole.counts.back() == 0) whole.counts.pop_back();
      } else {
        whole.series = numbers_[k][restart.series];
        whole.counts.resize(whole.series + std::size_t{1});
        whole.counts.back() = before[whole.series] + restart.counts[0];
      }
      restarts.push_back(std::move(whole));
    }
    for (std::size_t i = 0; i < index.series.size(); ++i) {
      before[numbers_[k][i]] += index.series[i].size();
    }
  }
  return restarts;
}

}  // namespace cboard::reader
