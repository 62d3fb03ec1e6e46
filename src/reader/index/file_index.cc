#include "reader/index/file_index.h"

#include <algorithm>
#include <limits>

#include "cboard/base/check.h"
#include "reader/index/file_index_impl.h"
#include "reader/index/pack_columns.h"
#include "reader/index/sync_point.h"

namespace cboard::reader {
namespace {

constexpr std::uint64_t kToTheEnd = std::numeric_limits<std::uint64_t>::max();

// Number of bytes that are read before a file is divided into parts. These bytes show the version
// of the file and most of its tags.
constexpr std::uint64_t kMaxFirstBytes = 512 << 10;

// Parts become smaller towards the end of the file, so that all threads finish at about the same
// time. With n threads, the size of a part is 1/(2n) of the remaining bytes, but at least 1/(16n)
// of the file.
constexpr std::uint64_t kSharesLeft = 2;
constexpr std::uint64_t kSharesOfAll = 16;

bool HaveDifferentNames(const std::vector<SeriesView>& series) {
  std::vector<std::string_view> names;
  names.reserve(series.size());
  for (const SeriesView& each : series) names.push_back(each.info->name);
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) == names.end();
}

}  // namespace

std::shared_ptr<const FileView> WithPath(const FileView& view, const std::string& path) {
  auto renamed = std::make_shared<FileView>(view);
  renamed->file.path = path;
  for (Damage& damage : renamed->damage) damage.path = path;
  return renamed;
}

FileIndex::FileIndex(std::string path) : impl_(std::make_unique<Impl>(std::move(path))) {}
FileIndex::~FileIndex() = default;
FileIndex::FileIndex(FileIndex&&) noexcept = default;
FileIndex& FileIndex::operator=(FileIndex&&) noexcept = default;

Result<FileIndex> FileIndex::Decode(std::string path, const EncodedView& encoded,
                                    std::shared_ptr<const void> owner, TagInfoMemory& tags) {
  FileIndex index(std::move(path));
  CBOARD_RETURN_IF_ERROR(index.impl_->Decode(encoded, std::move(owner), tags));
  return index;
}

void FileIndex::ContinueReading(const File& file, const ReadOptions& options, ByteSpan content) {
  impl_->ContinueReading(file, options, content);
}
std::shared_ptr<const FileView> FileIndex::View() const { return impl_->View(); }
void FileIndex::Compact() { impl_->Compact(); }
void FileIndex::Rename(std::string path) { impl_->Rename(std::move(path)); }
EncodedIndex FileIndex::Encode() const { return impl_->Encode(); }
bool FileIndex::Verify() const { return impl_->Verify(); }
std::uint64_t FileIndex::scalar_bytes() const { return impl_->scalar_bytes(); }
std::uint64_t FileIndex::blob_index_bytes() const { return impl_->blob_index_bytes(); }

Result<void> FileIndex::Impl::Decode(const EncodedView& encoded, std::shared_ptr<const void> owner,
                                     TagInfoMemory& tags) {
  CBOARD_ASSIGN_OR_RETURN(stored_, DecodeStored(path_, encoded, std::move(owner), tags));
  return {};
}

// Replaces the part by its view, with a copy of the points; both need less memory. A file that was
// read in several parts is not changed: a stored index has one column per series.
void FileIndex::Impl::Compact() {
  if (stored_ || parts_.size() != 1) return;
  const Viewed viewed = ViewParts();
  const std::size_t packed_bytes = PackColumns(viewed.columns->scalars);
  std::shared_ptr<Arena> scratch = parts_.back()->index.series.scalar_arena();
  stored_ = {.view = viewed.view,
             .state = parts_.back()->index.state,
             .encoded = {},
             .owner = viewed.columns,
             .scalar_bytes = packed_bytes,
             .blob_index_bytes = blob_index_bytes()};
  parts_ = decltype(parts_)();  // Not clear(), which keeps the memory.
  ReturnScratchArena(std::move(scratch));
  numbers_ = decltype(numbers_)();
  joined_ = decltype(joined_)();
  by_name_ = NameTable();
}

bool FileIndex::Impl::Verify() const {
  return !stored_ || stored_->columns == nullptr || stored_->columns->Verify();
}

