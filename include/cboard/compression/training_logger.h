// Logs a training, epoch by epoch. The step is the epoch.
//
//   cboard::TrainingLogger logger("alexnet", "runs/training/alexnet");
//   for (int epoch = 0; epoch < epochs; ++epoch) {
//     logger.LogEpoch(epoch, {.loss = …, .accuracy = …, .f1 = …}, {.loss = …, …});
//   }
//   logger.Close();
//
// docs/formats/compression-tags.md lists the tags.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "cboard/base/result.h"
#include "cboard/writer/summary_writer.h"

namespace cboard::compression {

// The metrics of an epoch on the training data or on the validation data.
struct EpochMetrics {
  double loss = 0;
  double accuracy = 0;
  double f1 = 0;
  std::optional<double> sensitivity;
  std::optional<double> specificity;
};

// Logs one training. Not thread-safe. The destructor closes the writer if the logger opened it.
class TrainingLogger {
 public:
  // Logs into `directory`, or into runs/training/<model> if it is empty. If the directory cannot be
  // written, every later call fails.
  explicit TrainingLogger(std::string model, std::filesystem::path directory = {});

  // Logs into an open run. Borrows `writer`, which must outlive the logger.
  TrainingLogger(std::string model, SummaryWriter& writer);

  // Logs an epoch. If the validation F1 score of the epoch is above that of all earlier epochs, it
  // is the best epoch so far.
  Result<void> LogEpoch(std::int64_t epoch, const EpochMetrics& train,
                        const EpochMetrics& validation,
                        std::optional<double> learning_rate = std::nullopt);

  // Logs the settings of early stopping, whether it stopped the training, and the best epoch so
  // far.
  Result<void> LogEarlyStopping(std::int64_t epoch, std::int64_t patience, double min_delta,
                                bool stopped);

  // Logs the final metrics: a text at step `total_epochs`, and scalars at the next step.
  Result<void> LogTrainingSummary(std::int64_t total_epochs, const EpochMetrics& train,
                                  const EpochMetrics& validation, bool early_stopped = false);

  // Closes the writer, even if it is borrowed.
  Result<void> Close();

  double best_validation_f1() const { return best_validation_f1_; }
  std::int64_t best_epoch() const { return best_epoch_; }
  const std::string& model() const { return model_; }

 private:
  std::string Tag(std::string_view rest) const;

  std::string model_;
  std::string tag_prefix_;
  std::unique_ptr<SummaryWriter> owned_;
  SummaryWriter& writer_;
  double best_validation_f1_ = 0;
  std::int64_t best_epoch_ = 0;
};

}  // namespace cboard::compression

namespace cboard {
using compression::EpochMetrics;
using compression::TrainingLogger;
}  // namespace cboard
