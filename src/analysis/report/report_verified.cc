#include "analysis/report/report_sections.h"
#include "cboard/base/strings.h"
#include "cboard/verdict/number_text.h"

namespace cboard::analysis {
namespace {

// Returns a sentence such as: "These 3 parts in float bring the end from 5.2 to 17.8 dB: 'conv2'
// output and weights."
std::string Sentence(const VerifiedRuns& verified) {
  std::string text = verified.Summary();
  text[0] = static_cast<char>(text[0] - 'a' + 'A');  // Our text begins with a lower-case letter.
  if (const VerifiedRun* const best = verified.BestParts()) {
    constexpr std::string_view kInFloat = " in float";
    std::string_view parts = best->text;
    if (parts.ends_with(kInFloat)) parts.remove_suffix(kInFloat.size());
    text += ": " + std::string(parts);
  }
  return text + ".";
}

std::string Where(const VerifiedRuns& verified) {
  std::string text =
      verified.ends.size() == 1
          ? "The end is the output of " + Quoted(verified.ends[0], 200)
          : "The end is the mean over " + HumanCount(verified.ends.size()) + " last layers";
  return text + "; measured on " + HumanCount(verified.samples) +
         (verified.samples == 1 ? " sample." : " samples.");
}

}  // namespace

void WriteVerified(HtmlWriter& html, const VerifiedRuns& verified) {
  html.Element("p", Sentence(verified), "lead");
  if (verified.runs.empty()) return;
  html.Raw("<div class=\"wide\" tabindex=\"0\"><table><thead><tr><th>In float</th>");
  html.Raw("<th class=\"num\">SQNR at the end, dB</th><th class=\"num\">Gained, dB</th>");
  html.Raw("</tr></thead><tbody>");
  for (const VerifiedRun& run : verified.runs) {
    html.Raw("<tr>").Element("td", run.text, "name");
    html.Element("td", run.sqnr_db ? verdict::DbText(*run.sqnr_db) : "–", "num");
    const bool is_first = &run == &verified.runs.front();
    const std::optional<double> gain = is_first ? std::nullopt : verified.GainOf(run);
    html.Element("td", gain ? verdict::GainText(*gain) : run.why_not, gain ? "num" : "")
        .Raw("</tr>");
  }
  html.Raw("</tbody></table></div>").Element("p", Where(verified), "note");
}

}  // namespace cboard::analysis