void FileIndex::Impl::Rename(std::string path) {
  path_ = std::move(path);
  if (!stored_) return;
  if (stored_->columns != nullptr) stored_->columns->Rename(path_);
  stored_->view = WithPath(*stored_->view, path_);
}

// Converts the stored index to a part. Drops an index in which two tags have the same name; no
// known program produces such an index.
void FileIndex::Impl::MakePartOfStored() {
  const FileView& view = *stored_->view;
  if (!HaveDifferentNames(view.series)) {
    stored_.reset();
    return;
  }
  auto part = std::make_unique<Part>();
  part->end = view.read_bytes;
  part->index.Adopt(view, stored_->state, stored_->owner);
  size_bytes_ = view.file.size_bytes;
  AddPart(std::move(part));
  stored_.reset();
}

void FileIndex::Impl::ContinueReading(const File& file, const ReadOptions& options,
                                      ByteSpan content) {
  if (stored_) MakePartOfStored();
  // A file whose content is at hand is short and usually compacted (see Compact()).
  if (parts_.empty()) {
    AddPart(content.empty() ? std::make_unique<Part>()
                            : std::make_unique<Part>(TakeScratchArena()));
  }
  error_.reset();
  const Result<std::uint64_t> size = content.empty() ? file.Size() : content.size();
  if (!size) {
    error_ = size.error();
    return;
  }
  // Endless system files, such as /proc/kmsg, report a size of 0. They are not read.
  if (*size == 0) return;
  const std::uint64_t end = parts_.back()->end;
  if (content.empty() && options.workers != nullptr && options.workers->count() > 1 &&
      *size > end + 2 * options.min_part_bytes) {
    const std::uint64_t first_bytes = std::min(kMaxFirstBytes, options.min_part_bytes);
    ReadPart(file, *parts_.back(), end + first_bytes, *size, options);
    ReadInParallel(file, *size, options);
  }
  Part& last = *parts_.back();
  if (!last.error) ReadPart(file, last, kToTheEnd, *size, options, content);
  JoinNewSeries(parts_.size() - 1);
  error_ = last.error;
  last.error.reset();
  for (const auto& part : parts_) {
    if (!error_) error_ = part->bad_block;
  }
  // Checks the size again, because the file may have grown meanwhile.
  size_bytes_ = std::max(content.empty() ? file.Size().value_or(*size) : *size, last.end);
}

void FileIndex::Impl::ReadInParallel(const File& file, std::uint64_t file_bytes,
                                     const ReadOptions& options) {
  const std::size_t first_number = parts_.size() - 1;
  Part& first = *parts_[first_number];
  // Files without session marks are read in one part: the meaning of an event depends on all
  // earlier events.
  if (first.error || !first.index.state.has_version_2 || first.end >= file_bytes) return;
  JoinNewSeries(first_number);

  const std::uint64_t workers = options.workers->count();
  const std::uint64_t least =
      std::max({options.min_part_bytes, (file_bytes - first.end) / (workers * kSharesOfAll),
                std::uint64_t{1}});
  std::vector<std::unique_ptr<Part>> others;
  const std::vector<std::shared_ptr<const TagInfo>> tags = Tags();
  std::uint64_t behind = first.end;
  for (std::uint64_t at = first.end; file_bytes - at >= 2 * least;) {
    at += std::max(least, (file_bytes - at) / (workers * kSharesLeft));
    const std::uint64_t wanted = std::max(behind + 1, at);
    const std::optional<std::uint64_t> begin = FindSyncPoint(file, wanted, file_bytes);
    if (!begin) continue;
    others.push_back(std::make_unique<Part>(*begin, tags, first.index.state));
    behind = *begin;
  }
  if (others.empty()) return;

  std::vector<std::uint64_t> stops;
  for (const auto& part : others) stops.push_back(part->begin);
  stops.push_back(kToTheEnd);
  options.workers->ForEach(stops.size(), [&](std::size_t i) {
    ReadPart(file, i == 0 ? first : *others[i - 1], stops[i], file_bytes, options);
  });

  // Joins the parts. The result must be the same as if one thread had read the file from its
  // beginning.
  JoinNewSeries(first_number);
  for (std::size_t i = 0; i < others.size(); ++i) {
    const Part& before = *parts_.back();
    if (before.error || before.end < stops[i]) return;  // Reading ends at this position.
    // The part begins inside a record of the previous part: bytes in the record looked like a
    // record.
    if (before.end >= stops[i + 1]) continue;
    if (!Follows(*others[i])) {
      others[i] = std::make_unique<Part>(before.end, Tags(), before.index.state);
      ReadPart(file, *others[i], stops[i + 1], file_bytes, options);
    }
    if (others[i]->index.version_changed || !before.index.state.has_version_2) {
      // The version of the file changes, so the file must be read in order. Drops all parts except
      // the first one, which is then continued.
      DropPartsFrom(first_number + 1);
      return;
    }
    AddPart(std::move(others[i]));
  }
}

