// Statistics and held-out samples in a file, so that a model is calibrated once and quantized
// often.
//
// The file is a safetensors file. Per activation: scalars/NAME, shape/NAME, histogram/NAME,
// channels/NAME ([4, channels]: min, max, sum, sum of squares) and gram/NAME; per held-out sample
// held/INDEX/INPUT. docs/quantize.md lists the metadata.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "quantize/calibration/calibrate.h"

namespace cboard::quantize {

// Identifies a prepared graph by its nodes and constants: statistics of another model are refused.
std::string FingerprintOf(const Graph& graph);

// Writes beside `path` and renames.
Result<void> WriteCalibration(const Calibration& calibration, const CalibrationRequest& request,
                              const std::string& fingerprint, const std::filesystem::path& path);

// Fails with kInvalidArgument when the file is of another model or was made for other tensors, and
// with kDataLoss when it is damaged.
Result<Calibration> ReadCalibration(const std::filesystem::path& path,
                                    const CalibrationRequest& request,
                                    const std::string& fingerprint);

}  // namespace cboard::quantize
