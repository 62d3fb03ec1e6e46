// File indexes as bytes:
//
//   "CBINDEX1"  structure_bytes:u64  columns_bytes:u64  crc(structure):u32  crc(columns):u32
//   structure   everything but points: counts, damage, restarts, tags, and where their blocks are
//   columns     the arrays of the blocks, used where they lie
//
// The structure is checked when an index is decoded, so that nothing in it can lead astray; the
// columns are only bounded then, and checked by Verify: a damaged one gives wrong numbers, not
// wrong addresses.
#include <algorithm>
#include <span>

#include "cboard/record/crc32c.h"
#include "reader/index/file_index_impl.h"
#include "reader/index/stored_bytes.h"
#include "reader/index/tag_info_table.h"

namespace cboard::reader {
namespace {

constexpr std::string_view kMagic = "CBINDEX1";
constexpr std::size_t kHeaderBytes = 32;

tl::unexpected<Error> Damaged(std::string_view what) {
  return Fail(ErrorCode::kDataLoss, "stored index: " + std::string(what));
}

void PutInfo(const TagInfo& info, BytesOut& out) {
  out.PutText(info.name);
  out.Put(static_cast<std::uint8_t>(info.kind));
  out.PutText(info.plugin_name);
  out.PutText(info.plugin_content);
  out.PutText(info.display_name);
  out.PutText(info.description);
}

TagInfo TakeInfo(BytesIn& in) {
  TagInfo info;
  info.name = in.TakeText();
  info.kind = static_cast<TagKind>(in.Take<std::uint8_t>());
  info.plugin_name = in.TakeText();
  info.plugin_content = in.TakeText();
  info.display_name = in.TakeText();
  info.description = in.TakeText();
  return info;
}

constexpr std::size_t kBlockBytes = 3 * 8 + 8 + 4 + 3;  // What PutBlock puts.

// Appends the arrays of the block to `columns`, without their spare room.
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

// False if the block does not lie in `columns`.
bool TakeBlock(BytesIn& in, ByteSpan columns, ColumnBlock& block) {
  block.step_base = in.Take<std::uint64_t>();
  block.stride = in.Take<std::uint64_t>();
  block.wall_base = in.Take<std::uint64_t>();
  const auto at = in.Take<std::uint64_t>();
  block.capacity = in.Take<std::uint32_t>();
  block.layout.step_bytes = in.Take<std::uint8_t>();
  block.layout.wall_bytes = in.Take<std::uint8_t>();
  block.layout.value_bytes = in.Take<std::uint8_t>();
  const auto is_width = [](std::uint8_t bytes) { return bytes == 4 || bytes == 8; };
  if (!in.holds() || block.capacity == 0 || !is_width(block.layout.wall_bytes) ||
      !is_width(block.layout.value_bytes) ||
      (block.layout.step_bytes != 0 && !is_width(block.layout.step_bytes)) || at > columns.size() ||
      block.capacity * block.layout.point_bytes() > columns.size() - at) {
    return false;
  }
  block.data = columns.data() + at;
  return true;
}

void PutStored(const BlobEntry& entry, std::string& columns) {
  const StoredBlob blob{.step = entry.step,
                        .wall_time_seconds = entry.wall_time_seconds,
                        .record_offset = entry.record_offset,
                        .record_bytes = entry.record_bytes,
                        .value_offset = entry.value_offset,
                        .value_bytes = entry.value_bytes};
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

void TakeSteps(BytesIn& in, Series& series) {
  series.min_step = in.Take<std::int64_t>();
  series.max_step = in.Take<std::int64_t>();
  series.first_step = in.Take<std::int64_t>();
  series.last_step = in.Take<std::int64_t>();
  series.has_steps = true;  // A tag is known by its first point.
  series.steps_ascend = in.TakeFlag();
  series.mismatched_count = in.Take<std::uint32_t>();
}

// False if the columns of the series do not lie in `columns`.
bool TakeColumns(BytesIn& in, ByteSpan columns, Series& series) {
  if (series.info->kind == TagKind::kScalar) {
    const std::size_t block_count = in.TakeCount(kBlockBytes);
    series.scalars.ReserveBlocks(block_count);
    for (std::size_t i = 0; i < block_count; ++i) {
      ColumnBlock block;
      if (!TakeBlock(in, columns, block)) return false;
      series.scalars.Adopt(block, block.capacity);
    }
    return in.holds();
  }
  const auto at = in.Take<std::uint64_t>();
  const auto count = in.Take<std::uint64_t>();
  if (!in.holds() || at > columns.size() || count > (columns.size() - at) / sizeof(StoredBlob)) {
    return false;
  }
  series.blobs.Adopt(columns.data() + at, static_cast<std::size_t>(count));
  return true;
}

void PutTotals(const FileView& view, const LogState& state, BytesOut& out) {
  out.Put(view.file.size_bytes);
  out.Put(view.file.record_count);
  out.Put(view.file.damaged_bytes);
  out.Put(view.read_bytes);
  out.Put(view.event_count);
  out.Put(view.first_wall_time_seconds);
  out.Put(view.newest_wall_time_seconds);
  out.Put(std::uint8_t{state.has_version_2});
  out.Put(state.newest_step);

  out.Put(view.damage_count);
  out.Put(std::uint64_t{view.damage.size()});
  for (const Damage& damage : view.damage) {
    out.Put(damage.offset);
    out.Put(damage.bytes);
    out.PutText(damage.reason);
  }
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

void TakeDamage(BytesIn& in, PartIndex& index) {
  index.damage_count = in.Take<std::uint64_t>();
  const std::size_t count = in.TakeCount(3 * 8);
  for (std::size_t i = 0; i < count && in.holds(); ++i) {
    PartDamage& damage = index.damage.emplace_back();
    damage.offset = in.Take<std::uint64_t>();
    damage.bytes = in.Take<std::uint64_t>();
    damage.reason = in.TakeText();
  }
}

void TakeRestarts(BytesIn& in, PartIndex& index) {
  const std::size_t count = in.TakeCount(8 + 1 + 4 + 8);
  for (std::size_t i = 0; i < count && in.holds(); ++i) {
    PartRestart& restart = index.restarts.emplace_back();
    restart.step = in.Take<std::int64_t>();
    restart.is_session_start = in.TakeFlag();
    restart.series = in.Take<std::uint32_t>();
    const std::size_t counts = in.TakeCount(8);
    for (std::size_t k = 0; k < counts; ++k) restart.counts.push_back(in.Take<std::uint64_t>());
  }
}

// Whether restarts name series that are there.
bool RestartsFit(const PartIndex& index) {
  const std::size_t series_count = index.series.size();
  return std::ranges::all_of(index.restarts, [&](const PartRestart& restart) {
    return restart.is_session_start ? restart.counts.size() <= series_count
                                    : restart.series < series_count && restart.counts.size() == 1;
  });
}

}  // namespace

void FileIndex::Impl::AppendEncoded(std::string& out) const {
  const std::shared_ptr<const FileView> view = View();
  BytesOut structure;
  std::string columns;
  PutTotals(*view, parts_.back()->index.state, structure);
  structure.Put(std::uint64_t{joined_.size()});
  for (std::size_t i = 0; i < joined_.size(); ++i) {
    PutInfo(*joined_[i].info, structure);
    PutSteps(view->series[i], structure);
    if (joined_[i].info->kind == TagKind::kScalar) {
      std::uint64_t block_count = 0;
      BytesOut blocks;
      for (const auto& [part, number] : joined_[i].members) {
        parts_[part]->index.series[number].scalars.ForEachBlock(
            [&](const ColumnBlock& block, std::size_t count) {
              ++block_count;
              PutBlock(block, count, blocks, columns);
            });
      }
      structure.Put(block_count);
      structure.PutRaw(blocks.bytes());
    } else {
      structure.Put(std::uint64_t{columns.size()});
      std::uint64_t count = 0;
      for (const BlobColumnView& blobs : view->series[i].blobs) count += blobs.size();
      structure.Put(count);
      for (const BlobColumnView& blobs : view->series[i].blobs) {
        for (std::size_t k = 0; k < blobs.size(); ++k) PutStored(blobs.at(k), columns);
      }
    }
  }
  BytesOut header;
  header.PutRaw(kMagic);
  header.Put(std::uint64_t{structure.bytes().size()});
  header.Put(std::uint64_t{columns.size()});
  header.Put(ComputeCrc32c(AsBytes(structure.bytes())));
  header.Put(ComputeCrc32c(AsBytes(columns)));
  out += header.bytes();
  out += structure.bytes();
  out += columns;
}

Result<void> FileIndex::Impl::Decode(ByteSpan bytes, std::shared_ptr<const void> owner) {
  if (bytes.size() < kHeaderBytes || AsText(bytes.first(kMagic.size())) != kMagic) {
    return Damaged("it does not begin with " + std::string(kMagic));
  }
  BytesIn header(bytes.subspan(kMagic.size(), kHeaderBytes - kMagic.size()));
  const auto structure_bytes = header.Take<std::uint64_t>();
  const auto columns_bytes = header.Take<std::uint64_t>();
  const auto structure_crc = header.Take<std::uint32_t>();
  stored_crc_ = header.Take<std::uint32_t>();
  bytes = bytes.subspan(kHeaderBytes);
  if (structure_bytes > bytes.size() || columns_bytes != bytes.size() - structure_bytes) {
    return Damaged("it has another length than its header says");
  }
  const ByteSpan structure = bytes.first(static_cast<std::size_t>(structure_bytes));
  if (ComputeCrc32c(structure) != structure_crc) return Damaged("its checksum is wrong");
  stored_columns_ = bytes.subspan(structure.size());

  Part& part = *parts_.back();
  PartIndex& index = part.index;
  BytesIn in(structure);
  size_bytes_ = in.Take<std::uint64_t>();
  index.record_count = in.Take<std::uint64_t>();
  index.damaged_bytes = in.Take<std::uint64_t>();
  part.end = in.Take<std::uint64_t>();
  index.event_count = in.Take<std::uint64_t>();
  index.first_wall_time_seconds = in.Take<double>();
  index.newest_wall_time_seconds = in.Take<double>();
  index.state.has_version_2 = in.TakeFlag();
  index.state.newest_step = in.Take<std::int64_t>();
  TakeDamage(in, index);
  TakeRestarts(in, index);
  const std::size_t series_count = in.TakeCount(6 * 8);
  for (std::size_t i = 0; i < series_count; ++i) {
    TagInfo info = TakeInfo(in);
    if (!in.holds() || info.kind > TagKind::kCustomScalars || index.series.Find(info.name) >= 0) {
      return Damaged("tag " + std::to_string(i) + " is not as it was stored");
    }
    Series& series = index.series[index.series.Add(Intern(std::move(info)))];
    TakeSteps(in, series);
    if (!TakeColumns(in, stored_columns_, series)) {
      return Damaged("the points of tag " + std::to_string(i) + " lie outside of it");
    }
  }
  if (!in.holds() || !in.at_end() || !RestartsFit(index)) {
    return Damaged("its parts do not fit together");
  }
  index.series.scalar_arena()->Keep(owner);
  index.series.blob_arena()->Keep(std::move(owner));
  JoinNewSeries(0);
  return {};
}

bool FileIndex::Impl::Verify() const { return ComputeCrc32c(stored_columns_) == stored_crc_; }

}  // namespace cboard::reader
