// Runs code that is compiled once per instruction set with all of them, not only with the best one
// of this machine.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace cboard::testing {

template <typename Test>
void OnEveryInstructionSet(Test test) {
  // Tries all targets of the processor; code that was not compiled for a target uses the simplest
  // one.
  for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
    const std::int64_t target = left & -left;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    test();
    hwy::SetSupportedTargetsForTest(0);  // Restores the targets of the machine.
  }
}

}  // namespace cboard::testing
