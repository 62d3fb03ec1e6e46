// Writes the AURORA section, with the weights and the coverage of each score.
#include <algorithm>
#include <cmath>

#include "analysis/report/report_sections.h"
#include "cboard/verdict/number_text.h"

namespace cboard::analysis {
namespace {

constexpr double kWidth = 160;

// Draws a bar from break-even to the score, on a logarithmic axis that all scores share.
void WriteBar(HtmlWriter& html, double score, double least, double most) {
  const auto at = [&](double value) {
    return kWidth * (std::log(value) - std::log(least)) / (std::log(most) - std::log(least));
  };
  const double from = std::min(at(1), at(score)), to = std::max(at(1), at(score));
  html.Raw(
      "<svg viewBox=\"0 0 160 12\" aria-hidden=\"true\"><rect class=\"bar\" y=\"2\" height=\"8\" "
      "x=\"");
  html.Raw(verdict::ShortNumber(from))
      .Raw("\" width=\"")
      .Raw(verdict::ShortNumber(std::max(0.5, to - from)));
  html.Raw("\"/><path class=\"even\" d=\"M")
      .Raw(verdict::ShortNumber(at(1)))
      .Raw(" 0V12\"/></svg>");
}

bool HasScore(const ReportModel& model) {
  return model.comparison && model.comparison->aurora.score &&
         std::isfinite(*model.comparison->aurora.score) && *model.comparison->aurora.score > 0;
}

std::string FactorsText(const AuroraCell& aurora) {
  std::string text;
  for (const auto& [name, factor] : aurora.factors) {
    text += (text.empty() ? "" : " · ") + name + " ×" + verdict::FixedNumber(factor, 2);
  }
  return text;
}

}  // namespace

void WriteAurora(HtmlWriter& html, const ReportData& data) {
  std::vector<const ReportModel*> scored;
  for (const ReportModel& model : data.models) {
    if (HasScore(model)) scored.push_back(&model);
  }
  if (scored.empty()) return;
  const auto score = [](const ReportModel* model) { return *model->comparison->aurora.score; };
  std::ranges::stable_sort(scored, std::ranges::greater(), score);
  const double most = std::max(1.25, score(scored.front()));
  const double least = std::min(0.8, score(scored.back()));
  html.Raw("<section class=\"long\"><h2>AURORA</h2>");
  html.Element("p",
               "1.00 is break-even. The product of quality, throughput, latency, power and memory "
               "ratios to the powers .40, .20, .15, .15 and .10, less 10 × the relative loss of "
               "quality in the exponent; weights of what was not logged go to the others, and "
               "coverage says how much was there.",
               "note");
  html.Raw(
      "<div class=\"wide\" tabindex=\"0\"><table><thead><tr><th>Model</th><th></th><th "
      "class=\"num\">Score");
  html.Raw("</th><th class=\"num\">Coverage</th><th>Made of</th></tr></thead><tbody>");
  for (const ReportModel* model : scored) {
    const AuroraCell& aurora = model->comparison->aurora;
    html.Raw("<tr>").Element("td", model->name, "name").Raw("<td>");
    WriteBar(html, *aurora.score, least, most);
    html.Raw("</td>").Element("td", verdict::FixedNumber(*aurora.score, 2), "num");
    html.Element("td", aurora.coverage ? verdict::FixedNumber(*aurora.coverage, 2) : "–", "num");
    html.Raw("<td class=\"made\">").Text(aurora.computed ? "computed" : "logged");
    const std::string factors = FactorsText(aurora);
    if (!factors.empty()) html.Raw(": ").Element("span", factors, "dim");
    html.Raw("</td></tr>");
  }
  html.Raw("</tbody></table></div>");
  if (const std::size_t without = data.models.size() - scored.size(); without > 0) {
    html.Element("p",
                 HumanCount(without) + " of " + HumanCount(data.models.size()) +
                     (without == 1 ? " models has" : " models have") +
                     " no score: too little was logged.",
                 "note");
  }
  html.Raw("</section>");
}

}  // namespace cboard::analysis
