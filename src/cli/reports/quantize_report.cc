#include <algorithm>
#include <cmath>
#include <vector>

#include "cboard/base/strings.h"
#include "cboard/verdict/number_text.h"
#include "cli/reports/reports.h"
#include "cli/reports/text_table.h"

namespace cboard::cli {
namespace {

using quantize::HeadQuality;
using quantize::QuantizeReport;

constexpr std::size_t kMaxShownRows = 8;
constexpr std::size_t kMaxNodeWidth = 50;

void AppendHeads(const QuantizeReport& report, std::string& text) {
  TextTable table({{"output"}, {"SQNR dB", Align::kRight}, {"agreement", Align::kRight}});
  for (const HeadQuality& head : report.quality.heads) {
    table.AddRow({ShortenedToEnd(head.output, kMaxNodeWidth), verdict::DbText(head.sqnr_db),
                  head.agreement ? verdict::Percent(*head.agreement) : ""});
  }
  table.DropEmptyColumns();
  text +=
      "\nOutputs on " + Plural(report.quality.samples, "sample") +
      (report.quality.is_held_out ? " that calibration did not use:\n" : " of the calibration:\n");
  text += table.Render(2);
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

// " (3.9x smaller)"; nothing for files of about the same size.
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
          Plural(weights, "weight") + " quantized; " + Plural(report.samples, "sample") + " of " +
          Printable(report.source) + "\n";
  if (!report.quality.heads.empty()) AppendHeads(report, text);
  AppendTried(report, text);
  AppendUnfused(report, text);
  if (!report.notes.empty()) text += "\n";
  for (const std::string& note : report.notes) text += "Note: " + Printable(note) + "\n";
  return text;
}

}  // namespace cboard::cli
