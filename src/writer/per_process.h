// State that does not survive a fork.
//
// A child process has none of its parent's threads, and locks that they held stay held for ever.
// What depends on either is left alone there and made anew.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace cboard {

namespace internal {
extern std::atomic<std::uint64_t> fork_generation;
}  // namespace internal

// Counts the forks that led to this process. State made under another number is the parent's.
inline std::uint64_t ForkGeneration() {
  return internal::fork_generation.load(std::memory_order_relaxed);
}

// A T of this process: a child gets a new one on first use. The parent's, which could be in any
// state, is neither touched nor freed there. Thread-safe.
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

}  // namespace cboard
