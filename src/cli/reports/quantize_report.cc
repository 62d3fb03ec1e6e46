#include <algorithm>
#include <cmath>
#include <vector>

#include "cboard/base/strings.h"
#include "cboard/verdict/number_text.h"
#include "cli/reports/reports.h"
#include "cli/reports/text_table.h"

namespace cboard::cli {
namespace {

using quantize::QuantizeReport;

constexpr std::size_t kMaxShownRows = 8;
constexpr std::size_t kMaxNodeWidth = 50;

void AppendVerdict(const QuantizeReport& report, std::string& text) {
  const compare::EndVerdict& verdict = report.verdict;
  if (verdict.outputs.empty()) return;
  text += "\n" + Printable(verdict.sentence) + "\n";
  text +=
      (report.quality.is_held_out ? "Outputs on samples that calibration did not use:\n"
                                  : "Outputs on samples that were also used for calibration:\n") +
      OutputsText(verdict, 2);
  if (verdict.level != compare::VerdictLevel::kBroken &&
      verdict.level != compare::VerdictLevel::kDegraded) {
    return;
  }
  text +=
      "Next: 'compression-board compare' names the operators that cost this, and "
      "'compression-board tune' keeps them in float.\n";
}

void AppendTried(const QuantizeReport& report, std::string& text) {
  if (report.tried.empty()) return;
  TextTable table({{"tried"}, {"mean SQNR dB", Align::kRight}, {""}});
  for (const quantize::TriedChoice& choice : report.tried) {
    table.AddRow({choice.name, verdict::DbText(choice.mean_sqnr_db), choice.is_kept ? "kept" : ""});
  }
  text += "\n" + table.Render(2);
}

void AppendUnfused(const QuantizeReport& report, std::string& text) {
  if (report.unfused.empty()) return;
  text += "\n" + Plural(report.unfused.size(), "node") + " with weights run in float:\n";
  TextTable table({{"node"}, {"operator"}, {"reason"}});
  const std::size_t count = std::min(report.unfused.size(), kMaxShownRows);
  for (std::size_t i = 0; i < count; ++i) {
    const quantize::UnfusedNode& node = report.unfused[i];
    table.AddRow({ShortenedToEnd(node.node, kMaxNodeWidth), node.op_type, node.reason});
  }
  text += table.Render(2);
  if (count < report.unfused.size()) {
    text += "  and " + std::to_string(report.unfused.size() - count) + " more (--json)\n";
  }
}

// Returns " (3.9x smaller)", or an empty text if the sizes are about equal.
std::string ChangeOf(double before, double after) {
  if (before <= 0 || after <= 0 || std::abs(after / before - 1) < 0.01) return {};
  const bool is_smaller = after < before;
  return " (" + verdict::TimesText(is_smaller ? before / after : after / before) +
         (is_smaller ? " smaller)" : " larger)");
}

}  // namespace

std::string QuantizeText(const QuantizeReport& report) {
  const double before = static_cast<double>(report.file.baseline_bytes),
               after = static_cast<double>(report.file.bytes + report.file.data_bytes);
  std::size_t integer = 0, weights = 0;
  for (const auto& [output, weight] : report.plan.weights) {
    ++weights;
    if (!weight.is_float) ++integer;
  }
  std::string text = Printable(report.output.string()) + ": " + HumanBytes(after) + ", " +
                     HumanBytes(before) + " before" + ChangeOf(before, after) + "\n";
  text += std::string(NameOf(report.plan.precision)) + " for " +
          std::string(NameOf(report.plan.target)) + "; " + std::to_string(integer) + " of " +
          Plural(weights, "weight") + " quantized; " + Plural(report.samples, "sample") + " (" +
          Printable(report.source) + ")\n";
  AppendVerdict(report, text);
  AppendTried(report, text);
  AppendUnfused(report, text);
  if (!report.notes.empty()) text += "\n";
  for (const std::string& note : report.notes) text += "Note: " + Printable(note) + "\n";
  return text;
}

}  // namespace cboard::cli
