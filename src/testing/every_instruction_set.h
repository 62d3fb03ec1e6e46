// For tests of code that is compiled once per instruction set: runs them all, not just the best
// one of the machine at hand.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace cboard::testing {

template <typename Test>
void OnEveryInstructionSet(Test test) {
  // Files choose what they are compiled for, so this asks the processor; those that were not
  // compiled for it take the simplest.
  for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
    const std::int64_t target = left & -left;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    test();
    hwy::SetSupportedTargetsForTest(0);  // Back to what the machine has.
  }
}

}  // namespace cboard::testing
