// Measures how close the outputs of a quantized model are to those of the float model. This measure
// decides between plans. Outputs after Softmax or Sigmoid are compared before these operators. The
// verdict on the written file is that of `compare` (QuantizeReport::verdict).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cboard::quantize {

struct HeadQuality {
  std::string output;
  double sqnr_db = 0;  // 200 if there is no error.
  // The mean SQNR over samples and channels, so that boxes in pixels do not hide the error of
  // scores, and a sample with large values does not hide the other samples.
  double channel_sqnr_db = 0;
  // True if channel_sqnr_db compares the error with what differs between samples, not with the whole
  // value.
  bool is_without_mean = false;
};

struct EndQuality {
  std::vector<HeadQuality> heads;
  std::size_t samples = 0;
  bool is_held_out = false;  // Calibration did not use these samples.

  // For each sample, the mean SQNR of all heads and of the activations before the last layers,
  // because a head with few values is weak evidence. This value decides between plans.
  std::vector<double> sample_sqnr_db;

  double MeanSqnrDb() const;  // The mean of sample_sqnr_db.
  double MinSqnrDb() const;   // The smallest sqnr_db of a head.
};

// True if `changed` is better than `now`: the mean rises significantly over the samples, and no
// head loses more than 2 dB.
bool IsBetter(const EndQuality& changed, const EndQuality& now, double min_gain_db = 0.05);

}  // namespace cboard::quantize
