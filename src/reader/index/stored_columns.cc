#include "reader/index/stored_columns.h"

#include <utility>

#include "cboard/record/crc32c.h"
#include "reader/index/stored_file.h"

namespace cboard::reader {

bool StoredColumns::Verify() const {
  std::lock_guard lock(mutex_);
  return FetchLocked() == State::kRight;
}

void StoredColumns::Rename(std::string path) {
  std::lock_guard lock(mutex_);
  path_ = std::move(path);
}

StoredColumns::State StoredColumns::FetchLocked() const {
  if (state_ != State::kNotFetched) return state_;
  const bool is_there = encoded_.source == nullptr || encoded_.source->Fetch(encoded_.columns);
  const bool is_right = is_there && record::ComputeCrc32c(encoded_.columns) == crc_;
  if (!is_right && encoded_.source != nullptr) encoded_.source->NoteDamage();
  return state_ = is_right ? State::kRight : State::kWrong;
}

void StoredColumns::MakeReady() const {
  std::lock_guard lock(mutex_);
  if (is_ready_.load(std::memory_order_relaxed)) return;
  if (FetchLocked() == State::kWrong) RefillColumns(path_, encoded_);
  is_ready_.store(true, std::memory_order_release);
}

}  // namespace cboard::reader
