// A hash table from the tag names of a file to numbers. It uses a single allocation.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace cboard::reader {

// A hash table that does not store the names. The caller's `name_of(number)` must return the name
// that was added with this number.
class NameTable {
 public:
  // Returns the number of `name`, or -1 if the table does not contain it.
  template <typename NameOf>
  std::int64_t Find(std::string_view name, const NameOf& name_of) const {
    if (slots_.empty()) return -1;
    const std::uint32_t hash = HashOf(name);
    for (std::size_t slot = hash & Mask();; slot = (slot + 1) & Mask()) {
      if (slots_[slot].number < 0) return -1;
      if (slots_[slot].hash == hash && name_of(slots_[slot].number) == name) {
        return slots_[slot].number;
      }
    }
  }

  // Adds a name that is not in the table.
  void Add(std::string_view name, std::uint32_t number) {
    if (2 * (count_ + 1) > slots_.size()) Grow();
    Put({HashOf(name), static_cast<std::int32_t>(number)});
    ++count_;
  }

  void Clear() {
    slots_.clear();
    count_ = 0;
  }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::int32_t number = -1;
  };

  static std::uint32_t HashOf(std::string_view name) {
    const std::uint64_t hash = std::hash<std::string_view>()(name);
    return static_cast<std::uint32_t>(hash ^ hash >> 32);
  }

  std::size_t Mask() const { return slots_.size() - 1; }

  void Put(Slot added) {
    std::size_t slot = added.hash & Mask();
    while (slots_[slot].number >= 0) slot = (slot + 1) & Mask();
    slots_[slot] = added;
  }

  void Grow() {
    const std::vector<Slot> old = std::move(slots_);
    slots_.assign(old.empty() ? 32 : 2 * old.size(), Slot{});
    for (const Slot& slot : old) {
      if (slot.number >= 0) Put(slot);
    }
  }

  // The slots of the table, which uses open addressing. The number of slots is a power of two, and
  // at most half of them are used.
  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace cboard::reader
