// Reads the YAML file that configures a tuning, in the format of neural-compressor and its
// predecessors.
//
//   CBOARD_ASSIGN_OR_RETURN(const TuningConfig config, ReadTuningConfig("resnet18.yaml"));
//   TuningLogger logger({.enabled = config.tensorboard});
//   logger.StartTrial(config.settings);
//
//   tuning:
//     tensorboard: true            # logs; off unless said so
//     accuracy_criterion: {relative: 0.01}
//   quantization:
//     op_wise: {'v0/cg/conv0/conv2d/Conv2D': {'activation': {'dtype': ['fp32']}}}
#pragma once

#include <filesystem>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/compression/tuning_logger.h"

namespace cboard::compression {

struct TuningConfig {
  // True if the file contains `tensorboard: true`, under `tuning` or at the top level.
  bool tensorboard = false;
  // All values below `quantization` and `tuning` except `tensorboard`, by their path in the file. A
  // list becomes one text:
  //
  //   {"quantization.op_wise.v0/cg/conv0/conv2d/Conv2D.activation.dtype", "[fp32]"}
  //   {"tuning.accuracy_criterion.relative", 0.01}
  TrialSettings settings;
};

// Parses a configuration. Fails with kInvalidArgument, naming line and column, if the text is not
// YAML or `tensorboard` is not a boolean, and with kResourceExhausted if the file has more than 1
// MiB or 2000 settings.
Result<TuningConfig> ParseTuningConfig(std::string_view yaml);

// Reads a configuration file; also fails with kNotFound and kPermissionDenied.
Result<TuningConfig> ReadTuningConfig(const std::filesystem::path& path);

}  // namespace cboard::compression
