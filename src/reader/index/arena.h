// Memory for columns that only grow: handed out piece by piece, given back all at once.
//
// Fresh memory is the hidden cost of every loader: the kernel clears it page by page. Arenas
// therefore take their chunks from slabs of huge pages that all arenas of the process share, so
// that ten thousand small files cost neither ten thousand huge pages nor millions of small ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace cboard::reader {

class Slab;  // A huge page, alive as long as a chunk of it is.

// Not thread-safe, but what was allocated may be read from any thread as long as the arena lives.
class Arena {
 public:
  Arena();
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Never null; aligned to 8 bytes. Lives as long as the arena.
  std::byte* Allocate(std::size_t bytes);

  // Keeps `owner` alive as long as the arena: the mapped file in which decoded columns lie.
  void Keep(std::shared_ptr<const void> owner);

  // Size of the arena, with unused space at the end.
  std::size_t size_bytes() const { return size_bytes_; }

 private:
  // Room that is left of a chunk.
  struct Lane {
    std::byte* next = nullptr;
    std::size_t left_bytes = 0;
  };

  std::vector<std::shared_ptr<Slab>> slabs_;
  std::vector<std::shared_ptr<const void>> owners_;
  Lane small_;  // Apart, so that a small piece does not begin a chunk that a large one cannot use.
  Lane large_;
  std::size_t size_bytes_ = 0;
};

}  // namespace cboard::reader
