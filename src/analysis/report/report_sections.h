// The parts of a report. Each function writes a <section>, or nothing if it has no content.
#pragma once

#include "analysis/report/html_writer.h"
#include "analysis/report/report_data.h"
#include "cboard/analysis/verified_runs.h"

namespace cboard::analysis {

void WriteSummary(HtmlWriter& html, const ReportData& data);
void WriteGates(HtmlWriter& html, const ReportData& data);
void WritePareto(HtmlWriter& html, const ReportData& data);
void WriteModels(HtmlWriter& html, const ReportData& data);
void WriteAurora(HtmlWriter& html, const ReportData& data);
void WriteLayers(HtmlWriter& html, const ReportData& data);
void WriteTuning(HtmlWriter& html, const ReportData& data);
void WriteMissing(HtmlWriter& html, const ReportData& data);

// Formats a loss: "0.27 pp", or in the metric's unit.
std::string LostText(const ReportData& data, double lost);

// The CSS style sheet of the report.
extern const std::string_view kReportStyle;

// Writes the section of verified runs, below the layers that they restore.

// Writes the verified runs: a sentence, and a table with one row per run.
void WriteVerified(HtmlWriter& html, const VerifiedRuns& verified);

}  // namespace cboard::analysis
