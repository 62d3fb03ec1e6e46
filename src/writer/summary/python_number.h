// Formats numbers like Python, for files that people compare with the files of tensorboardX.
#pragma once

#include <string>

namespace cboard::writer::summary {

// Appends the text that repr(value) gives in Python: the shortest digits that read back as the same
// double. Whole numbers end with ".0"; magnitudes below 1e-4 or from 1e+16 on have an exponent.
void AppendPythonRepr(double value, std::string& out);

}  // namespace cboard::writer::summary
