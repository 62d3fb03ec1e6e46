#include "cboard/compression/training_logger.h"

#include <array>
#include <cstdio>
#include <map>

#include "cboard/base/strings.h"
#include "cboard/compression/names.h"

namespace cboard::compression {
namespace {

std::filesystem::path DirectoryOr(std::filesystem::path directory, std::string_view model) {
  if (!directory.empty()) return directory;
  return std::filesystem::path("runs") / "training" / DirectoryNameOf(model);
}

std::string FourDecimals(double value) {
  std::array<char, 400> buffer;  // The largest double has 309 digits before the decimal point.
  const int length = std::snprintf(buffer.data(), buffer.size(), "%.4f", value);
  return {buffer.data(), static_cast<std::size_t>(length)};
}

std::string FinalMetrics(const EpochMetrics& metrics) {
  return "  Loss: " + FourDecimals(metrics.loss) +
         "\n  Accuracy: " + FourDecimals(metrics.accuracy) +
         "\n  F1 Score: " + FourDecimals(metrics.f1) + "\n";
}

}  // namespace

TrainingLogger::TrainingLogger(std::string model, std::filesystem::path directory)
    : model_(std::move(model)),
      tag_prefix_(TagPrefixOf(model_)),
      owned_(std::make_unique<SummaryWriter>(DirectoryOr(std::move(directory), model_))),
      writer_(*owned_) {}

TrainingLogger::TrainingLogger(std::string model, SummaryWriter& writer)
    : model_(std::move(model)), tag_prefix_(TagPrefixOf(model_)), writer_(writer) {}

std::string TrainingLogger::Tag(std::string_view rest) const {
  return tag_prefix_ + "/" + std::string(rest);
}

Result<void> TrainingLogger::LogEpoch(std::int64_t epoch, const EpochMetrics& train,
                                      const EpochMetrics& validation,
                                      std::optional<double> learning_rate) {
  const auto log_side = [&](const std::string& side, const EpochMetrics& metrics) -> Result<void> {
    CBOARD_RETURN_IF_ERROR(writer_.AddScalar(Tag(side + "/loss"), metrics.loss, epoch));
    CBOARD_RETURN_IF_ERROR(writer_.AddScalar(Tag(side + "/accuracy"), metrics.accuracy, epoch));
    return writer_.AddScalar(Tag(side + "/f1_score"), metrics.f1, epoch);
  };
  CBOARD_RETURN_IF_ERROR(log_side("training", train));
  CBOARD_RETURN_IF_ERROR(log_side("validation", validation));

  const auto log_group = [&](std::string_view name, double on_train, double on_validation) {
    return writer_.AddScalars(Tag(name), {{"train", on_train}, {"val", on_validation}}, epoch);
  };
  CBOARD_RETURN_IF_ERROR(log_group("loss", train.loss, validation.loss));
  CBOARD_RETURN_IF_ERROR(log_group("accuracy", train.accuracy, validation.accuracy));
  CBOARD_RETURN_IF_ERROR(log_group("f1_score", train.f1, validation.f1));

  const auto log_if = [&](std::string_view name, std::optional<double> value) -> Result<void> {
    if (!value) return {};
    return writer_.AddScalar(Tag(name), *value, epoch);
  };
  CBOARD_RETURN_IF_ERROR(log_if("training/sensitivity", train.sensitivity));
  CBOARD_RETURN_IF_ERROR(log_if("training/specificity", train.specificity));
  CBOARD_RETURN_IF_ERROR(log_if("validation/sensitivity", validation.sensitivity));
  CBOARD_RETURN_IF_ERROR(log_if("validation/specificity", validation.specificity));
  CBOARD_RETURN_IF_ERROR(log_if("training/learning_rate", learning_rate));

  if (validation.f1 > best_validation_f1_) {
    best_validation_f1_ = validation.f1;
    best_epoch_ = epoch;
  }
  return {};
}

Result<void> TrainingLogger::LogEarlyStopping(std::int64_t epoch, std::int64_t patience,
                                              double min_delta, bool stopped) {
  const auto log = [&](std::string_view name, double value) {
    return writer_.AddScalar(Tag(name), value, epoch);
  };
  CBOARD_RETURN_IF_ERROR(log("training/early_stopping_patience", static_cast<double>(patience)));
  CBOARD_RETURN_IF_ERROR(log("training/early_stopping_min_delta", min_delta));
  CBOARD_RETURN_IF_ERROR(log("training/early_stopped", stopped ? 1 : 0));
  CBOARD_RETURN_IF_ERROR(log("training/best_epoch", static_cast<double>(best_epoch_)));
  return log("training/best_val_f1", best_validation_f1_);
}

Result<void> TrainingLogger::LogTrainingSummary(std::int64_t total_epochs,
                                                const EpochMetrics& train,
                                                const EpochMetrics& validation,
                                                bool early_stopped) {
  const std::string text = "Training Summary for " + ToValidUtf8(model_) +
                           "\nTotal Epochs: " + std::to_string(total_epochs) +
                           "\nEarly Stopped: " + (early_stopped ? "True" : "False") +
                           "\nBest Epoch: " + std::to_string(best_epoch_) +
                           "\nBest Val F1: " + FourDecimals(best_validation_f1_) +
                           "\n\nFinal Training Metrics:\n" + FinalMetrics(train) +
                           "\nFinal Validation Metrics:\n" + FinalMetrics(validation);
  CBOARD_RETURN_IF_ERROR(writer_.AddText(Tag("training/summary"), text, total_epochs));

  const auto log = [&](std::string_view name, double value) {
    return writer_.AddScalar(Tag(name), value, total_epochs + 1);
  };
  CBOARD_RETURN_IF_ERROR(log("training/final_train_loss", train.loss));
  CBOARD_RETURN_IF_ERROR(log("training/final_train_acc", train.accuracy));
  CBOARD_RETURN_IF_ERROR(log("training/final_train_f1", train.f1));
  CBOARD_RETURN_IF_ERROR(log("validation/final_val_loss", validation.loss));
  CBOARD_RETURN_IF_ERROR(log("validation/final_val_acc", validation.accuracy));
  return log("validation/final_val_f1", validation.f1);
}

Result<void> TrainingLogger::Close() { return writer_.Close(); }

}  // namespace cboard::compression
