// A list that grows in an arena while other threads read earlier states of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <type_traits>

#include "reader/index/arena.h"

namespace cboard::reader {

// A list in an arena. When it is full, it is copied to a space of twice the size; the old space
// stays in the arena for readers. While one thread appends, any thread may read data() up to the
// size() of the same moment.
template <typename T>
requires std::is_trivially_copyable_v<T>
class BlockList {
 public:
  void Append(const T& member, Arena& arena) {
    if (size_ == capacity_) Reserve(capacity_ == 0 ? 2 : capacity_ * 2, arena);
    new (&data_[size_]) T(member);
    ++size_;
  }

  void Reserve(std::size_t capacity, Arena& arena) {
    if (capacity <= capacity_) return;
    T* data = reinterpret_cast<T*>(arena.Allocate(capacity * sizeof(T)));
    std::uninitialized_copy_n(data_, size_, data);
    data_ = data;
    capacity_ = capacity;
  }

  const T* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace cboard::reader
