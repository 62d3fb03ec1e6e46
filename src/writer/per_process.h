// Manages state across fork().
//
// A child process has none of its parent's threads, and locks that these threads held stay locked
// forever. A child therefore does not use state that depends on threads or locks, and creates its
// own.
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

// Returns the number of forks between the start of the program and this process. State that was
// created with another number belongs to a parent process.
inline std::uint64_t ForkGeneration() {
  return internal::fork_generation.load(std::memory_order_relaxed);
}

// Delays fork() while the object lives, so that a child never inherits an incomplete change. Hold
// it only briefly, and take no other lock meanwhile.
class ForkBlocker {
 public:
  ForkBlocker() : lock_(internal::fork_mutex) {}

 private:
  std::lock_guard<std::mutex> lock_;
};

// An object of type T that belongs to this process. A forked child creates a new object on first
// use; it neither changes nor frees the object of its parent. If T has a method Inherit(const T&
// parent), the method may copy the members that the parent changes only under a ForkBlocker.
// Thread-safe.
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
