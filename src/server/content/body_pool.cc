#include "server/content/body_pool.h"

#include <algorithm>

namespace cboard::server {

std::string BodyPool::Take() {
  const std::scoped_lock lock(mutex_);
  if (bodies_.empty()) return {};
  std::string body = std::move(bodies_.back());
  bodies_.pop_back();
  return body;
}

std::shared_ptr<const std::string> BodyPool::Share(std::string body) {
  if (body.size() < kMinBytes) return std::make_shared<const std::string>(std::move(body));
  auto owned = std::make_unique<std::string>(std::move(body));
  const auto give_back = [pool = weak_from_this()](std::string* used) {
    const std::unique_ptr<std::string> owner(used);
    if (const auto alive = pool.lock()) alive->TakeBack(std::move(*used));
  };
  return std::shared_ptr<std::string>(owned.release(), give_back);
}

void BodyPool::TakeBack(std::string body) {
  if (body.capacity() > kMaxBytes) return;
  const std::scoped_lock lock(mutex_);
  if (bodies_.size() < kMaxBodies) bodies_.push_back(std::move(body));
}

std::size_t BodyPool::size() const {
  const std::scoped_lock lock(mutex_);
  return bodies_.size();
}

char* BodyBuffer::Extend(std::size_t count) {
  const std::size_t begin = size_;
  size_ += count;
  if (size_ > bytes_.size()) {
    // Sets only new bytes to zero. Bytes after size_ are unused; if they are skipped, resize() does
    // not copy them.
    bytes_.resize(begin);
    if (size_ > bytes_.capacity()) bytes_.reserve(std::max(size_, 2 * begin));
    bytes_.resize(size_);
  }
  return bytes_.data() + begin;
}

}  // namespace cboard::server
