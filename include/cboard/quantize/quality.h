// How close the outputs of a quantized model are to those of the float model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cboard::quantize {

struct HeadQuality {
  std::string output;
  double sqnr_db = 0;  // 200 if there is no error.
  // The share of rows of the last dimension whose largest value is at the same place; nothing where
  // rows have one value.
  std::optional<double> agreement;
};

struct EndQuality {
  std::vector<HeadQuality> heads;
  std::size_t samples = 0;
  bool is_held_out = false;  // Calibration did not use these samples.

  // The mean over heads, each limited to 100 dB.
  double MeanSqnrDb() const;
  double MinSqnrDb() const;
};

// Whether `changed` improves on `now`: the mean rises and no head loses more than 0.5 dB.
bool IsBetter(const EndQuality& changed, const EndQuality& now, double min_gain_db = 0.05);

}  // namespace cboard::quantize
