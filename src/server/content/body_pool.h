// Reuses the memory of long response bodies. The operating system provides new memory page by page,
// which takes several times as long as filling it.
//
//   BodyBuffer buffer(pool->Take());
//   std::memcpy(buffer.Extend(n), columns, n);
//   response.shared_body = pool->Share(std::move(buffer).Finish());
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace cboard::server {

// A pool of buffers. Thread-safe. Bodies may outlive the pool.
class BodyPool : public std::enable_shared_from_this<BodyPool> {
 public:
  static constexpr std::size_t kMaxBodies = 4;
  // Minimum size of a pooled body: shorter bodies are cheap to allocate.
  static constexpr std::size_t kMinBytes = std::size_t{64} << 10;
  // Maximum size of a pooled body: longer bodies are freed at once.
  static constexpr std::size_t kMaxBytes = std::size_t{32} << 20;

  // Returns a used buffer if the pool has one, else a new one. Its length and content are
  // undefined.
  std::string Take();

  // Shares `body`. After its last use, `body` returns to the pool.
  std::shared_ptr<const std::string> Share(std::string body);

  std::size_t size() const;

 private:
  void TakeBack(std::string body);

  mutable std::mutex mutex_;
  std::vector<std::string> bodies_;  // Guarded by mutex_.
};

// A byte buffer that grows at its end without clearing the new bytes.
class BodyBuffer {
 public:
  explicit BodyBuffer(std::string used) : bytes_(std::move(used)) {}

  // Adds `count` uninitialized bytes and returns a pointer to them; valid until the next call.
  char* Extend(std::size_t count);

  // Drops all bytes from position `size` on; `size` must be at most the current size.
  void CutTo(std::size_t size) { size_ = size; }

  char* data() { return bytes_.data(); }
  std::size_t size() const { return size_; }

  std::string Finish() && {
    bytes_.resize(size_);
    return std::move(bytes_);
  }

 private:
  std::string bytes_;  // Bytes after size_ are unused.
  std::size_t size_ = 0;
};

}  // namespace cboard::server
