// Lets other threads end the poll() of a thread.
#pragma once

#include <memory>

#include "cboard/base/result.h"

namespace cboard::reader {

class WakeUp {
 public:
  // Creates the object. Fails if the process has no free file descriptor.
  static Result<std::unique_ptr<WakeUp>> Create();
  ~WakeUp();
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  void Ring();   // May be called from any thread.
  void Clear();  // Called by the waiting thread, before it checks the reason why it was woken.

  int descriptor() const { return descriptor_; }

 private:
  explicit WakeUp(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace cboard::reader
