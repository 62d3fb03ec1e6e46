// The YAML file that a tuning is started with, as neural-compressor and its predecessors read it.
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
  // `tensorboard: true`, under `tuning` or at the top.
  bool tensorboard = false;
  // Everything else below `quantization` and `tuning`, by its path in the file; a list is one text:
  //
  //   {"quantization.op_wise.v0/cg/conv0/conv2d/Conv2D.activation.dtype", "[fp32]"}
  //   {"tuning.accuracy_criterion.relative", 0.01}
  TrialSettings settings;
};

// Fails with kInvalidArgument, naming line and column, when the text is no YAML or `tensorboard` is
// neither true nor false, and with kResourceExhausted beyond 1 MiB or 2000 settings.
Result<TuningConfig> ParseTuningConfig(std::string_view yaml);

// The same of a file; also fails with kNotFound and kPermissionDenied.
Result<TuningConfig> ReadTuningConfig(const std::filesystem::path& path);

}  // namespace cboard::compression