// True if `part` begins where the last part ends, and what it assumes about earlier events is true.
bool FileIndex::Impl::Follows(const Part& part) const {
  const Part& before = *parts_.back();
  if (part.begin != before.end || part.index.version_changed || !before.index.state.has_version_2) {
    return false;
  }
  for (std::size_t i = part.index.known_count; i < part.index.series.size(); ++i) {
    const TagInfo& info = *part.index.series[i].info;
    const std::int64_t known = FindJoined(info.name);
    if (known < 0) continue;
    const TagInfo& earlier = *joined_[static_cast<std::size_t>(known)].info;
    // The kind of a tag decides which values it accepts. For graphs, the plugin name decides the
    // format.
    if (earlier.kind != info.kind || earlier.plugin_name.empty() != info.plugin_name.empty()) {
      return false;
    }
  }
  return true;
}

void FileIndex::Impl::AddPart(std::unique_ptr<Part> part) {
  parts_.push_back(std::move(part));
  numbers_.emplace_back();
  JoinNewSeries(parts_.size() - 1);
}

void FileIndex::Impl::DropPartsFrom(std::size_t number) {
  parts_.resize(number);
  numbers_.assign(number, {});
  joined_.clear();
  by_name_.Clear();
  for (std::size_t i = 0; i < number; ++i) JoinNewSeries(i);
}

void FileIndex::Impl::JoinNewSeries(std::size_t part) {
  const SeriesTable& series = parts_[part]->index.series;
  std::vector<std::uint32_t>& numbers = numbers_[part];
  numbers.reserve(series.size());
  for (auto i = static_cast<std::uint32_t>(numbers.size()); i < series.size(); ++i) {
    const std::shared_ptr<const TagInfo>& info = series[i].info;
    const std::int64_t known = FindJoined(info->name);
    const auto number =
        static_cast<std::uint32_t>(known < 0 ? joined_.size() : static_cast<std::size_t>(known));
    if (known < 0) {
      by_name_.Add(info->name, number);
      joined_.push_back({info, {}});
    }
    joined_[number].members.emplace_back(static_cast<std::uint32_t>(part), i);
    numbers.push_back(number);
  }
}

// Returns the index of the tag in joined_, or -1.
std::int64_t FileIndex::Impl::FindJoined(std::string_view name) const {
  return by_name_.Find(name, [this](std::int64_t known) -> std::string_view {
    return joined_[static_cast<std::size_t>(known)].info->name;
  });
}

std::vector<std::shared_ptr<const TagInfo>> FileIndex::Impl::Tags() const {
  std::vector<std::shared_ptr<const TagInfo>> tags;
  for (const Joined& joined : joined_) tags.push_back(joined.info);
  return tags;
}

std::uint64_t FileIndex::Impl::scalar_bytes() const {
  if (stored_) return stored_->scalar_bytes;
  std::uint64_t bytes = 0;
  for (const auto& part : parts_) bytes += part->index.series.scalar_arena()->size_bytes();
  return bytes;
}

std::uint64_t FileIndex::Impl::blob_index_bytes() const {
  if (stored_) return stored_->blob_index_bytes;
  std::uint64_t bytes = 0;
  for (const auto& part : parts_) bytes += part->index.series.blob_arena()->size_bytes();
  return bytes;
}

}  // namespace cboard::reader
