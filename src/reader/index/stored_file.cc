#include "reader/index/stored_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "cboard/record/crc32c.h"
#include "reader/index/stored_bytes.h"
#include "reader/index/tag_info_table.h"

namespace cboard::reader {
namespace {

tl::unexpected<Error> Damaged(std::string_view what) {
  return Fail(ErrorCode::kDataLoss, "the stored index is damaged: " + std::string(what));
}

TagInfoView TakeInfo(BytesIn& in) {
  TagInfoView info;
  info.name = in.TakeText();
  info.kind = static_cast<TagKind>(in.Take<std::uint8_t>());
  info.plugin_name = in.TakeText();
  info.plugin_content = in.TakeText();
  info.display_name = in.TakeText();
  info.description = in.TakeText();
  info.data_class = static_cast<proto::DataClass>(in.Take<std::int32_t>());
  return info;
}

// Reads the description of a block. Returns false if the block is not inside `columns`.
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

// The lists of blocks that views refer to: the blocks of blob columns, and of scalar columns with
// several blocks. Most scalar columns have a single block, which is part of their view.
struct BlockLists {
  BlockLists(std::shared_ptr<const void> owner, const std::string& path, const EncodedView& encoded,
             std::uint32_t columns_crc)
      : bytes_owner(std::move(owner)), columns(path, encoded, columns_crc) {}

  std::shared_ptr<const void> bytes_owner;
  StoredColumns columns;
  std::shared_ptr<const TagInfoList> infos;
  std::vector<ColumnBlock> scalars;
  std::vector<const ColumnBlock*> scalar_pointers;
  std::vector<BlobBlock> blobs;

  // Maximum number of scalar blocks. Memory is reserved for all of them, so that they do not move.
  std::size_t max_scalars = 0;

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
  view.crc_sum = in.Take<std::uint64_t>();
  view.first_wall_time_seconds = in.Take<double>();
  view.newest_wall_time_seconds = in.Take<double>();
  state.has_version_2 = in.TakeFlag();
  state.newest_step = in.Take<std::int64_t>();
}

void TakeDamage(BytesIn& in, FileView& view) {
  view.damage_count = in.Take<std::uint64_t>();
  const std::size_t count = in.TakeCount(3 * 8);
  for (std::size_t i = 0; i < count && in.holds(); ++i) {
    FileDamage& damage = view.damage.emplace_back();
    damage.path = view.file.path;
    damage.offset = in.Take<std::uint64_t>();
    damage.bytes = in.Take<std::uint64_t>();
    damage.reason = in.TakeText();
    damage.is_record = in.TakeFlag();
  }
}

// Maximum number of counts that restarts leave out. A restart that is not a session start is stored
// with its last count only. Real files have few such restarts. A crafted file may consist of them;
// without the limit, its index would need memory in proportion to the square of its size.
constexpr std::uint64_t kMaxLeftOutCounts = std::uint64_t{1} << 23;

// Reads the restarts. Returns false if a restart refers to a series that does not exist.
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

// Decodes the series of one file.
class SeriesDecoder {
 public:
  // Creates a decoder of at most `series_count` tags and `block_count` blocks. The blocks are
  // inside `points`.
  SeriesDecoder(ByteSpan points, std::shared_ptr<BlockLists> lists, std::size_t series_count,
                std::size_t block_count)
      : points_(points), max_series_(series_count), lists_(std::move(lists)) {
    lists_->max_scalars = block_count;
  }

  // Reads the columns of a series. Returns false if a block is not inside `points`, or if there are
  // more blocks than the header says.
  bool TakeColumns(BytesIn& in, SeriesView& series) {
    return series.info->kind == TagKind::kScalar ? TakeScalars(in, series) : TakeBlobs(in, series);
  }

  // Returns a pointer to `info` that keeps the lists of the file alive. All pointers of a file
  // share one reference count. With a count per info, threads that decode other files would wait
  // for each other.
  std::shared_ptr<const TagInfo> Own(const TagInfo* info) const { return {lists_, info}; }

  std::shared_ptr<BlockLists> Finish(TagInfoMemory& tags, FileView& view) {
    lists_->infos = tags.Finish();
    view.columns = std::move(columns_);
    return std::move(lists_);
  }

