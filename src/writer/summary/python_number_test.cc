#include "writer/summary/python_number.h"

#include <gtest/gtest.h>

#include <limits>

namespace cboard::writer::summary {
namespace {

std::string Repr(double value) {
  std::string text;
  AppendPythonRepr(value, text);
  return text;
}

TEST(PythonRepr, PrintsAsPythonDoes) {
  EXPECT_EQ(Repr(0), "0.0");
  EXPECT_EQ(Repr(-0.0), "-0.0");
  EXPECT_EQ(Repr(1), "1.0");
  EXPECT_EQ(Repr(-100), "-100.0");
  EXPECT_EQ(Repr(0.5), "0.5");
  EXPECT_EQ(Repr(12.75), "12.75");
  EXPECT_EQ(Repr(0.1f), "0.10000000149011612");
  EXPECT_EQ(Repr(1.0 / 3), "0.3333333333333333");
}

TEST(PythonRepr, TurnsToExponentsWherePythonDoes) {
  EXPECT_EQ(Repr(0.0001), "0.0001");
  EXPECT_EQ(Repr(0.00012345), "0.00012345");
  EXPECT_EQ(Repr(0.00001), "1e-05");
  EXPECT_EQ(Repr(-1.5e-7), "-1.5e-07");
  EXPECT_EQ(Repr(1e15), "1000000000000000.0");
  EXPECT_EQ(Repr(9999999999999998), "9999999999999998.0");
  EXPECT_EQ(Repr(1e16), "1e+16");
  EXPECT_EQ(Repr(123456789012345680), "1.2345678901234568e+17");
  EXPECT_EQ(Repr(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
  EXPECT_EQ(Repr(std::numeric_limits<double>::denorm_min()), "5e-324");
}

TEST(PythonRepr, NamesWhatIsNotFinite) {
  EXPECT_EQ(Repr(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(Repr(-std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(Repr(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(Repr(-std::numeric_limits<double>::infinity()), "-inf");
}

}  // namespace
}  // namespace cboard::writer::summary
