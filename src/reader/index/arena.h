// Memory for columns that only grow. It is allocated in pieces and freed all at once.
//
// Fresh memory is expensive, because the kernel clears every page. Arenas therefore take their
// chunks from slabs of huge pages, which all arenas of the process share. Ten thousand small files
// then need neither ten thousand huge pages nor millions of small pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace cboard::reader {

class Slab;  // A slab is one huge page. It lives as long as one of its chunks.

// An allocator of memory that lives as long as the arena. Not thread-safe, but any thread may read
// allocated memory.
class Arena {
 public:
  // Takes memory from the slabs in chunks of at least `min_chunk_bytes`.
  explicit Arena(std::size_t min_chunk_bytes = 1 << 10);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Allocates memory. Never returns null. The memory is aligned to 8 bytes and lives as long as the
  // arena.
  std::byte* Allocate(std::size_t bytes);

  // Keeps `owner` alive as long as the arena. `owner` is the mapped file that contains the decoded
  // columns.
  void Keep(std::shared_ptr<const void> owner);

  // Makes the newest memory of the arena available again, and releases the rest. Nothing that was
  // allocated before may be used afterwards.
  void Reset();

  // Returns the size of the arena in bytes, including unused space.
  std::size_t size_bytes() const { return size_bytes_; }

 private:
  // A chunk, and its unused rest.
  struct Lane {
    std::shared_ptr<Slab> slab;
    std::byte* begin = nullptr;
    std::byte* next = nullptr;
    std::size_t left_bytes = 0;

    std::size_t used_bytes() const { return static_cast<std::size_t>(next - begin); }
  };

  const std::size_t min_chunk_bytes_;
  std::vector<std::shared_ptr<Slab>> slabs_;  // The slabs of full chunks.
  std::vector<std::shared_ptr<const void>> owners_;
  // Small and large pieces use separate chunks. Otherwise a small piece could begin a chunk that is
  // then too small for a large piece.
  Lane small_;
  Lane large_;
  std::size_t size_bytes_ = 0;
};

// Returns an arena for columns that are soon copied elsewhere. If the arena is then passed to
// ReturnScratchArena(), the next file of this thread uses the same memory.
std::shared_ptr<Arena> TakeScratchArena();

// Keeps the memory of `arena` for TakeScratchArena(), unless somebody else uses the arena.
void ReturnScratchArena(std::shared_ptr<Arena> arena);

}  // namespace cboard::reader