 private:
  bool TakeScalars(BytesIn& in, SeriesView& series) {
    const std::size_t count = in.TakeCount(kStoredBlockBytes);
    if (count == 0) return in.holds();
    columns_->scalars.reserve(max_series_);
    if (count == 1) {
      ColumnBlock block;
      if (!TakeBlock(in, points_, block)) return false;
      columns_->scalars.emplace_back(lists_, block, &lists_->columns);
    } else {
      if (!lists_->ReserveScalars(count)) return false;
      const std::size_t first = lists_->scalars.size();
      std::uint64_t points = 0;
      for (std::size_t i = 0; i < count; ++i) {
        ColumnBlock& block = lists_->scalars.emplace_back();
        if (!TakeBlock(in, points_, block)) return false;
        block.first_index = points;
        points += block.capacity;
        lists_->scalar_pointers.push_back(&block);
      }
      columns_->scalars.emplace_back(lists_, lists_->scalar_pointers.data() + first, count,
                                     static_cast<std::size_t>(points), &lists_->columns);
    }
    series.scalars = std::span(columns_->scalars).last(1);
    return true;
  }

  bool TakeBlobs(BytesIn& in, SeriesView& series) {
    const auto at = in.Take<std::uint64_t>();
    const auto count = in.Take<std::uint64_t>();
    if (!in.holds() || at > points_.size() || count > (points_.size() - at) / sizeof(StoredBlob)) {
      return false;
    }
    if (count == 0) return true;
    lists_->blobs.reserve(max_series_);
    columns_->blobs.reserve(max_series_);
    lists_->blobs.push_back({.blobs = points_.data() + at});
    columns_->blobs.emplace_back(lists_, &lists_->blobs.back(), 1, static_cast<std::size_t>(count),
                                 &lists_->columns);
    series.blobs = std::span(columns_->blobs).last(1);
    return true;
  }

