// Logs one training of the demo: its metrics and weights in every epoch, and its predictions and
// features in some epochs.
#pragma once

#include <filesystem>
#include <string_view>

#include "cboard/compression/training_logger.h"
#include "cboard/writer/summary_writer.h"
#include "demo/feature_cloud.h"
#include "demo/training.h"

namespace cboard::demo {

class TrainingLog {
 public:
  // Borrows `test`.
  TrainingLog(const std::filesystem::path& run, std::string_view variant,
              const TrainingOptions& options, const Digits& test);

  void Add(const Epoch& epoch);

  // Closes the log. Fails with the first error that has occurred.
  Result<void> Close();

 private:
  void Note(Result<void> result);
  void AddWeights(const Epoch& epoch);
  void AddPictures(const Epoch& epoch);
  void AddClasses(const Epoch& epoch);
  void AddPrediction(const Epoch& epoch);

  const Digits& test_;
  int epochs_;
  SummaryWriter writer_;
  TrainingLogger logger_;
  Evaluation last_train_, last_test_;
  std::vector<FeaturesOfEpoch> features_;  // Drawn at the end, when the last features are known.
  Result<void> status_;
};

}  // namespace cboard::demo
