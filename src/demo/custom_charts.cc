#include "demo/custom_charts.h"

#include "cboard/writer/summary_writer.h"

namespace cboard::demo {

Result<void> LogCustomCharts(const std::filesystem::path& run) {
  SummaryWriter writer(run);
  // The tags are regular expressions, so that a chart shows the same series of every training.
  CBOARD_RETURN_IF_ERROR(writer.AddCustomScalars(
      {{"Learning to read",
        {{"Loss, training and validation",
          {"digits_.*/training/loss", "digits_.*/validation/loss"}},
         {"Accuracy, validation", {"digits_.*/validation/accuracy"}},
         {"Accuracy by digit, worst to best",
          {"by_digit/mean_accuracy", "by_digit/worst_accuracy", "by_digit/best_accuracy"},
          /*margin=*/true},
         {"Learning rate", {"digits_.*/training/learning_rate"}}}},
       {"The machine meanwhile",
        {{"Processor, %", {"hardware/cpu/percent", "hardware/process/cpu_percent"}},
         {"Memory of the process, MB", {"hardware/memory/process_rss_mb"}}}}}));
  return writer.Close();
}

}  // namespace cboard::demo
