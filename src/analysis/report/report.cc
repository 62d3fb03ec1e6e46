#include "cboard/analysis/report.h"

#include <algorithm>
#include <array>
#include <ctime>

#include "analysis/report/report_sections.h"
#include "cboard/verdict/number_text.h"

namespace cboard::analysis {
namespace {

struct Part {
  ReportSection section;
  std::string_view name;
  void (*write)(HtmlWriter&, const ReportData&);
};

// The sections in the order of the report.
constexpr auto kParts = std::to_array<Part>({
    {ReportSection::kSummary, "summary", WriteSummary},
    {ReportSection::kGates, "gates", WriteGates},
    {ReportSection::kPareto, "pareto", WritePareto},
    {ReportSection::kModels, "models", WriteModels},
    {ReportSection::kAurora, "aurora", WriteAurora},
    {ReportSection::kLayers, "layers", WriteLayers},
    {ReportSection::kTuning, "tuning", WriteTuning},
    {ReportSection::kMissing, "missing", WriteMissing},
});

std::string TimeText(double seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  char text[64] = "";
  if (seconds > 0 && ::gmtime_r(&time, &parts) != nullptr) {
    (void)std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts);
  }
  return text;
}

void WriteHead(HtmlWriter& html, const ReportData& data) {
  const ReportOptions& options = data.options;
  html.Raw("<header>").Element("h1", options.title);
  html.Raw("<p class=\"from\">");
  html.Raw("<span class=\"a\">● ").Text(data.a).Raw("</span> against <span class=\"b\">◆ ");
  html.Text(data.b).Raw("</span>");
  if (!options.logdir.empty()) html.Raw(" · ").Text(options.logdir);
  const std::string time = TimeText(options.made_at_seconds);
  if (!time.empty()) html.Raw(" · ").Text(time);
  if (!options.version.empty()) html.Raw(" · Compression Board ").Text(options.version);
  html.Raw("</p></header>");
}

}  // namespace

std::string_view NameOf(ReportSection section) {
  return std::ranges::find(kParts, section, &Part::section)->name;
}

std::optional<ReportSection> SectionNamed(std::string_view name) {
  const auto found = std::ranges::find(kParts, name, &Part::name);
  return found == kParts.end() ? std::nullopt : std::optional(found->section);
}

std::set<ReportSection> AllSections() {
  std::set<ReportSection> all;
  for (const Part& part : kParts) all.insert(part.section);
  return all;
}

Result<std::string> WriteReport(const std::shared_ptr<const reader::Snapshot>& snapshot,
                                const ReportOptions& options) {
  CBOARD_ASSIGN_OR_RETURN(const ReportData data, CollectReport(snapshot, options));
  HtmlWriter html;
  html.Raw(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\">"
      "<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; style-src 'unsafe-inline'\">");
  html.Element("title", options.title)
      .Raw("<style>")
      .Raw(kReportStyle)
      .Raw("</style></head><body>");
  html.Raw("<article class=\"report\">");
  WriteHead(html, data);
  std::string missing;
  bool any = false;
  for (const Part& part : kParts) {
    if (!options.sections.contains(part.section)) continue;
    const std::size_t before = html.size();
    part.write(html, data);
    any = any || html.size() > before;
    if (html.size() == before) missing += (missing.empty() ? "" : ", ") + std::string(part.name);
  }
  if (!any) html.Element("p", "Nothing was logged for " + missing + ".", "verdict warn");
  html.Raw("</article></body></html>\n");
  return html.Take();
}

}  // namespace cboard::analysis
