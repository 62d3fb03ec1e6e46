// Measures how close the outputs of a quantized model are to the outputs of the float model. This
// measure decides between plans. Outputs after Softmax or Sigmoid are compared before these
// operators. In contrast, the verdict on the written file is computed like in `compare`
// (QuantizeReport::verdict).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cboard::quantize {

struct HeadQuality {
  std::string output;
  double sqnr_db = 0;  // 200 if there is no error.
  // The mean SQNR over samples and channels, so that large values (boxes in pixels, or one sample
  // with large values) do not hide the error of small values (scores, or other samples).
  double channel_sqnr_db = 0;
  // True if channel_sqnr_db compares the error with what differs between samples, not with the whole
  // value.
  bool is_without_mean = false;
};

struct EndQuality {
  std::vector<HeadQuality> heads;
  std::size_t samples = 0;
  bool is_held_out = false;  // Calibration did not use these samples.

  // For each sample, the mean SQNR of all heads and of the activations before the last layers. The
  // activations are included because a head with few values is weak evidence. This value decides
  // between plans.
  std::vector<double> sample_sqnr_db;

  double MeanSqnrDb() const;  // The mean of sample_sqnr_db.
  double MinSqnrDb() const;   // The smallest sqnr_db of a head.
};

// True if the outputs of `changed` are better than those of `now`: the mean SQNR rises
// significantly over the samples, and no head loses more than 2 dB.
bool IsBetter(const EndQuality& changed, const EndQuality& now, double min_gain_db = 0.05);

}  // namespace cboard::quantize
