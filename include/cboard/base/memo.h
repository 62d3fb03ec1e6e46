// Memos: results that are computed once for an immutable object, stored in it and destroyed with
// it.
//
//   struct Run {
//     …
//     Notes notes;
//   };
//   const Kinds& kinds = run.notes.Get<Kinds>([&] { return KindsOf(run); });
//
// An object has at most one memo of each type, so independent modules can add memos of their own
// types.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace cboard {

// The memos of an object. All methods except assignment may be called from any thread. A copy has
// no memos, because objects are copied to be changed.
class Notes {
 public:
  Notes() = default;
  Notes(const Notes&) {}
  Notes& operator=(const Notes&) {
    Clear();
    return *this;
  }
  ~Notes() { Clear(); }

  // Returns the memo of type T, or nullptr if there is none. The memo lives as long as its object.
  template <typename T>
  const T* Find() const {
    return Among<T>(first_.load(std::memory_order_acquire));
  }

  // Returns the memo of type T. If there is none, calls `make` and stores the result. If several
  // threads do this at the same time, one result is stored and returned to all of them.
  template <typename T, typename Make>
  const T& Get(const Make& make) const {
    const T* const known = Find<T>();
    return known != nullptr ? *known : Keep<T>(make());
  }

  // Stores `value` as the memo of type T, unless there is one already. Returns the stored memo.
  template <typename T>
  const T& Keep(T value) const {
    auto added = std::make_unique<MemoEntryOf<T>>(std::move(value));
    added->next = first_.load(std::memory_order_acquire);
    do {
      if (const T* const known = Among<T>(added->next)) return *known;
    } while (!first_.compare_exchange_weak(added->next, added.get(), std::memory_order_acq_rel,
                                           std::memory_order_acquire));
    return added.release()->value;
  }

 private:
  struct Note {
    virtual ~Note() = default;
    virtual const void* type() const = 0;
    Note* next = nullptr;
  };
  template <typename T>
  struct MemoEntryOf final : Note {
    explicit MemoEntryOf(T kept) : value(std::move(kept)) {}
    const void* type() const override { return &kType; }
    static constexpr char kType = 0;  // Its address is different for each type.
    const T value;
  };

  template <typename T>
  static const T* Among(const Note* note) {
    for (; note != nullptr; note = note->next) {
      if (note->type() == &MemoEntryOf<T>::kType)
        return &static_cast<const MemoEntryOf<T>*>(note)->value;
    }
    return nullptr;
  }

  void Clear() {
    const Note* note = first_.exchange(nullptr, std::memory_order_acq_rel);
    while (note != nullptr) delete std::exchange(note, note->next);
  }

  // Head of a singly linked list. Entries are only added, and there are few of them.
  mutable std::atomic<Note*> first_ = nullptr;
};

}  // namespace cboard
