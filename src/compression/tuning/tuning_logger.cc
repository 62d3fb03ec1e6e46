#include "cboard/compression/tuning_logger.h"

#include "compression/tuning/trial_folder.h"
#include "compression/tuning/trial_log.h"
#include "writer/summary/hparams.h"

namespace cboard::compression {
namespace {

constexpr std::string_view kNotEnded = "the trial was not finished";

// Returns the two events that make a trial a row of the HParams page. The third event, a list of
// columns, is left out: TensorBoard uses the first list that it finds, and a column missing there
// is missing for all trials.
Result<std::pair<std::string, std::string>> SessionOf(const TrialSettings& settings) {
  if (settings.empty()) return std::pair<std::string, std::string>();
  CBOARD_ASSIGN_OR_RETURN(writer::summary::HParamsSummaries session,
                          writer::summary::MakeHParamsSummaries(settings, {}));
  return std::pair(std::move(session.session_start), std::move(session.session_end));
}

}  // namespace

TuningLogger::TuningLogger(TuningOptions options) : options_(std::move(options)) {}

TuningLogger::~TuningLogger() {
  if (trial_ && folder_->IsOfThisProcess()) static_cast<void>(AbandonTrial(kNotEnded));
}

int TuningLogger::trial_number() const { return folder_ ? folder_->next_number() : 0; }

Result<TuningLogger::Trial*> TuningLogger::Current() {
  if (trial_) return trial_.get();
  return Fail(ErrorCode::kFailedPrecondition, "no trial is running; call StartTrial first");
}

Result<void> TuningLogger::StartTrial(const TrialSettings& settings, FusedOps fused) {
  if (!options_.enabled) return {};
  if (trial_) {
    return Fail(ErrorCode::kFailedPrecondition,
                "trial " + VariantOfTrial(trial_number()) +
                    " is still running; call FinishTrial or AbandonTrial before the next trial");
  }
  CBOARD_ASSIGN_OR_RETURN(auto session, SessionOf(settings));
  if (!folder_) {
    CBOARD_ASSIGN_OR_RETURN(TrialFolder folder,
                            TrialFolder::Open(options_.directory, options_.earlier));
    folder_ = std::make_unique<TrialFolder>(std::move(folder));
  }
  CBOARD_ASSIGN_OR_RETURN(const std::filesystem::path directory, folder_->Start());
  auto trial = std::make_unique<Trial>(directory, options_.writer, std::move(fused));
  if (const Result<void> begun = trial->Begin(session.first, std::move(session.second)); !begun) {
    trial.reset();
    // Removes the trial's directory, so that the next attempt can use its name. The directory is
    // empty or contains only an empty file.
    std::error_code ignored;
    std::filesystem::remove_all(directory, ignored);
    return Fail(begun.error());
  }
  trial->report().number = folder_->next_number();
  trial_ = std::move(trial);
  return {};
}

Result<void> TuningLogger::AddGraph(std::string_view graph_def) {
  if (!options_.enabled) return {};
  CBOARD_ASSIGN_OR_RETURN(Trial* const trial, Current());
  return trial->writer().AddGraph(graph_def);
}

Result<void> TuningLogger::AddOutput(std::string_view op, const TensorView& batch,
                                     std::string_view precision) {
  if (!options_.enabled) return {};
  CBOARD_ASSIGN_OR_RETURN(Trial* const trial, Current());
  return trial->AddOutput(op, batch, precision);
}

Result<void> TuningLogger::AddParameter(std::string_view op, std::string_view parameter,
                                        const TensorView& values, std::string_view precision) {
  if (!options_.enabled) return {};
  CBOARD_ASSIGN_OR_RETURN(Trial* const trial, Current());
  return trial->AddParameter(op, parameter, values, precision);
}

Result<void> TuningLogger::AddTensorFlowGraph(const std::filesystem::path& graph_def_file) {
  if (!options_.enabled) return {};
  CBOARD_ASSIGN_OR_RETURN(Trial* const trial, Current());
  return trial->AddTensorFlowGraph(graph_def_file);
}

Result<void> TuningLogger::AddNodeOutput(std::string_view node, const TensorView& first_batch) {
  if (!options_.enabled) return {};
  CBOARD_ASSIGN_OR_RETURN(Trial* const trial, Current());
  return trial->AddNodeOutput(node, first_batch);
}

Result<TrialReport> TuningLogger::FinishTrial(std::span<const double> accuracies) {
  if (!options_.enabled) return TrialReport{};
  CBOARD_RETURN_IF_ERROR(Current());
  const std::unique_ptr<Trial> trial = std::move(trial_);
  const Result<void> ended = trial->End(accuracies);
  TrialReport report = std::move(trial->report());
  // Renames the trial, because a trial without its last events must not look like a finished trial.
  const std::string name = TrialDirectoryName(
      report.number, ended ? accuracies : std::span<const double>(), options_.naming);
  Result<std::filesystem::path> directory = folder_->Finish(name);
  CBOARD_RETURN_IF_ERROR(ended);
  CBOARD_ASSIGN_OR_RETURN(report.directory, std::move(directory));
  return report;
}

Result<std::filesystem::path> TuningLogger::AbandonTrial(std::string_view reason) {
  if (!options_.enabled) return std::filesystem::path();
  CBOARD_RETURN_IF_ERROR(Current());
  const std::unique_ptr<Trial> trial = std::move(trial_);
  const Result<void> written = trial->EndFailed(reason);
  Result<std::filesystem::path> directory = folder_->Abandon();
  CBOARD_RETURN_IF_ERROR(written);
  return directory;
}

}  // namespace cboard::compression
