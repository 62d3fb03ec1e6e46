#include "demo/training_log.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "demo/reading_log.h"

namespace cboard::demo {
namespace {

constexpr std::size_t kEnlarged = 6;
constexpr std::size_t kGap = 4;
constexpr std::size_t kColumns = 8;

EpochMetrics MetricsOf(const Judgement& judgement) {
  return {.loss = judgement.loss, .accuracy = judgement.accuracy, .f1 = judgement.f1};
}

}  // namespace

PictureGrid WronglyRead(const Digits& digits,
                        const std::function<std::span<const float>(std::span<const float>)>& scores,
                        std::size_t at_most) {
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < digits.size() && wrong.size() < at_most; ++i) {
    const std::span<const float> given = scores(digits.image(i));
    if (std::ranges::max_element(given) - given.begin() != digits.labels[i]) wrong.push_back(i);
  }
  if (wrong.empty()) return {};
  const std::size_t cell = kDigitSize * kEnlarged + kGap;
  const std::size_t rows = (wrong.size() + kColumns - 1) / kColumns;
  const std::size_t height = rows * cell;
  const std::size_t width = std::min(wrong.size(), kColumns) * cell;
  PictureGrid grid{std::vector<float>(height * width, 0.25F), static_cast<std::int64_t>(height),
                   static_cast<std::int64_t>(width)};
  for (std::size_t k = 0; k < wrong.size(); ++k) {
    const std::span<const float> image = digits.image(wrong[k]);
    for (std::size_t y = 0; y < kDigitSize * kEnlarged; ++y) {
      for (std::size_t x = 0; x < kDigitSize * kEnlarged; ++x) {
        grid.pixels[(k / kColumns * cell + y) * width + k % kColumns * cell + x] =
            image[y / kEnlarged * kDigitSize + x / kEnlarged];
      }
    }
  }
  return grid;
}

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
  const PictureGrid grid = WronglyRead(
      test_, [&](std::span<const float> image) { return runner.Run(image); }, 32);
  if (grid.pixels.empty()) return;
  Note(writer_.AddImage("wrongly read digits", TensorView(grid.pixels, {grid.height, grid.width}),
                        epoch.number, "HW"));
}

// The digit that is read best and the one that is read worst: an accuracy is between them.
void TrainingLog::AddClasses(const Epoch& epoch) {
  const auto& classes = epoch.test.class_accuracy;
  const auto [worst, best] = std::ranges::minmax(classes);
  Note(writer_.AddScalar("by_digit/worst_accuracy", worst, epoch.number));
  Note(writer_.AddScalar("by_digit/mean_accuracy",
                         std::accumulate(classes.begin(), classes.end(), 0.0) / kDigitClasses,
                         epoch.number));
  Note(writer_.AddScalar("by_digit/best_accuracy", best, epoch.number));
}

void TrainingLog::AddReading(const Epoch& epoch) {
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
    AddReading(epoch);
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
