#include "reader/live/followed_file.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <thread>
#include <utility>

#include "cboard/record/crc32c.h"
#include "cboard/record/readable_file.h"
#include "reader/index/file_window.h"
#include "reader/index/short_file.h"
#include "reader/index/sync_point.h"

namespace cboard::reader {
namespace {

// Number of bytes of a sample. The sample at the end contains the time and the checksum of a
// record. No other file has the same bytes at the same offset.
constexpr std::uint64_t kSampleBytes = 256;
constexpr std::uint64_t kMaxSamples = 16;

// Maximum size of a file that is compared completely. For such files this takes less time than
// comparing samples.
constexpr std::uint64_t kMaxWholeBytes = 16 << 10;

// Maximum number of damaged bytes that are compared completely. If there are more, samples of them
// are compared.
constexpr std::uint64_t kMaxComparedBytes = std::uint64_t{16} << 20;
constexpr std::uint64_t kComparedPiece = 4096;

// Maximum number of attempts to read a file that other programs overwrite during reading.
constexpr int kMaxAttempts = 3;

// After reading a file again, and after an error of the disk, the reader pauses for this multiple
// of the time that it took.
constexpr int kPausePerAnew = 9;

// After the checksums of a file were compared, they are not compared again for this multiple of the
// time that the comparison took.
constexpr int kPausePerProof = 99;

// The speed of a slow disk.
constexpr std::uint64_t kSlowBytesPerMs = 50'000;

// If a file grows by more bytes than this during reading, it is being copied or overwritten:
// programs that log write more slowly.
constexpr std::uint64_t kMaxGrowthWhileRead = 1 << 20;
constexpr auto kDoubtedFor = std::chrono::milliseconds(200);

// Time between two changes by the system during a write: the system sets the modification time of a
// file before its new size.
constexpr auto kWriteTakes = std::chrono::milliseconds(2);
constexpr std::int64_t kYoungNs = 1'000'000'000;

// The checksum of some bytes of a file. If `content` is not empty, the bytes are taken from it
// instead of the file.
class Samples {
 public:
  explicit Samples(const File& file, ByteSpan content = {}) : readable_(file), content_(content) {}

  // Adds at most kMaxWholeBytes bytes.
  void Add(std::uint64_t begin, std::uint64_t bytes) {
    const auto size = static_cast<std::size_t>(bytes);
    if (!content_.empty()) {
      crc_ = record::ExtendCrc32c(crc_, content_.subspan(static_cast<std::size_t>(begin), size));
      return;
    }
    std::array<std::byte, kMaxWholeBytes> buffer;  // Not initialized.
    const Result<std::size_t> count = readable_.ReadAt(begin, MutableByteSpan(buffer).first(size));
    is_complete_ = is_complete_ && count && *count == size;
    crc_ = record::ExtendCrc32c(crc_, ByteSpan(buffer).first(count.value_or(0)));
  }

  // Returns nullopt if some bytes are missing.
  std::optional<std::uint32_t> Crc() const {
    if (!is_complete_) return std::nullopt;
    return crc_;
  }

  // The error for the first block that the disk cannot read; its bytes are zeros.
  const std::optional<Error>& error() const { return readable_.error(); }

