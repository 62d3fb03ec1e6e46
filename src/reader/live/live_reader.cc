#include "reader/live/live_reader.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <utility>

#include "reader/live/heap_room.h"
#include "reader/live/old_caches.h"
#include "reader/live/private_directory.h"

namespace cboard::reader {
namespace {

using namespace std::chrono_literals;

// During loading, kPublishEvery is the interval between snapshots.
constexpr auto kPublishEvery = 100ms;

// The delay of the first snapshot. A small log directory is loaded after this delay, so that no
// snapshot without data is published. If there are many directories, their files are usually short:
// reading them takes a small multiple of the time that the listing took.
std::chrono::steady_clock::duration FirstPublishingDelay(
    std::chrono::steady_clock::duration listing) {
  using Duration = std::chrono::steady_clock::duration;
  return std::clamp<Duration>(3 * listing, 30ms, 300ms);
}

// Delay before directories are watched, so that changes are visible during a long load. Watching
// starts earlier if loading ends earlier.
constexpr auto kWatchAfter = 500ms;

// Interval of the check whether a missing log directory has appeared, or whether one was replaced.
// Each check is one system call.
constexpr auto kCheckEvery = 200ms;

// After directories that are not watched were listed, they are not listed again for this multiple
// of the time that the listing took.
constexpr int kPausePerPolling = 9;

// Maximum number of files, and of new bytes, that the reader's own thread reads. For so few bytes
// this is faster than a task for the pool.
constexpr std::size_t kFewFiles = 8;
constexpr std::uint64_t kFewBytes = 1 << 20;

// Reserves heap memory of this thread for the indexes of the next files, which are probably short.
// If many files were read, more will probably follow.
void MakeRoomForIndexes() {
  constexpr unsigned kMinFiles = 16, kMaxFiles = 128;
  constexpr std::size_t kBytesPerFile = 5000;  // A guess: 10 tags with 20 points.
  thread_local unsigned files = 0, files_with_room = 0;
  if (files++ < files_with_room) return;
  const unsigned more = std::clamp(files_with_room, kMinFiles, kMaxFiles);
  files_with_room += more;
  MakeHeapRoom(more * kBytesPerFile);
}

// True if two views of a file that only grows have the same content.
bool IsSame(const FileView* a, const FileView& b) {
  return a != nullptr && a->read_bytes == b.read_bytes && a->event_count == b.event_count &&
         a->damage_count == b.damage_count && a->file.path == b.file.path &&
         a->file.size_bytes == b.file.size_bytes && a->file.torn_bytes == b.file.torn_bytes &&
         a->file.error == b.file.error;
}

}  // namespace

LiveReader::LiveReader(ReaderOptions options, std::unique_ptr<WakeUp> wake_up)
    : options_(std::move(options)),
      wake_up_(std::move(wake_up)),
      pool_(std::make_unique<WorkerPool>(options_.threads)) {
  std::optional<Error> watch_error;
  if (options_.follow && options_.watch) {
    Result<std::unique_ptr<ChangeWatcher>> watcher = ChangeWatcher::Create();
    if (watcher) {
      watcher_ = *std::move(watcher);
    } else {
      watch_error = watcher.error();
    }
  }
  for (const Logdir& logdir : options_.logdirs) {
    absolute_logdirs_.push_back(AbsolutePath(logdir.path));
  }
  if (!options_.cache_directory.empty()) {
    if (const auto checked = CheckPrivateDirectory(options_.cache_directory); !checked) {
      notices_.push_back(Annotate(checked.error(), "the index cache is not used"));
    } else {
      cache_path_ = CachePath(options_.cache_directory, options_.logdirs);
      cache_ = IndexCache::Open(cache_path_);
      if (cache_) MarkUsed(cache_path_);
    }
  }
  tree_ = std::make_unique<LogTree>(LogTreeOptions{
      .logdirs = options_.logdirs,
      .max_directories = options_.max_directories,
      .watcher = watcher_.get(),
      .watch_error = std::move(watch_error),
      .workers = pool_.get(),
      .open_file = [this](std::size_t logdir, const std::string& path, const FileStatus& seen,
                          TagInfoMemory& tags) { return OpenFile(logdir, path, seen, tags); }});
  maker_ =
      std::make_unique<SnapshotMaker>(options_.logdirs, options_.purge_orphaned_data, pool_.get());
  thread_ = std::thread([this] { Run(); });
}

LiveReader::~LiveReader() {
  is_stopping_ = true;
  wake_up_->Ring();
  board_.Close();
  {
    std::lock_guard lock(refresh_mutex_);
    refreshed_.notify_all();
  }
  thread_.join();
  pool_->Stop();
  if (is_complete_ && IsCacheStale()) WriteCache(FilesToStore(), /*may_stop=*/false);
}

void LiveReader::Run() {
  const Clock::time_point begin = Clock::now();
  tree_->ListAll();
  const Clock::duration listing = Clock::now() - begin;
  tree_->ForEachRun([this](const TreeDirectory& directory) {
    for (const auto& [name, file] : directory.files) total_bytes_ += file->seen.size_bytes;
  });
  next_check_ = Clock::now() + kCheckEvery;
  next_polling_ = Clock::now() + options_.poll_interval;
  StartReading();
  next_publishing_ = Clock::now() + FirstPublishingDelay(listing);
  next_watching_ = Clock::now() + kWatchAfter;
  while (!is_stopping_) {
    FinishLoading();
    FinishRefresh();
    PublishIfDue();
    WatchIfDue();
    StoreIfDue();
    Wait();
    TakeFinished();
    TakeChanges();
    CheckTimers();
    StartReading();
  }
}

// Waits until a change is reported, another thread wakes this thread, or a deadline is reached.
void LiveReader::Wait() {
  Clock::time_point until = Clock::time_point::max();
  if (needs_publishing_) {
    until = next_publishing_;
  } else if (!is_complete_) {
    until = Clock::now() + kPublishEvery;  // There may be new progress to show.
  }
  if (options_.follow && is_complete_) {
    until = std::min(until, next_check_);
    if (!to_read_again_.empty()) until = std::min(until, to_read_again_.begin()->first);
    if (options_.poll_interval > 0ms) until = std::min(until, next_polling_);
  }
  std::array<pollfd, 2> descriptors = {pollfd{wake_up_->descriptor(), POLLIN, 0},
                                       pollfd{watcher_ ? watcher_->descriptor() : -1, POLLIN, 0}};
  timespec timeout = {};
  if (until != Clock::time_point::max()) {
    const auto left = std::max(Clock::duration::zero(), until - Clock::now());
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    timeout.tv_sec = static_cast<time_t>(seconds.count());
    timeout.tv_nsec = static_cast<long>(std::chrono::nanoseconds(left - seconds).count());
  }
  ::ppoll(descriptors.data(), descriptors.size(),
          until == Clock::time_point::max() ? nullptr : &timeout, nullptr);
  wake_up_->Clear();
}

void LiveReader::TakeChanges() {
  if (watcher_) watcher_->ForEachChange([this](const Change& change) { tree_->Apply(change); });
  std::uint64_t asked = 0;
  {
    std::lock_guard lock(refresh_mutex_);
    asked = refreshes_asked_;
  }
  if (asked > refreshes_begun_) {
    refreshes_begun_ = asked;
    tree_->ListAll();
    tree_->RetryFailed();
  }
}

void LiveReader::CheckTimers() {
  if (!options_.follow || !is_complete_) return;
  const Clock::time_point now = Clock::now();
  if (now >= next_check_) {
    next_check_ = now + kCheckEvery;
    tree_->CheckLogdirs();
    for (const std::shared_ptr<TreeFile>& file : tree_->DropRemoved(now)) {
      scalar_bytes_ -= file->scalar_bytes;
      blob_index_bytes_ -= file->blob_index_bytes;
    }
  }
  while (!to_read_again_.empty() && to_read_again_.begin()->first <= now) {
    const std::shared_ptr<TreeFile> file = to_read_again_.begin()->second.lock();
    if (file && file->awaited_at == to_read_again_.begin()->first) file->awaited_at.reset();
    to_read_again_.erase(to_read_again_.begin());
    if (file && file->directory != nullptr) tree_->ReadAgain(file);
  }
  if (options_.poll_interval > 0ms && now >= next_polling_) {
    tree_->ListPolled();
    tree_->RetryFailed();
    const Clock::time_point end = Clock::now();
    next_polling_ =
        end + std::max<Clock::duration>(options_.poll_interval, kPausePerPolling * (end - now));
  }
}

ReadOptions LiveReader::ReadingOptions(Workers* workers) {
  return {.workers = workers, .bytes_read = &bytes_read_, .events_read = &events_read_};
}

void LiveReader::StartReading() {
  const std::vector<std::shared_ptr<TreeFile>> files = tree_->TakeFilesToRead();
  const bool are_few = is_complete_ && files.size() <= kFewFiles;
  for (const std::shared_ptr<TreeFile>& file : files) {
    if (file->stored) {
      TakeOutcome(*file, *std::exchange(file->stored, std::nullopt));
    } else if (!are_few || !ReadHere(file)) {
      ReadInPool(file);
    }
  }
}

// Reads the new part of a file on this thread, if it is short. Returns false if it is long, or if
// another thread uses the file.
bool LiveReader::ReadHere(const std::shared_ptr<TreeFile>& file) {
  std::optional<ReadOutcome> outcome =
      file->content->TryRead(file->path(), file->seen, kFewBytes, ReadingOptions(nullptr));
  if (!outcome) return false;
  TakeOutcome(*file, *std::move(outcome));
  return true;
}

void LiveReader::ReadInPool(const std::shared_ptr<TreeFile>& file) {
  file->is_busy = true;
  ++reading_;
  ++at_pool_;
  pool_->Submit([this, file, path = file->path(), seen = file->seen] {
    // A file is read in several parts only if there are fewer files than threads.
    Workers* const workers = pool_->waiting() < pool_->count() ? pool_.get() : nullptr;
    if (workers == nullptr) MakeRoomForIndexes();
    Finished finished{.file = file,
                      .outcome = file->content->Read(path, seen, ReadingOptions(workers))};
    AddFinished(std::move(finished));
  });
}

// Passes a result of the pool to the reader's thread. While many files are being read, the thread
// is not woken for each file, because this would slow down both the thread and the pool. It checks
// for results periodically instead.
void LiveReader::AddFinished(Finished finished) {
  {
    std::lock_guard lock(finished_mutex_);
    finished_.push_back(std::move(finished));
  }
  const bool is_last = --at_pool_ == 0;
  if (!is_loading_ || is_last) wake_up_->Ring();
}

void LiveReader::TakeFinished() {
  std::vector<Finished> finished;
  {
    std::lock_guard lock(finished_mutex_);
    finished.swap(finished_);
  }
  for (Finished& work : finished) {
    --reading_;
    work.file->is_busy = false;
    TakeOutcome(*work.file, std::move(work.outcome));
    if (std::exchange(work.file->is_stale, false) && work.file->directory != nullptr) {
      tree_->ReadAgain(work.file);
    }
  }
}

void LiveReader::TakeOutcome(TreeFile& file, ReadOutcome outcome) {
  if (!outcome.view) {
    has_vanished_ = true;
    return;
  }
  const bool is_first = !file.view;
  const auto& at = outcome.read_again_at;
  if (at && options_.follow && (!file.awaited_at || *at < *file.awaited_at)) {
    file.awaited_at = at;
    to_read_again_.emplace(*outcome.read_again_at, file.weak_from_this());
  }
  file.seen = outcome.status;
  scalar_bytes_ += outcome.scalar_bytes - file.scalar_bytes;
  blob_index_bytes_ += outcome.blob_index_bytes - file.blob_index_bytes;
  file.scalar_bytes = outcome.scalar_bytes;
  file.blob_index_bytes = outcome.blob_index_bytes;
  if (is_first && outcome.from_store) {
    ++cached_files_;
    cached_bytes_ += outcome.stored_bytes;
  }
  const bool is_same =
      outcome.generation == file.generation && IsSame(file.view.get(), *outcome.view);
  file.generation = outcome.generation;
  file.view = std::move(outcome.view);
  tree_->RecordError(file);
  if (!is_same && file.directory != nullptr) tree_->MarkChanged(*file.directory);
}

// Finishes the loading if all data that existed at the start has been read.
void LiveReader::FinishLoading() {
  if (reading_ > 0) return;
  if (!is_complete_) {
    // A file has vanished: it may have been renamed during reading, so all directories are listed
    // again.
    if (has_vanished_ && lists_left_ > 0) {
      --lists_left_;
      has_vanished_ = false;
      tree_->ListAll();
      tree_->RetryFailed();
      StartReading();
      if (reading_ > 0) return;
    }
    is_complete_ = true;
    is_loading_ = false;
    needs_publishing_ = true;
    next_publishing_ = Clock::now();
    next_check_ = next_publishing_;
  }
}

// Stores the indexes if needed. Starts after the first complete snapshot, so that clients that wait
// for the snapshot get the processors first.
void LiveReader::StoreIfDue() {
  if (reading_ > 0 || !is_complete_ || needs_publishing_ || is_cache_written_) return;
  is_cache_written_ = true;
  if (IsCacheStale()) {
    pool_->Submit([this, files = FilesToStore()] { WriteCache(files, /*may_stop=*/true); });
  }
}

void LiveReader::Refresh() {
  std::unique_lock lock(refresh_mutex_);
  const std::uint64_t mine = ++refreshes_asked_;
  wake_up_->Ring();
  refreshed_.wait(lock, [&] { return refreshes_done_ >= mine || is_stopping_; });
}

void LiveReader::FinishRefresh() {
  if (reading_ > 0 || !is_complete_) return;
  {
    std::lock_guard lock(refresh_mutex_);
    if (refreshes_done_ == refreshes_begun_) return;
  }
  if (tree_->has_changes()) Publish();
  std::lock_guard lock(refresh_mutex_);
  refreshes_done_ = refreshes_begun_;
  refreshed_.notify_all();
}

// Starts to watch directories. Clients that wait for the first complete snapshot have it by then.
void LiveReader::WatchIfDue() {
  if (!watcher_ || is_watching_ || needs_publishing_) return;
  if (!is_complete_ && Clock::now() < next_watching_) return;
  is_watching_ = true;
  tree_->StartWatching();
  watched_directories_ = tree_->watch_count();
  StartReading();
  wake_up_->Ring();  // Results are processed before the next wait.
}

void LiveReader::PublishIfDue() {
  needs_publishing_ = needs_publishing_ || tree_->has_changes() ||
                      (!is_complete_ && bytes_read_ != published_bytes_);
  if (needs_publishing_ && Clock::now() >= next_publishing_) Publish();
}

void LiveReader::Publish() {
  const Clock::time_point begin = Clock::now();
  needs_publishing_ = false;
  published_bytes_ = bytes_read_;
  const std::shared_ptr<Snapshot> snapshot = maker_->Make(*tree_);
  snapshot->notices.insert(snapshot->notices.end(), notices_.begin(), notices_.end());
  LoadProgress& progress = snapshot->progress;
  progress.complete = is_complete_;
  progress.total_bytes = total_bytes_;
  progress.done_bytes =
      is_complete_ ? total_bytes_ : std::min(total_bytes_, bytes_read_ + cached_bytes_);
  watched_directories_ = tree_->watch_count();
  ++snapshots_;
  board_.Publish(snapshot);
  // Making snapshots takes at most half of the time, and during loading at most a tenth.
  const Clock::time_point end = Clock::now();
  next_publishing_ = is_complete_
                         ? end + (end - begin)
                         : end + std::max<Clock::duration>(kPublishEvery, 10 * (end - begin));
}

ReaderStatistics LiveReader::statistics() const {
  return {.bytes_read = bytes_read_,
          .events_read = events_read_,
          .cached_files = cached_files_,
          .snapshots = snapshots_,
          .scalar_bytes = scalar_bytes_,
          .blob_index_bytes = blob_index_bytes_,
          .watched_directories = watched_directories_};
}

}  // namespace cboard::reader
