// For tests of code that is compiled once per instruction set: runs them all, not just the best
// one of the machine at hand.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace cboard::testing {

template <typename Test>
void OnEveryInstructionSet(Test test) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    test();
    hwy::SetSupportedTargetsForTest(0);  // Back to what the machine has.
  }
}

}  // namespace cboard::testing
