// Logs a tuning of one layer: as it is, quantized with a scale that is far too small, and quantized
// well. The Tuning page shows accuracies, Layers what happened to the weights.
//
//   tuning_log [LOGDIR]
#include <cboard/compression/tuning_logger.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

std::vector<std::int8_t> Quantize(const std::vector<float>& values, float scale) {
  std::vector<std::int8_t> codes;
  for (const float value : values) {
    codes.push_back(static_cast<std::int8_t>(std::clamp(std::round(value / scale), -127.f, 127.f)));
  }
  return codes;
}

}  // namespace

int main(int argc, char** argv) {
  cboard::TuningLogger logger({.directory = argc > 1 ? argv[1] : "runs/eval"});

  std::vector<float> weights;
  for (int i = 0; i < 4096; ++i) weights.push_back(std::sin(static_cast<float>(i)) / 3);
  if (!logger.StartTrial() || !logger.AddParameter("conv1", "weight", weights)) return 1;
  if (!logger.FinishTrial(0.776)) return 1;

  struct Attempt {
    float scale;
    double accuracy;
  };
  for (const Attempt& attempt : {Attempt{0.0003f, 0.095}, Attempt{0.0027f, 0.771}}) {
    const std::vector<std::int8_t> codes = Quantize(weights, attempt.scale);
    cboard::TensorView view(codes);
    view.quantization = cboard::Quantization::PerTensor({&attempt.scale, 1});
    if (!logger.StartTrial({{"scale", attempt.scale}})) return 1;
    if (!logger.AddParameter("conv1", "weight", view)) return 1;
    const auto report = logger.FinishTrial(attempt.accuracy);
    if (!report) {
      std::fprintf(stderr, "%s\n", report.error().message.c_str());
      return 1;
    }
    std::printf("%s\n", report->directory.c_str());
  }
}
