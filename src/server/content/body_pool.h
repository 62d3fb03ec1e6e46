// Memory for long answers, used again and again. Fresh memory comes from the system page by page,
// and that takes several times as long as filling it.
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

// Thread-safe. Bodies may outlive the pool.
class BodyPool : public std::enable_shared_from_this<BodyPool> {
 public:
  static constexpr std::size_t kMaxBodies = 4;
  static constexpr std::size_t kMinBytes = std::size_t{64} << 10;  // Shorter ones are cheap.
  static constexpr std::size_t kMaxBytes = std::size_t{32} << 20;  // Longer ones are given back.

  // Returns a buffer that was used before, if there is one: of any length, with any content.
  std::string Take();

  // Shares `body`, which returns to the pool after its last use.
  std::shared_ptr<const std::string> Share(std::string body);

  std::size_t size() const;

 private:
  void TakeBack(std::string body);

  mutable std::mutex mutex_;
  std::vector<std::string> bodies_;  // Guarded by mutex_.
};

// Bytes that grow at the end, without being cleared first.
class BodyBuffer {
 public:
  explicit BodyBuffer(std::string used) : bytes_(std::move(used)) {}

  // Room for `count` more bytes, of any content; valid until the next call.
  char* Extend(std::size_t count);

  // Forgets everything from `size` on, which must not be beyond the end.
  void CutTo(std::size_t size) { size_ = size; }

  char* data() { return bytes_.data(); }
  std::size_t size() const { return size_; }

  std::string Finish() && {
    bytes_.resize(size_);
    return std::move(bytes_);
  }

 private:
  std::string bytes_;  // Bytes behind size_ are unused.
  std::size_t size_ = 0;
};

}  // namespace cboard::server
