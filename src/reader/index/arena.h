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
  Arena();
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Allocates memory. Never returns null. The memory is aligned to 8 bytes and lives as long as the
  // arena.
  std::byte* Allocate(std::size_t bytes);

  // Keeps `owner` alive as long as the arena. `owner` is the mapped file that contains the decoded
  // columns.
  void Keep(std::shared_ptr<const void> owner);

  // Returns the size of the arena in bytes, including unused space.
  std::size_t size_bytes() const { return size_bytes_; }

 private:
  // The unused rest of a chunk.
  struct Lane {
    std::byte* next = nullptr;
    std::size_t left_bytes = 0;
  };

  std::vector<std::shared_ptr<Slab>> slabs_;
  std::vector<std::shared_ptr<const void>> owners_;
  // Small and large pieces use separate chunks. Otherwise a small piece could begin a chunk that is
  // then too small for a large piece.
  Lane small_;
  Lane large_;
  std::size_t size_bytes_ = 0;
};

}  // namespace cboard::reader
