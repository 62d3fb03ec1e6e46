#include "writer/thread_buffers.h"

#include <pthread.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace cboard::writer {

CBOARD_NEAR_THREAD_LOCAL thread_local constinit internal::LastUsed internal::t_last;

namespace {

using internal::t_last;

std::atomic<std::uint64_t> g_next_id = 1;

thread_local constinit bool t_ending = false;

// The buffers of this thread. The key is the id of the file.
struct Mine {
  std::unordered_map<std::uint64_t, std::shared_ptr<ThreadBuffer>> buffers;
  std::size_t forget_at = 16;  // The number of buffers at which closed files are removed next.

  // Releases the buffers of closed files. Does this only when the number of buffers has doubled, so
  // that opening many files stays fast.
  void ForgetClosed() {
    if (buffers.size() < forget_at) return;
    std::erase_if(buffers, [](const auto& entry) {
      ThreadBuffer& buffer = *entry.second;
      buffer.lock.Own();
      const bool closed = buffer.file_closed;
      buffer.lock.Unlock();
      return closed;
    });
    forget_at = std::max<std::size_t>(16, 2 * buffers.size());
  }

  ~Mine() {
    t_last = {};
    t_ending = true;
    for (const auto& [id, buffer] : buffers) buffer->thread_gone = true;
  }
};

thread_local Mine t_thread_state;

// In a forked child, the parent's buffers may be locked forever. They are neither used nor freed.
void AfterForkInChild() {
  t_last = {};
  if (!t_ending) static_cast<void>(new auto(std::exchange(t_thread_state.buffers, {})));
}

[[maybe_unused]] const int g_reset_in_children =
    pthread_atfork(nullptr, nullptr, &AfterForkInChild);

}  // namespace

ThreadBuffers::ThreadBuffers() : id_(g_next_id++) {}

ThreadBuffer& ThreadBuffers::OfThisThread() {
  if (ThreadBuffer* const last = LastOfThisThread()) return *last;
  if (t_ending) return *OfEndingThreads();
  t_last = {id_, &Find()};
  return *t_last.buffer;
}

ThreadBuffer& ThreadBuffers::Find() {
  Mine& mine = t_thread_state;
  if (const auto found = mine.buffers.find(id_); found != mine.buffers.end()) return *found->second;
  mine.ForgetClosed();
  return *mine.buffers.emplace(id_, ReuseOrCreateBuffer()).first->second;
}

std::shared_ptr<ThreadBuffer> ThreadBuffers::ReuseOrCreateBuffer() {
  const std::lock_guard lock(mutex_);
  for (const auto& buffer : buffers_) {
    bool gone = true;
    if (buffer->thread_gone.compare_exchange_strong(gone, false)) return buffer;
  }
  return Make();
}

std::shared_ptr<ThreadBuffer> ThreadBuffers::OfEndingThreads() {
  const std::lock_guard lock(mutex_);
  if (of_ending_threads_ == nullptr) {
    of_ending_threads_ = Make();
    of_ending_threads_->of_many_threads = true;
  }
  return of_ending_threads_;
}

std::shared_ptr<ThreadBuffer> ThreadBuffers::Make() {
  buffers_.push_back(std::make_shared<ThreadBuffer>());
  buffers_.back()->file_closed = refuse_new_;
  return buffers_.back();
}

void ThreadBuffers::RejectNewEvents() {
  const std::lock_guard lock(mutex_);
  refuse_new_ = true;
}

std::vector<std::shared_ptr<ThreadBuffer>> ThreadBuffers::All() const {
  const std::lock_guard lock(mutex_);
  return buffers_;
}

}  // namespace cboard::writer
