// Numbers in sentences.
#pragma once

#include <span>
#include <string>

namespace cboard::verdict {

// The SQNR that is logged where there is no error, and its negative where there is nothing else:
// TensorBoard draws no infinite values, and exact layers have to be visible, too.
inline constexpr double kLoggedExactDb = 200;

// Four significant digits: 0.3333, 12.5, 1.2e+06.
std::string ShortNumber(double value, int digits = 4);

// 0.317 -> "31.7 %".
std::string Percent(double share);

// With a true minus: "−0.42". Large numbers stay readable: 1.2e+30.
std::string FixedNumber(double value, int decimals);

// Whether there is nothing but error, as it was logged or worked out.
bool IsLost(double db);

// An SQNR: "5.2"; "exact" where there is no error, "lost" where there is nothing else.
std::string DbText(double db);

// "5.2 dB", "exact", "lost".
std::string DbWithUnit(double db);

// "SQNR is 5.213 dB"; "the signal is lost".
std::string SqnrClause(double db);

// "+6.8", "−0.3"; "exact" if the error is gone, and "from lost" if there was no signal before, so
// that the gain has no number.
std::string GainText(double gain_db);

// How many decimals the numbers of a column are to have, so that points stand below points: as many
// as show four digits of the largest, up to two more where the small ones need them for three
// digits, and none that no number has; never more than four.
int DecimalsOfColumn(std::span<const double> values);

// As FixedNumber, but what would read as zero and is none stays what it is: 3e-06.
std::string ColumnNumber(double value, int decimals);

// "3.96×", "23.1×"; three decimals near 1, so that 1.002 never reads as break-even.
std::string TimesText(double times);

}  // namespace cboard::verdict