  ByteSpan points_;
  std::size_t max_series_;
  std::shared_ptr<BlockLists> lists_;
  std::shared_ptr<FileColumns> columns_ = std::make_shared<FileColumns>();
};

const SeriesView* FindSeries(const FileView& view, const TagInfo& info) {
  const auto found = std::ranges::find_if(view.series, [&](const SeriesView& series) {
    return series.info->name == info.name && series.info->kind == info.kind;
  });
  return found == view.series.end() ? nullptr : &*found;
}

// Stores a number in 8 bytes (`wide`), or in fewer bytes (`narrow`), as `bytes` says. Returns false
// if the number does not fit into fewer bytes.
template <typename Narrow, typename Wide>
bool StoreAs(std::uint8_t bytes, std::byte* array, std::size_t index, Wide wide, Narrow narrow,
             bool fits) {
  if (bytes == sizeof(Wide)) {
    std::memcpy(array + index * sizeof wide, &wide, sizeof wide);
    return true;
  }
  std::memcpy(array + index * sizeof narrow, &narrow, sizeof narrow);
  return fits;
}

// Stores a point as point `index` of a block. Returns false if it does not fit.
bool StorePoint(const StoredScalars& block, std::byte* steps, std::byte* walls, std::byte* values,
                std::size_t index, const ScalarPoint& point) {
  constexpr std::uint64_t kMaxDistance = std::numeric_limits<std::uint32_t>::max();
  const auto step = static_cast<std::uint64_t>(point.step);
  const std::uint64_t far_step = step - block.step_base;
  const std::uint64_t far_wall =
      std::bit_cast<std::uint64_t>(point.wall_time_seconds) - block.wall_time_base;
  const bool step_holds = block.step_bytes == 0 ? step == block.step_base + index * block.stride
                                                : StoreAs(block.step_bytes, steps, index, step,
                                                          static_cast<std::uint32_t>(far_step),
                                                          far_step <= kMaxDistance);
  const auto value = static_cast<float>(point.value);
  return StoreAs(block.wall_time_bytes, walls, index, point.wall_time_seconds,
                 static_cast<std::uint32_t>(far_wall), far_wall <= kMaxDistance) &&
         StoreAs(block.value_bytes, values, index, point.value, value,
                 static_cast<double>(value) == point.value || std::isnan(point.value)) &&
         step_holds;
}

// Replaces the points of `stored` by the points of `found`. If `found` has too few points, all
// values become NaN. From the first point that does not fit into its block on, values become NaN
// too.
template <typename InRoom>
void RefillScalars(const ScalarColumnView& stored, const SeriesView* found, const InRoom& in_room) {
  ScalarSeries points;
  if (found != nullptr) {
    points =
        ScalarSeries(std::vector<ScalarColumnView>(found->scalars.begin(), found->scalars.end()));
  }
  std::size_t done = 0;
  bool holds = points.size() >= stored.size();
  stored.ForEachStored([&](const StoredScalars& block) {
    std::byte* const steps = in_room(block.steps);
    std::byte* const walls = in_room(block.wall_times_seconds);
    std::byte* const values = in_room(block.values);
    std::size_t index = 0;
    const auto store = [&](const ScalarBlock& some) {
      for (std::size_t i = 0; i < some.steps.size() && holds; ++i, ++index) {
        holds = StorePoint(block, steps, walls, values, index,
                           {some.steps[i], some.wall_times_seconds[i], some.values[i]});
      }
    };
    if (holds) points.ForEachBlock(done, block.count, store);
    for (index = holds ? block.count : 0; index < block.count; ++index) {
      constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
      StoreAs(block.value_bytes, values, index, kNan, static_cast<float>(kNan), true);
    }
    done += block.count;
  });
}

void RefillBlobs(std::size_t count, const SeriesView* found, std::byte* room) {
  if (found == nullptr) return;
  std::size_t done = 0;
  for (const BlobColumnView& blobs : found->blobs) {
    for (std::size_t i = 0; i < blobs.size() && done < count; ++i, ++done) {
      const StoredBlob blob = ToStored(blobs.at(i));
      std::memcpy(room + done * sizeof blob, &blob, sizeof blob);
    }
  }
}

}  // namespace

Result<StoredFile> DecodeStored(const std::string& path, const EncodedView& encoded,
                                std::shared_ptr<const void> owner, TagInfoMemory& tags) {
  const ByteSpan structure = encoded.structure;
  if (structure.size() < kStoredHeaderBytes ||
      AsText(structure.first(kStoredMagic.size())) != kStoredMagic) {
    return Damaged("the first bytes must be " + std::string(kStoredMagic));
  }
  StoredFile stored;
  stored.encoded = encoded;
  BytesIn in(structure.subspan(kStoredMagic.size()));
  const auto crc = in.Take<std::uint32_t>();
  if (record::ComputeCrc32c(structure.subspan(kStoredMagic.size() + sizeof crc)) != crc) {
    return Damaged("its checksum is wrong");
  }
  const auto columns_crc = in.Take<std::uint32_t>();
  if (in.Take<std::uint64_t>() != encoded.columns.size()) {
    return Damaged("the number of its points was changed");
  }

  const auto view = std::make_shared<FileView>();
  view->file.path = path;
  TakeTotals(in, *view, stored.state);
  TakeDamage(in, *view);
  const std::size_t series_count = in.TakeCount(6 * 8);
  if (!TakeRestarts(in, series_count, *view))
    return Damaged("its restarts and its tags contradict each other");
  const std::size_t block_count = in.TakeCount(kStoredBlockBytes);
  SeriesDecoder decoder(encoded.columns,
                        std::make_shared<BlockLists>(std::move(owner), path, encoded, columns_crc),
                        series_count, block_count);
  tags.Begin();
  view->series.reserve(series_count);
  for (std::size_t i = 0; i < series_count; ++i) {
    const TagInfoView info = TakeInfo(in);
    if (!in.holds() || info.kind > TagKind::kCustomScalars) {
      return Damaged("tag " + std::to_string(i) + " was changed");
    }
    SeriesView& series = view->series.emplace_back();
    series.info = decoder.Own(tags.Next(info));
    TakeSteps(in, series);
    if (!decoder.TakeColumns(in, series)) {
      return Damaged("the points of tag " + std::to_string(i) + " are outside of the file");
    }
  }
  if (!in.holds() || !in.at_end()) {
    return Damaged("its parts contradict each other");
  }
  const std::shared_ptr<BlockLists> lists = decoder.Finish(tags, *view);
  stored.scalar_bytes = lists->scalars.size() * (sizeof(ColumnBlock) + sizeof(ColumnBlock*));
  stored.blob_index_bytes = lists->blobs.size() * sizeof(BlobBlock);
  stored.columns = &lists->columns;
  stored.owner = lists;
  stored.view = view;
  return stored;
}

void RefillColumns(const std::string& path, const EncodedView& encoded) {
  const MutableByteSpan room = encoded.source->Room(encoded.columns);
  std::ranges::fill(room, std::byte{0});
  TagInfoMemory tags;
  EncodedView there = encoded;
  there.source = nullptr;  // Otherwise, reading the blocks would load their contents.
  const Result<StoredFile> stored = DecodeStored(path, there, nullptr, tags);
  if (!stored) return;
  std::shared_ptr<const FileView> fresh;
  if (const Result<File> file = File::OpenForReading(path)) {
    FileIndex index(path);
    index.ContinueReading(*file, {});
    fresh = index.View();
  }
  const auto* lists = static_cast<const BlockLists*>(stored->owner.get());
  auto blob_block = lists->blobs.begin();
  const auto in_room = [&](const std::byte* at) {
    return room.data() + (at - encoded.columns.data());
  };
  for (const SeriesView& series : stored->view->series) {
    const SeriesView* found = fresh ? FindSeries(*fresh, *series.info) : nullptr;
    if (!series.scalars.empty()) {
      RefillScalars(series.scalars.front(), found, in_room);
    } else if (!series.blobs.empty()) {
      RefillBlobs(series.blobs.front().size(), found, in_room((blob_block++)->blobs));
    }
  }
}

}  // namespace cboard::reader
