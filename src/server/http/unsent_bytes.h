// Limits the memory of responses that clients have not read yet.
//
//   std::optional<UnsentBytes::Share> share = unsent.Reserve(body.data(), body.size());
//   if (!share) return InvalidArgument();
//   … send …  // The share ends with its scope.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

namespace cboard::server::net {

// Counts unsent response bytes. Thread-safe. A body that several responses share counts once.
class UnsentBytes {
 public:
  explicit UnsentBytes(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // Bodies up to this size are always sent: connections have a limit of their own.
  static constexpr std::size_t kAlwaysSentBytes = std::size_t{64} << 10;

  // Reserves memory for one body until it is destroyed; movable.
  class Share {
   public:
    Share(UnsentBytes* owner, const void* body) : owner_(owner), body_(body) {}
    Share(Share&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)), body_(other.body_) {}
    Share& operator=(Share&&) = delete;
    ~Share() {
      if (owner_ != nullptr) owner_->Release(body_);
    }

   private:
    UnsentBytes* owner_;  // Null: nothing was counted.
    const void* body_;
  };

  // Returns nullopt if the body and all unsent bodies together exceed the limit. A single body may
  // exceed it.
  std::optional<Share> Reserve(const void* body, std::size_t size_bytes);

  std::size_t total_bytes() const;

  // Returns true once after many bytes were unsent and most have been sent: the allocator should
  // then return memory to the system.
  bool TakeCrowdIsGone();

 private:
  struct Body {
    std::size_t size_bytes = 0;
    std::size_t uses = 0;
  };

  void Release(const void* body);

  const std::size_t max_bytes_;
  mutable std::mutex mutex_;
  std::unordered_map<const void*, Body> bodies_;  // Guarded by mutex_, like the members below.
  std::size_t total_bytes_ = 0;
  std::size_t peak_bytes_ = 0;  // Maximum since memory was last returned.
};

}  // namespace cboard::server::net
