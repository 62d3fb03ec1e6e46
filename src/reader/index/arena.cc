#include "reader/index/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <span>
#include <utility>

namespace cboard::reader {
namespace {

constexpr std::size_t kSlabBytes = std::size_t{2} << 20;  // The size of a huge page.
constexpr std::size_t kMaxSmallBytes = 512;
constexpr std::size_t kMaxChunkBytes = 256 << 10;

// Chunk size of a scratch arena. The points of most short files fit into one chunk.
constexpr std::size_t kScratchChunkBytes = 64 << 10;

// The scratch arena that this thread can use again.
std::shared_ptr<Arena>& SpareArena() {
  thread_local std::shared_ptr<Arena> spare;
  return spare;
}

constexpr std::size_t RoundUp(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

class Slab {
 public:
  explicit Slab(std::size_t bytes) : bytes_(RoundUp(bytes, kSlabBytes)) {
    // For large blocks, aligned_alloc() returns fresh memory. Huge pages need this alignment.
    memory_ = static_cast<std::byte*>(std::aligned_alloc(kSlabBytes, bytes_));
    if (memory_ == nullptr) throw std::bad_alloc();
    ::madvise(memory_, bytes_, MADV_HUGEPAGE);  // If this fails, the memory is slower but valid.
  }
  ~Slab() { std::free(memory_); }
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;

  // Takes up to `bytes` bytes of the slab's unused memory.
  std::span<std::byte> Take(std::size_t bytes) {
    const std::span<std::byte> taken(memory_ + used_, std::min(bytes, bytes_ - used_));
    used_ += taken.size();
    return taken;
  }
  std::size_t left_bytes() const { return bytes_ - used_; }

 private:
  std::byte* memory_ = nullptr;
  std::size_t bytes_;
  std::size_t used_ = 0;  // Protected by the mutex of TakeChunk().
};

namespace {

struct Chunk {
  std::shared_ptr<Slab> slab;
  std::span<std::byte> memory;
};

// Takes `wanted` bytes. If the slab has less memory left, takes at least `needed` bytes.
Chunk TakeChunk(std::size_t needed, std::size_t wanted) {
  static std::mutex mutex;
  // The slab is never destroyed: threads may still be reading files when the program ends.
  static auto& current = *new std::shared_ptr<Slab>(std::make_shared<Slab>(kSlabBytes));
  if (needed > kMaxChunkBytes) {
    auto slab = std::make_shared<Slab>(needed);
    const std::span<std::byte> memory = slab->Take(needed);
    return {std::move(slab), memory};
  }
  const std::lock_guard lock(mutex);
  if (current->left_bytes() < needed) current = std::make_shared<Slab>(kSlabBytes);
  return {current, current->Take(wanted)};
}

}  // namespace

Arena::Arena(std::size_t min_chunk_bytes) : min_chunk_bytes_(min_chunk_bytes) {}
Arena::~Arena() = default;

std::byte* Arena::Allocate(std::size_t bytes) {
  bytes = RoundUp(bytes, 8);
  Lane& lane = bytes <= kMaxSmallBytes ? small_ : large_;
  if (bytes > lane.left_bytes) {
    // The size of a new chunk is proportional to the size of the arena, so that at most 1/32 of the
    // arena is unused. It is a multiple of the requested bytes, which avoids gaps.
    const std::size_t wanted = std::clamp(size_bytes_ / 32, min_chunk_bytes_, kMaxChunkBytes);
    Chunk chunk = TakeChunk(bytes, RoundUp(wanted, bytes));
    if (lane.slab && (slabs_.empty() || slabs_.back() != lane.slab)) {
      slabs_.push_back(std::move(lane.slab));
    }
    lane = {.slab = std::move(chunk.slab),
            .begin = chunk.memory.data(),
            .next = chunk.memory.data(),
            .left_bytes = chunk.memory.size()};
    size_bytes_ += chunk.memory.size();
  }
  std::byte* allocated = lane.next;
  lane.next += bytes;
  lane.left_bytes -= bytes;
  return allocated;
}

void Arena::Reset() {
  slabs_.clear();
  owners_.clear();
  size_bytes_ = 0;
  for (Lane* const lane : {&small_, &large_}) {
    lane->left_bytes += lane->used_bytes();
    lane->next = lane->begin;
    size_bytes_ += lane->left_bytes;
  }
}

void Arena::Keep(std::shared_ptr<const void> owner) { owners_.push_back(std::move(owner)); }

std::shared_ptr<Arena> TakeScratchArena() {
  std::shared_ptr<Arena> arena = std::exchange(SpareArena(), nullptr);
  return arena ? arena : std::make_shared<Arena>(kScratchChunkBytes);
}

void ReturnScratchArena(std::shared_ptr<Arena> arena) {
  if (arena.use_count() != 1) return;
  arena->Reset();
  SpareArena() = std::move(arena);
}

}  // namespace cboard::reader
