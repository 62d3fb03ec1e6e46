#include "demo/training_log.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "demo/images.h"
#include "demo/prediction_log.h"

namespace cboard::demo {
namespace {

EpochMetrics MetricsOf(const Evaluation& judgement) {
  return {.loss = judgement.loss, .accuracy = judgement.accuracy, .f1 = judgement.f1};
}

}  // namespace

TrainingLog::TrainingLog(const std::filesystem::path& run, std::string_view variant,
                         const TrainingOptions& options, const Digits& test)
    : test_(test),
      epochs_(options.epochs),
      writer_(run),
      logger_("digits_" + std::string(variant), writer_) {}

void TrainingLog::Note(Result<void> result) {
  if (status_ && !result) status_ = std::move(result);
}

void TrainingLog::AddWeights(const Epoch& epoch) {
  for (std::size_t i = 0; i < epoch.network.layers.size(); ++i) {
    const std::string layer(NetworkShape()[i].name);
    Note(writer_.AddHistogram("weights/" + layer, epoch.network.layers[i].weights, epoch.number));
    Note(writer_.AddHistogram("biases/" + layer, epoch.network.layers[i].biases, epoch.number));
  }
}

void TrainingLog::AddPictures(const Epoch& epoch) {
  FloatRunner runner(epoch.network);
  const Scores scores = [&](std::span<const float> image) { return runner.Run(image); };
  const auto add = [&](std::string_view tag, const Picture& picture) {
    Note(writer_.AddImage(tag, picture.view(), epoch.number, "HWC"));
  };
  add("confusion matrix", ConfusionMatrix(test_, scores));
  add("wrongly read digits", Misclassified(test_, scores, 32));
  // Draws the kernels of the first two layers: the first layer sees pixels, and the second layer
  // sees the features of the first.
  for (std::size_t i = 0; i < 2; ++i) {
    const LayerShape& shape = NetworkShape()[i];
    add("kernels/" + std::string(shape.name), Kernels(shape, epoch.network.layers[i]));
  }
}

// Logs the accuracy of the best digit and of the worst digit. The overall accuracy is between them.
void TrainingLog::AddClasses(const Epoch& epoch) {
  const auto& classes = epoch.test.class_accuracy;
  const auto [worst, best] = std::ranges::minmax(classes);
  Note(writer_.AddScalar("by_digit/worst_accuracy", worst, epoch.number));
  Note(writer_.AddScalar("by_digit/mean_accuracy",
                         std::accumulate(classes.begin(), classes.end(), 0.0) / kDigitClasses,
                         epoch.number));
  Note(writer_.AddScalar("by_digit/best_accuracy", best, epoch.number));
}

void TrainingLog::AddPrediction(const Epoch& epoch) {
  Reading reading = Read(epoch.network, test_);
  Note(LogMacroPrCurve("while_training/macro_average", reading, test_, epoch.number, writer_));
  features_.push_back({epoch.number, std::move(reading.features)});
}

void TrainingLog::Add(const Epoch& epoch) {
  Note(logger_.LogEpoch(epoch.number, MetricsOf(epoch.train), MetricsOf(epoch.test),
                        epoch.learning_rate));
  AddWeights(epoch);
  AddClasses(epoch);
  if (epoch.number % 4 == 0 || epoch.number + 1 == epochs_) {
    AddPictures(epoch);
    AddPrediction(epoch);
  }
  last_train_ = epoch.train;
  last_test_ = epoch.test;
}

Result<void> TrainingLog::Close() {
  Note(logger_.LogTrainingSummary(epochs_, MetricsOf(last_train_), MetricsOf(last_test_)));
  Note(LogFeatureClouds("digits/in_fc0", features_, test_, writer_));
  Note(logger_.Close());
  return status_;
}

}  // namespace cboard::demo
