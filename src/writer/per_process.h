// State across fork().
//
// A child process has none of its parent's threads, and locks that they held stay locked for ever.
// A child therefore leaves state that depends on threads or locks alone and makes its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace cboard::writer {

namespace internal {
extern std::atomic<std::uint64_t> fork_generation;
extern std::mutex fork_mutex;
}  // namespace internal

// Counts the forks that led to this process. State made under another number is the parent's.
inline std::uint64_t ForkGeneration() {
  return internal::fork_generation.load(std::memory_order_relaxed);
}

// While one lives, fork() waits: a child never inherits a change that is half done. Hold it
// briefly, and take no other lock meanwhile.
class ForkBlocker {
 public:
  ForkBlocker() : lock_(internal::fork_mutex) {}

 private:
  std::lock_guard<std::mutex> lock_;
};

// A T of this process: a child gets a new one on first use. The child neither changes nor frees the
// parent's. A T with a method Inherit(const T& parent) may copy the parts that the parent changes
// only under a ForkBlocker. Thread-safe.
template <typename T>
class PerProcess {
 public:
  PerProcess() : owned_(new Owned) {}
  ~PerProcess() {
    const Owned* owned = owned_;
    if (owned->generation == ForkGeneration()) delete owned;
  }
  PerProcess(const PerProcess&) = delete;
  PerProcess& operator=(const PerProcess&) = delete;

  T& Get() {
    Owned* owned = owned_.load(std::memory_order_acquire);
    if (owned->generation != ForkGeneration()) {
      auto fresh = std::make_unique<Owned>();
      if constexpr (requires { fresh->value.Inherit(owned->value); }) {
        fresh->value.Inherit(owned->value);
      }
      if (owned_.compare_exchange_strong(owned, fresh.get())) owned = fresh.release();
    }
    return owned->value;
  }

 private:
  struct Owned {
    T value;
    std::uint64_t generation = ForkGeneration();
  };

  std::atomic<Owned*> owned_;
};

}  // namespace cboard::writer
