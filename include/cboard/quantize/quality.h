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
  // The mean SQNR of samples and of their channels: boxes in pixels do not hide the error of
  // scores, and a sample with large values does not hide the others.
  double channel_sqnr_db = 0;
  // The share of rows of the last dimension whose largest value is at the same place; nothing where
  // rows have one value.
  std::optional<double> agreement;
};

struct EndQuality {
  std::vector<HeadQuality> heads;
  std::size_t samples = 0;
  bool is_held_out = false;  // Calibration did not use these samples.

  // By sample, the mean SQNR of all heads and of the activations in front of the last layers: a
  // head of a few values alone says little. Decides between plans.
  std::vector<double> sample_sqnr_db;

  double MeanSqnrDb() const;  // The mean of sample_sqnr_db.
  double MinSqnrDb() const;   // The smallest sqnr_db of a head.
};

// Whether `changed` improves on `now`: the mean rises by more than chance, sample by sample, and no
// head loses more than 2 dB.
bool IsBetter(const EndQuality& changed, const EndQuality& now, double min_gain_db = 0.05);

}  // namespace cboard::quantize
