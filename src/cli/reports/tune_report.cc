#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "cboard/base/strings.h"
#include "cboard/compare/keep_float.h"
#include "cli/reports/reports.h"
#include "cli/reports/text_table.h"

namespace cboard::cli {
namespace {

std::string Fixed(double value, int digits) {
  const double factor = std::pow(10.0, digits);
  return ShortestDecimal(std::round(value * factor) / factor);
}

std::string LineOf(const tune::Reverted& line) {
  std::string text = "  " + line.name + (line.op_type.empty() ? "" : " (" + line.op_type + ")") +
                     " in " + line.change + ": end SQNR ";
  text += line.gain_db
              ? std::string(*line.gain_db >= 0 ? "+" : "") + Fixed(*line.gain_db, 1) + " dB, "
              : "not measured, ";
  text += (line.bytes < 0 ? "-" : "+") + HumanBytes(std::abs(static_cast<double>(line.bytes)));
  text += line.cost_ms
              ? ", " + std::string(*line.cost_ms >= 0 ? "+" : "") + Fixed(*line.cost_ms, 3) + " ms"
              : ", time not measured";
  if (!line.cause.empty()) text += "; " + line.cause;
  if (!line.explanation.empty()) text += ": " + line.explanation;
  return text + "\n";
}

// Returns one line for all changes of one kind whose effects were not measured one by one, such as
// 16 bits for all activations.
std::string SummaryOf(const std::vector<const tune::Reverted*>& parts) {
  constexpr std::size_t kMaxNames = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(parts.size(), kMaxNames); ++i) {
    names += (i > 0 ? ", " : "") + parts[i]->name;
  }
  if (parts.size() > kMaxNames) names += ", …";
  const bool is_node = !parts.front()->op_type.empty();
  return "  " + Plural(parts.size(), is_node ? "operator" : "tensor") + " in " +
         parts.front()->change + ", measured only together: " + names + "\n";
}

std::string RevertedText(const tune::TuneReport& report) {
  if (report.reverted.empty()) return "";
  constexpr std::size_t kMaxLines = 20;
  std::string text = "\nNot in 8 bits, and why:\n";
  std::size_t lines = 0;
  // Changes that were not measured alone, by whether they are nodes, and by the change.
  std::map<std::pair<bool, std::string>, std::vector<const tune::Reverted*>> others;
  for (const tune::Reverted& part : report.reverted) {
    if (!part.gain_db && part.cause.empty()) {
      others[{part.op_type.empty(), part.change}].push_back(&part);
    } else if (++lines <= kMaxLines) {
      text += LineOf(part);
    }
  }
  for (const auto& [kind, parts] : others) text += SummaryOf(parts);
  if (lines > kMaxLines || !others.empty()) text += "  --json lists all of them\n";
  return text;
}

// Returns the settings with which other programs keep the same operators in float.
std::string SettingsText(const tune::TuneReport& report) {
  const tune::TrialReport& best = report.trials[*report.best];
  std::string text;
  using compare::Toolchain;
  for (const Toolchain toolchain :
       {Toolchain::kOnnxRuntime, Toolchain::kNncf, Toolchain::kNeuralCompressorOpWise}) {
    const std::string snippet = compare::KeepFloatSnippet(best.float_nodes, toolchain);
    if (!snippet.empty()) {
      text += "\n# " + std::string(compare::TitleOf(toolchain)) + "\n" + snippet;
    }
  }
  std::vector<compare::ActivationOverride> wide;
  for (const std::string& tensor : best.wide_tensors) {
    wide.push_back({.tensor = tensor, .bits = 16});
  }
  constexpr std::size_t kMaxOverrides = 12;
  const std::string overrides = compare::OverridesSnippet(wide);
  if (wide.size() > kMaxOverrides) {
    text += "\n# ONNX Runtime, 16 bits for " + Plural(wide.size(), "tensor") +
            ": --json lists the tensors for TensorQuantOverrides\n";
  } else if (!overrides.empty()) {
    text += "\n# ONNX Runtime, 16 bits\n" + overrides;
  }
  return text.empty() ? "" : "\nThe same with other programs:\n" + text;
}

}  // namespace

std::string TuneText(const tune::TuneReport& report) {
  std::string text = report.is_met ? "Goals met: " : "Goals missed: ";
  text += report.reason + "\n";
  if (!report.next_step.empty()) text += "Next step: " + report.next_step + "\n";
  text += RevertedText(report);
  const auto front = std::ranges::count_if(report.trials, &tune::TrialReport::is_pareto);
  if (front > 1) {
    text += "\nPareto front, size and " + report.metric + ":\n";
    for (const tune::TrialReport& trial : report.trials) {
      if (!trial.is_pareto) continue;
      text += "  " + HumanBytes(static_cast<double>(trial.result.size_bytes)) + "  " +
              Fixed(*trial.result.accuracy, 4) + "  " + trial.model.string() + "\n";
    }
  }
  if (report.best) text += SettingsText(report);
  if (!report.contract.empty()) {
    text +=
        "\nA contract for 'compression-board check': " + (report.state / "contract.yaml").string() +
        "\n";
  }
  for (const std::string& note : report.notes) text += "Note: " + note + "\n";
  text += "\n" + Plural(report.evaluations, "evaluation") + ", " +
          Plural(report.measurements, "measurement") + " without labels\n";
  if (report.is_output_written) {
    text += "Written: " + report.output.string() +
            (report.is_output_measured ? "" : " (its accuracy was not measured)") + "\n";
  }
  return text;
}

}  // namespace cboard::cli
