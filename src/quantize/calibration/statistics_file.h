// Stores statistics and held-out samples in a file, so that a model is calibrated once and
// quantized several times.
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

// Returns a fingerprint of a prepared graph, from its nodes and constants: statistics of another
// model are refused.
std::string FingerprintOf(const Graph& graph);

// Writes a temporary file beside `path` and renames it.
Result<void> WriteCalibration(const Calibration& calibration, const CalibrationRequest& request,
                              const std::string& fingerprint, const std::filesystem::path& path);

// Reads the file. Fails with kInvalidArgument if it belongs to another model or was made for other
// tensors, and with kDataLoss if it is damaged.
Result<Calibration> ReadCalibration(const std::filesystem::path& path,
                                    const CalibrationRequest& request,
                                    const std::string& fingerprint);

}  // namespace cboard::quantize
