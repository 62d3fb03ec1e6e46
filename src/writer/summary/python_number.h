// Formats numbers as Python does, for files that people compare with tensorboardX's.
#pragma once

#include <string>

namespace cboard::writer::summary {

// Appends repr(value): the shortest digits that read back as the same double, with ".0" for whole
// numbers, and with an exponent for magnitudes below 1e-4 or from 1e+16.
void AppendPythonRepr(double value, std::string& out);

}  // namespace cboard::writer::summary
