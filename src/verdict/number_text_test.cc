#include "cboard/verdict/number_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace cboard::verdict {
namespace {

int Decimals(const std::vector<double>& values) { return DecimalsOfColumn(values); }

TEST(NumberText, AColumnHasTheDecimalsThatItsNumbersNeed) {
  EXPECT_EQ(Decimals({217.61, 9.42}), 2);
  EXPECT_EQ(Decimals({513.2, 1.862}), 2);
  EXPECT_EQ(Decimals({1032.4, 3.162}), 2);
  EXPECT_EQ(Decimals({247.94, 0.0394}), 3);  // Six digits of the largest are enough.
  EXPECT_EQ(Decimals({0.0394, 9, 8, 7, 6, 5, 4, 3, 2, 21.12}), 2);  // One in ten is no reason.
  EXPECT_EQ(Decimals({0.1234}), 4);
  EXPECT_EQ(Decimals({12, 3}), 0);  // Nothing needs any.
  EXPECT_EQ(Decimals({123456.7, 98765.4}), 0);
  EXPECT_EQ(Decimals({1000, 3e-9}), 0);  // A speck does not give zeros to all the others.
  EXPECT_EQ(Decimals({1.5, 3e-9}), 1);
}

TEST(NumberText, AColumnOfNothingHasNone) {
  EXPECT_EQ(Decimals({}), 0);
  EXPECT_EQ(Decimals({0, -0.0}), 0);
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Decimals({infinite, -infinite, std::nan("")}), 0);
  EXPECT_EQ(Decimals({infinite, 2.5}), 1);
}

TEST(NumberText, WhatIsNotZeroDoesNotReadAsZero) {
  EXPECT_EQ(ColumnNumber(2.5, 2), "2.50");
  EXPECT_EQ(ColumnNumber(-2.5, 1), "−2.5");
  EXPECT_EQ(ColumnNumber(0, 2), "0.00");
  EXPECT_EQ(ColumnNumber(3e-9, 2), "3e-09");
  EXPECT_EQ(ColumnNumber(0.006, 2), "0.01");
  EXPECT_EQ(ColumnNumber(1e30, 2), "1e+30");
  EXPECT_EQ(ColumnNumber(std::nan(""), 2), "nan");
}

}  // namespace
}  // namespace cboard::verdict