 private:
  record::ReadableFile readable_;
  const ByteSpan content_;
  std::uint32_t crc_ = record::ComputeCrc32c({});
  bool is_complete_ = true;
};

// Returns the checksum of the last bytes before `end`, or nullopt if they cannot be read.
std::optional<std::uint32_t> TailCrc(const File& file, std::uint64_t end) {
  Samples samples(file);
  const std::uint64_t size = std::min(end, kSampleBytes);
  samples.Add(end - size, size);
  return samples.Crc();
}

// Samples of the bytes that `view` has read, including the last ones, and its damaged places.
// `content` are the bytes of the file, if it was read at once.
Samples SamplesOf(const File& file, const FileView& view, ByteSpan content = {}) {
  Samples samples(file, content);
  const std::uint64_t end = view.read_bytes;
  if (end <= kMaxWholeBytes) {
    samples.Add(0, end);
  } else {
    for (std::uint64_t i = 0; i < kMaxSamples; ++i) {
      samples.Add((end - kSampleBytes) / (kMaxSamples - 1) * i, kSampleBytes);
    }
    samples.Add(end - kSampleBytes, kSampleBytes);
  }
  std::uint64_t damaged_bytes = 0;
  for (const FileDamage& damage : view.damage) damaged_bytes += damage.bytes;
  // Adds the damaged bytes in pieces, to limit the memory.
  const std::uint64_t stride = damaged_bytes / kMaxComparedBytes + 1;
  for (const FileDamage& damage : view.damage) {
    for (std::uint64_t at = 0; at < damage.bytes; at += stride * kComparedPiece) {
      samples.Add(damage.offset + at, std::min(kComparedPiece, damage.bytes - at));
    }
  }
  return samples;
}

// True if there is now a complete record where `view` has found damage.
bool HasMended(const File& file, const FileView& view) {
  if (view.damage.empty()) return false;
  FileWindow window(file);
  const std::uint64_t file_bytes = file.Size().value_or(0);
  return std::ranges::any_of(view.damage, [&](const FileDamage& damage) {
    return !damage.is_record && EndOfRecord(window, damage.offset, file_bytes);
  });
}

bool HaveSameTimes(const FileStatus& a, const FileStatus& b) {
  return a.modified_ns == b.modified_ns && a.changed_ns == b.changed_ns;
}

std::int64_t NowNs() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

// The time since the last change; negative if the clock was set back. Wraps around as FileStatus
// does.
std::int64_t AgeNs(const FileStatus& status) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(NowNs()) -
                                   static_cast<std::uint64_t>(status.changed_ns));
}

bool IsYoung(const FileStatus& status) {
  const std::int64_t age_ns = AgeNs(status);
  return age_ns > -kYoungNs && age_ns < kYoungNs;
}

}  // namespace

ReadOutcome FollowedFile::Read(const std::string& path, const FileStatus& seen,
                               const ReadOptions& options) {
  std::lock_guard lock(mutex_);
  return *ReadLocked(path, seen, std::numeric_limits<std::uint64_t>::max(), options);
}

std::optional<ReadOutcome> FollowedFile::TryRead(const std::string& path, const FileStatus& seen,
                                                 std::uint64_t max_bytes,
                                                 const ReadOptions& options) {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return std::nullopt;
  if (view_ && view_->file.error) return std::nullopt;  // A disk with errors may take seconds.
  return ReadLocked(path, seen, max_bytes, options);
}

std::optional<ReadOutcome> FollowedFile::ReadStored(const std::string& path, const FileStatus& seen,
                                                    TagInfoMemory& tags) {
  std::lock_guard lock(mutex_);
  if (!stored_ || stored_->status != seen) return std::nullopt;
  TakeStored(path, tags);
  if (!index_) return std::nullopt;
  return Outcome();
}

void FollowedFile::Forget(const std::string& path) {
  index_.emplace(path);
  path_ = path;
  view_ = nullptr;
  sample_crc_ = 0;
  is_doubtful_ = false;
  is_unproven_ = false;
  from_store_ = false;
  stored_bytes_ = 0;
  ++generation_;
}

void FollowedFile::TakeStored(const std::string& path, TagInfoMemory& tags) {
  const StoredIndex stored = *std::exchange(stored_, std::nullopt);
  Result<FileIndex> index = FileIndex::Decode(path, stored.encoded, stored.owner, tags);
  // If the stored index is damaged or has another version, the file is read instead.
  if (!index) return;
  std::shared_ptr<const FileView> view = index->View();
  if (view->read_bytes != stored.read_bytes) return;
  index_ = *std::move(index);
  path_ = path;
  view_ = std::move(view);
  status_ = stored.status;
  after_ = stored.status;
  sample_crc_ = stored.sample_crc;
  is_unproven_ = stored.is_unproven;
  from_store_ = true;
  stored_bytes_ = stored.read_bytes;
}

ReadOutcome FollowedFile::Outcome() const {
  return {.view = view_,
          .status = status_,
          .generation = generation_,
          .from_store = from_store_,
          .stored_bytes = stored_bytes_,
          .scalar_bytes = index_->scalar_bytes(),
          .blob_index_bytes = index_->blob_index_bytes(),
          .read_again_at = is_unproven_ ? std::optional(next_proof_) : std::nullopt};
}

std::optional<ReadOutcome> FollowedFile::ReadLocked(const std::string& path, const FileStatus& seen,
                                                    std::uint64_t max_bytes,
                                                    const ReadOptions& options) {
  const Clock::time_point begin = Clock::now();
  if (view_ && view_->file.error && path == path_ && begin < next_retry_) {
    ReadOutcome outcome = Outcome();
    outcome.read_again_at = next_retry_;
    return outcome;
  }
  std::optional<ReadOutcome> outcome = ReadNow(path, seen, max_bytes, options);
  if (view_ && view_->file.error) {
    const Clock::time_point end = Clock::now();
    next_retry_ = end + kPausePerAnew * (end - begin);
  }
  return outcome;
}

