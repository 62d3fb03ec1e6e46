#include "reader/index/stored_file.h"

#include <algorithm>
#include <vector>

#include "cboard/record/crc32c.h"
#include "reader/index/stored_bytes.h"
#include "reader/index/tag_info_table.h"

namespace cboard::reader {
namespace {

tl::unexpected<Error> Damaged(std::string_view what) {
  return Fail(ErrorCode::kDataLoss, "stored index: " + std::string(what));
}

TagInfoView TakeInfo(BytesIn& in) {
  TagInfoView info;
  info.name = in.TakeText();
  info.kind = static_cast<TagKind>(in.Take<std::uint8_t>());
  info.plugin_name = in.TakeText();
  info.plugin_content = in.TakeText();
  info.display_name = in.TakeText();
  info.description = in.TakeText();
  return info;
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

// The blocks of the columns that have several, and those of blobs, in lists that views look at.
// Most scalar columns have one block, which is part of their view.
struct BlockLists {
  std::shared_ptr<const void> bytes_owner;
  std::vector<ColumnBlock> scalars;
  std::vector<const ColumnBlock*> scalar_pointers;
  std::vector<BlobBlock> blobs;

  // How much may come. Members stay where they are.
  std::size_t max_scalars = 0;
  std::size_t max_blobs = 0;

  bool ReserveScalars(std::size_t more) {
    scalars.reserve(max_scalars);
    scalar_pointers.reserve(max_scalars);
    return more <= max_scalars - scalars.size();
  }
};

void TakeTotals(BytesIn& in, FileView& view, LogState& state) {
  view.file.size_bytes = in.Take<std::uint64_t>();
  view.file.record_count = in.Take<std::uint64_t>();
  view.file.damaged_bytes = in.Take<std::uint64_t>();
  view.read_bytes = in.Take<std::uint64_t>();
  view.file.torn_bytes = view.file.size_bytes - std::min(view.file.size_bytes, view.read_bytes);
  view.event_count = in.Take<std::uint64_t>();
  view.first_wall_time_seconds = in.Take<double>();
  view.newest_wall_time_seconds = in.Take<double>();
  state.has_version_2 = in.TakeFlag();
  state.newest_step = in.Take<std::int64_t>();
}

void TakeDamage(BytesIn& in, FileView& view) {
  view.damage_count = in.Take<std::uint64_t>();
  const std::size_t count = in.TakeCount(3 * 8);
  for (std::size_t i = 0; i < count && in.holds(); ++i) {
    Damage& damage = view.damage.emplace_back();
    damage.path = view.file.path;
    damage.offset = in.Take<std::uint64_t>();
    damage.bytes = in.Take<std::uint64_t>();
    damage.reason = in.TakeText();
  }
}

// A restart that is no session start is stored with its last count only. Real files have a few of
// them; one that is made of restarts must not take memory by the square of its size.
constexpr std::uint64_t kMaxLeftOutCounts = std::uint64_t{1} << 23;

// False if restarts name series that are not there.
bool TakeRestarts(BytesIn& in, std::size_t series_count, FileView& view) {
  const std::size_t count = in.TakeCount(8 + 1 + 4 + 8);
  std::uint64_t left_out = 0;
  for (std::size_t i = 0; i < count && in.holds(); ++i) {
    Restart& restart = view.restarts.emplace_back();
    restart.step = in.Take<std::int64_t>();
    restart.is_session_start = in.TakeFlag();
    restart.series = in.Take<std::uint32_t>();
    const std::size_t told = in.TakeCount(8);
    if (restart.is_session_start ? told > series_count
                                 : told != 1 || restart.series >= series_count) {
      return false;
    }
    if (!restart.is_session_start) {
      left_out += restart.series;
      if (left_out > kMaxLeftOutCounts) return false;
      restart.counts.resize(restart.series);
    }
    for (std::size_t k = 0; k < told; ++k) restart.counts.push_back(in.Take<std::uint64_t>());
  }
  return in.holds();
}

void TakeSteps(BytesIn& in, SeriesView& series) {
  series.min_step = in.Take<std::int64_t>();
  series.max_step = in.Take<std::int64_t>();
  series.first_step = in.Take<std::int64_t>();
  series.last_step = in.Take<std::int64_t>();
  series.steps_ascend = in.TakeFlag();
  series.mismatched_count = in.Take<std::uint32_t>();
}

// The points of a scalar series. False as below.
bool TakeScalarColumns(BytesIn& in, ByteSpan columns, const std::shared_ptr<BlockLists>& lists,
                       SeriesView& series) {
  const std::size_t count = in.TakeCount(kStoredBlockBytes);
  if (count == 1) {
    ColumnBlock block;
    if (!TakeBlock(in, columns, block)) return false;
    series.scalars.emplace_back(lists, block);
    return true;
  }
  if (count == 0) return in.holds();
  if (!lists->ReserveScalars(count)) return false;
  const std::size_t first = lists->scalars.size();
  std::uint64_t points = 0;
  for (std::size_t i = 0; i < count; ++i) {
    ColumnBlock& block = lists->scalars.emplace_back();
    if (!TakeBlock(in, columns, block)) return false;
    block.first_index = points;
    points += block.capacity;
    lists->scalar_pointers.push_back(&block);
  }
  series.scalars.emplace_back(lists, lists->scalar_pointers.data() + first, count,
                              static_cast<std::size_t>(points));
  return true;
}

// False if the blocks of the series do not lie in `columns`, or are more than were announced.
bool TakeColumns(BytesIn& in, ByteSpan columns, const std::shared_ptr<BlockLists>& lists,
                 SeriesView& series) {
  if (series.info->kind == TagKind::kScalar) {
    return TakeScalarColumns(in, columns, lists, series);
  }
  const auto at = in.Take<std::uint64_t>();
  const auto count = in.Take<std::uint64_t>();
  if (!in.holds() || at > columns.size() || count > (columns.size() - at) / sizeof(StoredBlob)) {
    return false;
  }
  if (count > 0) {
    lists->blobs.reserve(lists->max_blobs);
    lists->blobs.push_back({0, reinterpret_cast<const StoredBlob*>(columns.data() + at)});
    series.blobs.emplace_back(lists, &lists->blobs.back(), 1, static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

Result<StoredFile> DecodeStored(const std::filesystem::path& path, ByteSpan bytes,
                                std::shared_ptr<const void> owner) {
  if (bytes.size() < kStoredHeaderBytes ||
      AsText(bytes.first(kStoredMagic.size())) != kStoredMagic) {
    return Damaged("it does not begin with " + std::string(kStoredMagic));
  }
  StoredFile stored;
  stored.bytes = bytes;
  BytesIn header(bytes.subspan(kStoredMagic.size(), kStoredHeaderBytes - kStoredMagic.size()));
  const auto structure_bytes = header.Take<std::uint64_t>();
  const auto columns_bytes = header.Take<std::uint64_t>();
  const auto structure_crc = header.Take<std::uint32_t>();
  stored.columns_crc = header.Take<std::uint32_t>();
  bytes = bytes.subspan(kStoredHeaderBytes);
  if (structure_bytes > bytes.size() || columns_bytes != bytes.size() - structure_bytes) {
    return Damaged("it has another length than its header says");
  }
  const ByteSpan structure = bytes.first(static_cast<std::size_t>(structure_bytes));
  if (ComputeCrc32c(structure) != structure_crc) return Damaged("its checksum is wrong");
  stored.columns = bytes.subspan(structure.size());

  BytesIn in(structure);
  const auto view = std::make_shared<FileView>();
  view->file.path = path;
  TakeTotals(in, *view, stored.state);
  TakeDamage(in, *view);
  const std::size_t series_count = in.TakeCount(6 * 8);
  if (!TakeRestarts(in, series_count, *view)) return Damaged("its restarts do not fit its tags");
  const std::size_t block_count = in.TakeCount(kStoredBlockBytes);
  const auto lists = std::make_shared<BlockLists>();
  lists->bytes_owner = std::move(owner);
  lists->max_scalars = block_count;
  lists->max_blobs = series_count;
  view->series.reserve(series_count);
  for (std::size_t i = 0; i < series_count; ++i) {
    const TagInfoView info = TakeInfo(in);
    if (!in.holds() || info.kind > TagKind::kCustomScalars) {
      return Damaged("tag " + std::to_string(i) + " is not as it was stored");
    }
    SeriesView& series = view->series.emplace_back();
    series.info = InternView(info);
    TakeSteps(in, series);
    if (!TakeColumns(in, stored.columns, lists, series)) {
      return Damaged("the points of tag " + std::to_string(i) + " lie outside of it");
    }
  }
  if (!in.holds() || !in.at_end()) {
    return Damaged("its parts do not fit together");
  }
  stored.scalar_bytes = lists->scalars.size() * (sizeof(ColumnBlock) + sizeof(ColumnBlock*));
  stored.blob_index_bytes = lists->blobs.size() * sizeof(BlobBlock);
  stored.owner = lists;
  stored.view = view;
  return stored;
}

bool HasRightColumns(ByteSpan columns, std::uint32_t crc) { return ComputeCrc32c(columns) == crc; }

}  // namespace cboard::reader
