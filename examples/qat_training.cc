// Logs a quantization-aware training that gets better for ten epochs and then stops early.
//
//   qat_training [LOGDIR]
#include <cboard/compression/training_logger.h>

#include <cmath>
#include <cstdio>

int main(int argc, char** argv) {
  cboard::TrainingLogger logger("alexnet", argc > 1 ? argv[1] : "");

  cboard::EpochMetrics train, validation;
  constexpr int kEpochs = 10;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    const double left = std::exp(-0.4 * epoch);  // The part of the error that is still there.
    train = {.loss = 0.1 + 1.9 * left, .accuracy = 0.99 - 0.6 * left, .f1 = 0.98 - 0.6 * left};
    validation = {
        .loss = 0.15 + 2.0 * left, .accuracy = 0.97 - 0.6 * left, .f1 = 0.96 - 0.6 * left};
    if (!logger.LogEpoch(epoch, train, validation, /*learning_rate=*/1e-3 * left)) return 1;
  }
  if (!logger.LogEarlyStopping(kEpochs - 1, /*patience=*/3, /*min_delta=*/0.01, true)) return 1;
  if (!logger.LogTrainingSummary(kEpochs, train, validation, true)) return 1;
  if (!logger.Close()) return 1;
  std::printf("Best epoch %d with a validation F1 of %.3f\n", static_cast<int>(logger.best_epoch()),
              logger.best_validation_f1());
}