std::optional<ReadOutcome> FollowedFile::ReadNow(const std::string& path, const FileStatus& seen,
                                                 std::uint64_t max_bytes,
                                                 const ReadOptions& options) {
  const bool is_first = !index_;
  if (stored_) {
    TagInfoMemory tags;
    TakeStored(path, tags);
  }
  if (!index_) Forget(path);
  if (path != path_) {
    index_->Rename(path);
    path_ = path;
    if (view_) view_ = index_->View();
  }
  if (is_first && from_store_ && status_ == seen) return Outcome();

  const Result<File> file = File::OpenForReading(path);
  if (!file) {
    if (file.error().code == ErrorCode::kNotFound) return ReadOutcome{};
    return WithError(file.error());
  }
  if (!view_ && ReadAtOnce(*file, seen, options)) return Outcome();
  FileStatus now = StatusOf(file->descriptor()).value_or(seen);
  const bool is_known = view_ && view_->read_bytes > 0;
  std::optional<Error> unreadable;
  const bool is_read_on = !is_known || HasOnlyGrown(*file, now, unreadable);
  if (unreadable) return WithError(*std::move(unreadable));
  const bool is_due = is_known && is_read_on && is_unproven_ && Clock::now() >= next_proof_;
  const std::uint64_t known_bytes = is_known && is_read_on && !is_due ? view_->read_bytes : 0;
  if (now.size_bytes > known_bytes && now.size_bytes - known_bytes > max_bytes) return std::nullopt;
  if (is_read_on && (!is_due || Prove(*file))) return ReadAll(path, *file, now, options);

  if (!IsOther(now) && Clock::now() < next_anew_) {
    ReadOutcome outcome = Outcome();
    outcome.read_again_at = next_anew_;
    return outcome;
  }
  Forget(path);
  const Clock::time_point begin = Clock::now();
  ReadOutcome outcome = ReadAll(path, *file, now, options);
  const Clock::time_point end = Clock::now();
  next_anew_ = end + kPausePerAnew * (end - begin);
  if (outcome.read_again_at) outcome.read_again_at = std::max(*outcome.read_again_at, next_anew_);
  return outcome;
}

// The data read before, beside an error of the file system.
ReadOutcome FollowedFile::WithError(Error error) {
  auto view = std::make_shared<FileView>(view_ ? *view_ : *index_->View());
  view->file.error = std::move(error);
  view_ = std::move(view);
  return Outcome();
}

// Whether the file certainly differs from the one that was read.
bool FollowedFile::IsOther(const FileStatus& now) const {
  return now.id != status_.id || now.size_bytes < view_->read_bytes;
}

// Updates the status `now`. If it cannot be known because the disk cannot read a sample that it
// has read before, sets `unreadable`.
bool FollowedFile::HasOnlyGrown(const File& file, FileStatus& now,
                                std::optional<Error>& unreadable) const {
  if (IsOther(now)) return false;
  const auto is_edited = [&] {
    return now.size_bytes <= after_.size_bytes && !HaveSameTimes(now, after_);
  };
  if (is_edited() && IsYoung(now)) {
    std::this_thread::sleep_for(kWriteTakes);
    now = StatusOf(file.descriptor()).value_or(now);
  }
  if (is_edited() || is_doubtful_) return false;
  if (!index_->Verify()) return false;
  // Not all damaged places have a stored position, and any of them may have been repaired.
  if (view_->damage_count > view_->damage.size() && !HaveSameTimes(now, after_)) return false;
  const Samples samples = SamplesOf(file, *view_);
  if (samples.Crc() == sample_crc_) return !HasMended(file, *view_);
  unreadable = samples.error();
  return false;
}

std::chrono::nanoseconds PauseAfterProof(std::chrono::nanoseconds took, std::uint64_t bytes) {
  const std::chrono::milliseconds slow_disk(bytes / kSlowBytesPerMs + 1);
  return kPausePerProof * std::min<std::chrono::nanoseconds>(took, slow_disk);
}

