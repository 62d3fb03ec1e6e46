// Encodes an index in the format that stored_file.h describes.
#include <array>
#include <span>
#include <vector>

#include "cboard/record/crc32c.h"
#include "reader/index/file_index_impl.h"
#include "reader/index/stored_bytes.h"
#include "reader/index/stored_file.h"

namespace cboard::reader {
namespace {

void PutInfo(const TagInfo& info, BytesOut& out) {
  out.PutText(info.name);
  out.Put(static_cast<std::uint8_t>(info.kind));
  out.PutText(info.plugin_name);
  out.PutText(info.plugin_content);
  out.PutText(info.display_name);
  out.PutText(info.description);
  out.Put(static_cast<std::int32_t>(info.data_class));
}

// Appends the arrays of the block to `columns`. Omits the unused space of the arrays.
void PutBlock(const ColumnBlock& block, std::size_t count, BytesOut& out, std::string& columns) {
  out.Put(block.step_base);
  out.Put(block.stride);
  out.Put(block.wall_base);
  out.Put(std::uint64_t{columns.size()});
  out.Put(static_cast<std::uint32_t>(count));
  out.Put(block.layout.step_bytes);
  out.Put(block.layout.wall_bytes);
  out.Put(block.layout.value_bytes);
  const auto append = [&](std::size_t at, std::size_t element_bytes) {
    columns += AsText({block.data + at, count * element_bytes});
  };
  append(0, block.layout.wall_bytes);
  append(block.values_at(), block.layout.value_bytes);
  append(block.steps_at(), block.layout.step_bytes);
}

constexpr std::size_t kFewPoints = 1024;

std::size_t PointsIn(std::span<const ScalarColumnView> columns) {
  std::size_t points = 0;
  for (const ScalarColumnView& column : columns) points += column.size();
  return points;
}

// Merges a few points into as few blocks as possible. A column begins with small blocks, because
// its length is not known in advance. If there are thousands of short columns, they load faster
// after merging.
ScalarColumn Repacked(std::span<const ScalarColumnView> columns, Arena& arena) {
  std::array<std::int64_t, kFewPoints> steps;
  std::array<double, kFewPoints> walls, values;
  ScalarColumn packed(arena);
  std::size_t left = PointsIn(columns);
  for (const ScalarColumnView& column : columns) {
    column.Read(0, column.size(), steps.data(), walls.data(), values.data());
    for (std::size_t i = 0; i < column.size(); ++i) {
      packed.Append(steps[i], walls[i], values[i], --left);
    }
  }
  return packed;
}

void PutStored(const BlobEntry& entry, std::string& columns) {
  const StoredBlob blob = ToStored(entry);
  columns += AsText(std::as_bytes(std::span(&blob, 1)));
}

void PutSteps(const SeriesView& view, BytesOut& out) {
  out.Put(view.min_step);
  out.Put(view.max_step);
  out.Put(view.first_step);
  out.Put(view.last_step);
  out.Put(std::uint8_t{view.steps_ascend});
  out.Put(view.mismatched_count);
}

void PutTotals(const FileView& view, const LogState& state, BytesOut& out) {
  out.Put(view.file.size_bytes);
  out.Put(view.file.record_count);
  out.Put(view.file.damaged_bytes);
  out.Put(view.read_bytes);
  out.Put(view.event_count);
  out.Put(view.crc_sum);
  out.Put(view.first_wall_time_seconds);
  out.Put(view.newest_wall_time_seconds);
  out.Put(std::uint8_t{state.has_version_2});
  out.Put(state.newest_step);

  out.Put(view.damage_count);
  out.Put(std::uint64_t{view.damage.size()});
  for (const FileDamage& damage : view.damage) {
    out.Put(damage.offset);
    out.Put(damage.bytes);
    out.PutText(damage.reason);
    out.Put(std::uint8_t{damage.is_record});
  }
}

void PutRestarts(const FileView& view, BytesOut& out) {
  out.Put(std::uint64_t{view.restarts.size()});
  for (const Restart& restart : view.restarts) {
    out.Put(restart.step);
    out.Put(std::uint8_t{restart.is_session_start});
    out.Put(restart.series);
    const std::span<const std::uint64_t> counts(restart.counts);
    const auto told = restart.is_session_start ? counts : counts.last(1);
    out.Put(std::uint64_t{told.size()});
    for (const std::uint64_t count : told) out.Put(count);
  }
}

}  // namespace

EncodedIndex FileIndex::Impl::Encode() const {
  if (!stored_) return EncodeParts();
  if (stored_->columns != nullptr) {
    return {std::string(AsText(stored_->encoded.structure)),
            std::string(AsText(stored_->encoded.columns))};
  }
  Impl parts(path_);
  parts.stored_ = stored_;
  parts.MakePartOfStored();
  return parts.EncodeParts();
}

EncodedIndex FileIndex::Impl::EncodeParts() const {
  const std::shared_ptr<const FileView> view = View();
  BytesOut structure;
  std::string columns;
  PutTotals(*view, parts_.empty() ? LogState{} : parts_.back()->index.state, structure);
  structure.Put(std::uint64_t{joined_.size()});
  PutRestarts(*view, structure);
  std::uint64_t all_blocks = 0;
  BytesOut tags;
  for (std::size_t i = 0; i < joined_.size(); ++i) {
    PutInfo(*joined_[i].info, tags);
    PutSteps(view->series[i], tags);
    if (joined_[i].info->kind == TagKind::kScalar) {
      std::uint64_t block_count = 0;
      BytesOut blocks;
      const auto put = [&](const ColumnBlock& block, std::size_t count) {
        ++block_count;
        PutBlock(block, count, blocks, columns);
      };
      if (PointsIn(view->series[i].scalars) <= kFewPoints) {
        Arena arena;
        Repacked(view->series[i].scalars, arena).ForEachBlock(put);
      } else {
        for (const auto& [part, number] : joined_[i].members) {
          parts_[part]->index.series[number].scalars.ForEachBlock(put);
        }
      }
      all_blocks += block_count;
      tags.Put(block_count);
      tags.PutRaw(blocks.bytes());
    } else {
      tags.Put(std::uint64_t{columns.size()});
      std::uint64_t count = 0;
      for (const BlobColumnView& blobs : view->series[i].blobs) count += blobs.size();
      tags.Put(count);
      for (const BlobColumnView& blobs : view->series[i].blobs) {
        for (std::size_t k = 0; k < blobs.size(); ++k) PutStored(blobs.at(k), columns);
      }
    }
  }
  structure.Put(all_blocks);
  structure.PutRaw(tags.bytes());
  BytesOut checked;
  checked.Put(record::ComputeCrc32c(AsBytes(columns)));
  checked.Put(std::uint64_t{columns.size()});
  checked.PutRaw(structure.bytes());
  BytesOut encoded;
  encoded.PutRaw(kStoredMagic);
  encoded.Put(record::ComputeCrc32c(AsBytes(checked.bytes())));
  encoded.PutRaw(checked.bytes());
  return {encoded.bytes(), std::move(columns)};
}

}  // namespace cboard::reader
