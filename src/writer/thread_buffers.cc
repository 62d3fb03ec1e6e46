#include "writer/thread_buffers.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

namespace cboard {
namespace {

std::atomic<std::uint64_t> g_next_id = 1;
std::atomic<std::uint64_t> g_fork_generation = 0;

// What a thread knows of its buffers. The last one used is kept apart: it nearly always is the
// next one too.
struct Mine {
  struct Entry {
    std::uint64_t id;
    std::shared_ptr<ThreadBuffer> buffer;
  };

  std::uint64_t last_id = 0;
  ThreadBuffer* last = nullptr;
  std::vector<Entry> entries;

  ~Mine() {
    for (const Entry& entry : entries) entry.buffer->thread_gone = true;
  }
};

thread_local Mine t_mine;

void AfterForkInChild() {
  ++g_fork_generation;
  // The parent's buffers may be locked for ever here. They are neither looked at nor freed.
  t_mine.last_id = 0;
  static_cast<void>(new std::vector<Mine::Entry>(std::exchange(t_mine.entries, {})));
}

}  // namespace

std::uint64_t ForkGeneration() { return g_fork_generation.load(std::memory_order_relaxed); }

ThreadBuffers::ThreadBuffers() : id_(g_next_id++) {
  static const int registered = pthread_atfork(nullptr, nullptr, &AfterForkInChild);
  static_cast<void>(registered);
}

ThreadBuffer& ThreadBuffers::OfThisThread() {
  Mine& mine = t_mine;
  if (mine.last_id == id_) return *mine.last;
  auto found = std::ranges::find(mine.entries, id_, &Mine::Entry::id);
  if (found == mine.entries.end()) {
    // A good moment to forget the buffers of files that were closed since.
    std::erase_if(mine.entries, [](const Mine::Entry& entry) {
      const std::lock_guard lock(entry.buffer->lock);
      return entry.buffer->file_closed;
    });
    mine.entries.push_back({id_, TakeOverOrMake()});
    found = mine.entries.end() - 1;
  }
  mine.last_id = id_;
  mine.last = found->buffer.get();
  return *mine.last;
}

std::shared_ptr<ThreadBuffer> ThreadBuffers::TakeOverOrMake() {
  const std::lock_guard lock(mutex_);
  for (const auto& buffer : buffers_) {
    bool gone = true;
    if (buffer->thread_gone.compare_exchange_strong(gone, false)) return buffer;
  }
  buffers_.push_back(std::make_shared<ThreadBuffer>());
  buffers_.back()->file_closed = refuse_new_;
  return buffers_.back();
}

void ThreadBuffers::RefuseNew() {
  const std::lock_guard lock(mutex_);
  refuse_new_ = true;
}

std::vector<std::shared_ptr<ThreadBuffer>> ThreadBuffers::All() const {
  const std::lock_guard lock(mutex_);
  return buffers_;
}

}  // namespace cboard
