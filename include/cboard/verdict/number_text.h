// Formats numbers for sentences and tables.
#pragma once

#include <span>
#include <string>

namespace cboard::verdict {

// The SQNR that is logged if there is no error. If the signal is lost, the same number with a minus
// sign is logged. Infinite values are not logged, because TensorBoard does not draw them.
inline constexpr double kLoggedExactDb = 200;

// Formats a number with four significant digits: 0.3333, 12.5, 1.2e+06.
std::string ShortNumber(double value, int digits = 4);

// 0.317 -> "31.7 %".
std::string Percent(double share);

// Formats a number with fixed decimals and a typographic minus: "−0.42". Large numbers stay short:
// 1.2e+30.
std::string FixedNumber(double value, int decimals);

// True if an SQNR means that the signal is lost; accepts logged and computed values.
bool IsLost(double db);

// Formats an SQNR: "5.2"; "exact" if there is no error, "lost" if the signal is lost.
std::string DbText(double db);

// Formats an SQNR with its unit: "5.2 dB", "exact", "lost".
std::string DbWithUnit(double db);

// Formats an SQNR as a clause: "SQNR is 5.213 dB"; "the signal is lost".
std::string SqnrClause(double db);

// Formats a gain in dB: "+6.8", "−0.3"; "exact" if no error remains, and "from lost" if the signal
// was lost before, because the gain is then infinite.
std::string GainText(double gain_db);

// Returns the number of decimals for the numbers of a column, so that their decimal points are
// aligned. The number is large enough for four significant digits of the largest value. It is up to
// two larger if small values need more decimals for three significant digits. It is at most four,
// and not larger than the number of decimals of any value.
int DecimalsOfColumn(std::span<const double> values);

// Formats a number like FixedNumber, but a non-zero value never becomes zero: 3e-06.
std::string ColumnNumber(double value, int decimals);

// Formats a factor: "3.96×", "23.1×"; three decimals near 1, so that 1.002 is not shown as 1.
std::string TimesText(double times);

}  // namespace cboard::verdict
