#include "cboard/base/pairwise_sum.h"

#include <gmock/gmock.h>

#include <vector>

namespace cboard {
namespace {

// Large and small values in turn, so that every order of additions rounds differently.
std::vector<double> Uneven(int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back((i % 3 == 0 ? 1e10 : 1.0) / (i + 1));
  return values;
}

TEST(PairwiseSum, IsNumpysSumToTheLastBit) {
  // Expected values are float(numpy.sum(values)).hex() of numpy 2.4. A sum from left to right
  // differs for the last two.
  EXPECT_EQ(PairwiseSum(Uneven(7)), 0x1.9f1a9112e2be3p+33);
  EXPECT_EQ(PairwiseSum(Uneven(100)), 0x1.4a7bd6f57b780p+34);
  EXPECT_EQ(PairwiseSum(Uneven(1000)), 0x1.bc30018212890p+34);
}

TEST(PairwiseSum, OfNothingIsZero) { EXPECT_EQ(PairwiseSum({}), 0); }

}  // namespace
}  // namespace cboard