bool FollowedFile::Prove(const File& file) {
  const Clock::time_point begin = Clock::now();
  const std::optional<std::uint64_t> sum = SumOfCrcs(file, view_->read_bytes);
  const Clock::time_point end = Clock::now();
  next_proof_ = end + PauseAfterProof(end - begin, view_->read_bytes);
  // If the sum differs, the file is read again, perhaps later. Until then, the growth is unproven.
  const bool is_same = !sum || *sum == view_->crc_sum;
  if (sum && is_same) is_unproven_ = false;
  return is_same;
}

// Compares the status after reading the bytes. If it is equal, the bytes are those that the file
// had when it was listed.
bool FollowedFile::ReadAtOnce(const File& file, const FileStatus& seen,
                              const ReadOptions& options) {
  if (seen.size_bytes == 0 || seen.size_bytes > ShortFile::kMaxBytes ||
      AgeNs(seen) < std::chrono::nanoseconds(options.settled_after).count()) {
    return false;
  }
  const ShortFile bytes(file, seen.size_bytes);
  if (bytes.content().empty() || StatusOf(file.descriptor()) != seen) return false;
  index_->ContinueReading(file, {.may_map = false}, bytes.content());
  index_->Compact();  // It will probably never grow again.
  std::shared_ptr<const FileView> view = index_->View();
  if (view->damage_count > 0 || view->read_bytes != seen.size_bytes) {
    Forget(path_);  // Looking for the next whole record has read the file again.
    return false;
  }
  view_ = std::move(view);
  if (options.bytes_read != nullptr) *options.bytes_read += seen.size_bytes;
  if (options.events_read != nullptr) *options.events_read += view_->event_count;
  status_ = seen;
  after_ = seen;
  sample_crc_ = SamplesOf(file, *view_, bytes.content()).Crc().value_or(0);
  return true;
}

ReadOutcome FollowedFile::ReadAll(const std::string& path, const File& file, const FileStatus& now,
                                  const ReadOptions& options) {
  bool is_unchanged = ReadUnchanged(file, now, options);
  for (int attempt = 1; !is_unchanged && attempt < kMaxAttempts; ++attempt) {
    Forget(path);
    is_unchanged = ReadUnchanged(file, StatusOf(file.descriptor()).value_or(now), options);
  }
  ReadOutcome outcome = Outcome();
  if (!is_unchanged) {
    // Stores a checksum that no file has, so that the next read starts from the beginning.
    sample_crc_ = ~sample_crc_;
    outcome.read_again_at = Clock::now();
  } else if (is_doubtful_) {
    outcome.read_again_at = std::max(Clock::now() + kDoubtedFor, next_anew_);
  }
  return outcome;
}

bool FollowedFile::ReadUnchanged(const File& file, const FileStatus& now,
                                 const ReadOptions& options) {
  status_ = now;
  const std::uint64_t known_bytes = view_ ? view_->read_bytes : 0;
  const std::optional<std::uint32_t> end_before = TailCrc(file, now.size_bytes);
  // Growth by a part of a record changes the size and leaves `read_bytes`.
  const bool is_longer = known_bytes > 0 && now.size_bytes > after_.size_bytes;
  index_->ContinueReading(file, options);
  view_ = index_->View();
  sample_crc_ = SamplesOf(file, *view_).Crc().value_or(0);
  after_ = StatusOf(file.descriptor()).value_or(now);
  const bool is_edited = after_.size_bytes <= now.size_bytes && !HaveSameTimes(after_, now);
  // If the file has grown, earlier bytes may have been edited too.
  const bool has_grown = is_longer || (known_bytes > 0 && view_->read_bytes > known_bytes) ||
                         (view_->read_bytes > 0 && after_.size_bytes > now.size_bytes);
  if (has_grown && !is_unproven_) {
    is_unproven_ = true;
    next_proof_ = std::max(next_proof_, Clock::now() + options.prove_after);
  }
  is_doubtful_ = is_edited || after_.size_bytes > now.size_bytes + kMaxGrowthWhileRead;
  return TailCrc(file, now.size_bytes) == end_before && !HasMended(file, *view_);
}

std::optional<StoredIndex> FollowedFile::Store(EncodedIndex& out) {
  std::lock_guard lock(mutex_);
  if (!view_ || view_->read_bytes == 0 || view_->file.error || is_doubtful_) return std::nullopt;
  if (!index_->Verify()) return std::nullopt;  // A damaged index is not stored again.
  out = index_->Encode();
  return StoredIndex{.status = status_,
                     .read_bytes = view_->read_bytes,
                     .sample_crc = sample_crc_,
                     .is_unproven = is_unproven_,
                     .encoded = {},
                     .owner = nullptr};
}

}  // namespace cboard::reader
