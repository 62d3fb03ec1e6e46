// Writes the sections about the verdict, its metrics, and the missing measurements.
#include "analysis/report/report_sections.h"

#include <algorithm>
#include <cmath>

#include "cboard/verdict/number_text.h"

namespace cboard::analysis {
namespace {

void Begin(HtmlWriter& html, std::string_view title, std::string_view note = {},
           bool is_long = false) {
  html.Raw(is_long ? "<section class=\"long\">" : "<section>").Element("h2", title);
  if (!note.empty()) html.Element("p", note, "note");
}

void WriteTile(HtmlWriter& html, std::string_view name, std::string_view figure,
               std::string_view of) {
  html.Raw("<div class=\"tile\">").Element("div", name, "name");
  html.Element("div", figure, "figure").Element("div", of, "of").Raw("</div>");
}

std::string CountText(std::size_t count, std::string_view one) {
  return HumanCount(count) + " " + std::string(one) + (count == 1 ? "" : "s");
}

void WriteVerdict(HtmlWriter& html, const ReportData& data) {
  const VerdictCounts& counts = data.verdicts;
  const std::string policy = " by the policy “" + data.options.policy + "”.";
  const bool contract_fails = data.contract && (!*data.contract || !(*data.contract)->passed());
  const std::size_t all = data.models.size(), open = counts.incomplete + counts.not_checked;
  const std::string unchecked =
      open == 0 ? ""
                : " " + HumanCount(open) + (open == 1 ? " is" : " are") + " not fully checked.";
  if (counts.fail > 0 || contract_fails) {
    html.Element("p",
                 HumanCount(counts.fail) + " of " + CountText(all, "model") +
                     (counts.fail == 1 ? " fails" : " fail") + policy + unchecked +
                     (contract_fails ? " The contract is not kept." : ""),
                 "verdict bad");
  } else if (counts.not_checked == all) {
    html.Element("p", "Nothing could be checked" + policy, "verdict open");
  } else if (open > 0) {
    html.Element("p",
                 HumanCount(all - open) + " of " + CountText(all, "model") +
                     (all - open == 1 ? " passes" : " pass") + policy + unchecked,
                 "verdict open");
  } else {
    html.Element(
        "p",
        CountText(all, "model") + (all == 1 ? " passes" : " pass") + policy +
            (counts.watch > 0 ? " Layers of " + HumanCount(counts.watch) + " are to be watched."
                              : ""),
        counts.watch > 0 ? "verdict warn" : "verdict good");
  }
}

std::string_view WordOf(VerdictState state) {
  switch (state) {
    case VerdictState::kFail:
      return "fail";
    case VerdictState::kWatch:
      return "pass, to watch";
    case VerdictState::kPass:
      return "pass";
    case VerdictState::kIncomplete:
      return "not fully checked";
    case VerdictState::kNotChecked:
      break;
  }
  return "not checked";
}

std::string_view ClassOf(VerdictState state) {
  switch (state) {
    case VerdictState::kFail:
      return "bad";
    case VerdictState::kWatch:
      return "warn";
    case VerdictState::kPass:
      return "good";
    case VerdictState::kIncomplete:
    case VerdictState::kNotChecked:
      break;
  }
  return "dim";
}

std::string CheckText(const ReportModel& model, const PolicyCheck& check) {
  if (check.outcome != GateOutcome::kMissing) return check.text;
  return model.derived.contains(check.gate->metric) ? "derived" : "not measured";
}

std::string_view ClassOf(GateOutcome outcome) {
  switch (outcome) {
    case GateOutcome::kPass:
      return "good";
    case GateOutcome::kFail:
      return "bad";
    case GateOutcome::kMissing:
      break;
  }
  return "dim";
}

void WriteContract(HtmlWriter& html, const ReportData& data) {
  if (!data.contract) return;
  html.Element("h3", "Contract");
  if (!*data.contract) {
    html.Element("p", data.contract->error().message, "bad");
    return;
  }
  html.Raw(
      "<div class=\"wide\" "
      "tabindex=\"0\"><table><thead><tr><th>Gate</th><th>Model</th><th>Variant</th>");
  html.Raw("<th>Outcome</th><th>Why</th></tr></thead><tbody>");
  for (const GateResult& result : (*data.contract)->results) {
    html.Raw("<tr>").Element("td", data.options.contract->gates[result.gate].id);
    html.Element("td", result.model, "name").Element("td", result.variant);
    html.Raw("<td>").Element("span", NameOf(result.outcome),
                             result.outcome == GateOutcome::kPass ? "good" : "bad");
    html.Raw("</td>").Element("td", result.explanation).Raw("</tr>");
  }
  html.Raw("</tbody></table></div>");
}

constexpr std::string_view kDerivedMark = "†";

// Writes a metric of all models as a column of numbers, for both variants of the pair.
class MetricColumn {
 public:
  MetricColumn(const ReportData& data, const compression::MetricDescription& metric)
      : key_(metric.key), is_share_(IsShare(metric)) {
    std::vector<double> values;
    for (const ReportModel& model : data.models) {
      for (const auto* side : {&model.a, &model.b}) {
        if (const auto found = side->find(key_); found != side->end()) {
          values.push_back(found->second);
        }
      }
    }
    decimals_ = verdict::DecimalsOfColumn(values);
  }

  void WriteCell(HtmlWriter& html, const ReportModel& model) const {
    const auto a = model.a.find(key_);
    const auto b = model.b.find(key_);
    const bool has_a = a != model.a.end(), has_b = b != model.b.end();
    html.Raw("<td class=\"num\">");
    if (!has_a && !has_b) {
      html.Element("span", "–", "dim");
    } else {
      html.Element("span", has_a ? Text(a->second) : "–", "mid").Raw(" → ");
      html.Text(has_b ? Text(b->second) : "–");
      if (model.derived.contains(key_)) html.Text(kDerivedMark);
    }
    html.Raw("</td>");
  }

 private:
  std::string Text(double value) const {
    if (is_share_ && std::isfinite(value)) return verdict::FixedNumber(AsFraction(value) * 100, 2);
    return verdict::ColumnNumber(value, decimals_);
  }

  std::string key_;
  bool is_share_;
  int decimals_ = 0;
};

}  // namespace

std::string LostText(const ReportData& data, double lost) {
  const compression::MetricDescription metric = compression::DescribeMetric(data.quality);
  if (IsShare(metric)) return verdict::FixedNumber(lost * 100, 2) + " pp";
  return verdict::ShortNumber(lost, 3) + (metric.unit.empty() ? "" : " " + metric.unit);
}

void WriteSummary(HtmlWriter& html, const ReportData& data) {
  html.Raw("<section>");
  WriteVerdict(html, data);
  html.Raw("<div class=\"tiles\">");
  for (const Headline& headline : data.headlines) {
    std::string of = headline.model;
    if (!headline.note.empty()) of += (of.empty() ? "" : ", ") + headline.note;
    WriteTile(html, headline.name,
              headline.figure + (headline.unit.empty() ? "" : " " + headline.unit), of);
  }
  html.Raw("</div></section>");
}

void WriteGates(HtmlWriter& html, const ReportData& data) {
  if (data.models.empty() || data.models.front().checks.empty()) return;
  Begin(
      html, "Gates",
      "Policy “" + data.options.policy +
          "”, with the damage of layers. Speed counts by latency or by throughput. A model passes "
          "when all of it was measured and is good.",
      true);
  html.Raw("<div class=\"wide\" tabindex=\"0\"><table><thead><tr><th>Model</th><th>Verdict</th>");
  for (const PolicyCheck& check : data.models.front().checks) {
    html.Raw("<th class=\"num\">").Text(PlainName(compression::DescribeMetric(check.gate->metric)));
    html.Raw("<br>").Text(check.rule).Raw("</th>");
  }
  html.Raw("<th>Why</th></tr></thead><tbody>");
  for (const ReportModel& model : data.models) {
    html.Raw("<tr>").Element("td", model.name, "name").Raw("<td>");
    html.Element("span", WordOf(model.verdict.state), ClassOf(model.verdict.state));
    html.Raw("</td>");
    for (const PolicyCheck& check : model.checks) {
      html.Raw("<td class=\"num\">")
          .Element("span", CheckText(model, check), ClassOf(check.outcome));
      html.Raw("</td>");
    }
    html.Element("td", model.verdict.text, "why").Raw("</tr>");
  }
  html.Raw("</tbody></table></div>");
  WriteContract(html, data);
  html.Raw("</section>");
}

void WriteModels(HtmlWriter& html, const ReportData& data) {
  const bool derives =
      std::ranges::any_of(data.models, [](const auto& model) { return !model.derived.empty(); });
  Begin(html, "Models",
        "● " + data.a + " → ◆ " + data.b + "; – was not logged" +
            (derives ? "; † was derived from other figures, not measured." : "."),
        true);
  html.Raw("<div class=\"wide\" tabindex=\"0\"><table><thead><tr><th>Model</th>");
  std::vector<MetricColumn> columns;
  for (const compression::MetricDescription& metric : data.metrics) {
    html.Element("th", NameWithUnit(metric), "num");
    columns.emplace_back(data, metric);
  }
  html.Raw("</tr></thead><tbody>");
  for (const ReportModel& model : data.models) {
    html.Raw("<tr>").Element("td", model.name, "name");
    for (const MetricColumn& column : columns) column.WriteCell(html, model);
    html.Raw("</tr>");
  }
  html.Raw("</tbody></table></div></section>");
}

void WriteMissing(HtmlWriter& html, const ReportData& data) {
  constexpr std::size_t kMaxMissingTags = 40;
  constexpr std::size_t kMaxDamagedRuns = 8;  // Maximum number of damaged runs that are named.
  std::vector<std::string> tags;
  std::size_t count = 0;
  // A metric counts as missing only if at least one variant of a model has it.
  struct Side {
    const std::optional<std::size_t>& row;
    const Metrics& has;
    const Metrics& other;
  };
  for (const ReportModel& model : data.models) {
    for (const auto& [row, has, other] :
         {Side{model.row_a, model.a, model.b}, Side{model.row_b, model.b, model.a}}) {
      if (!row) continue;
      for (const compression::MetricDescription& metric : data.metrics) {
        if (has.contains(metric.key) || !other.contains(metric.key)) continue;
        if (++count <= kMaxMissingTags) tags.push_back(MissingTag(data.table.rows[*row], metric));
      }
    }
  }
  std::uint64_t damaged = 0;
  std::string where;
  std::size_t runs = 0;
  for (const std::shared_ptr<const reader::Run>& run : data.snapshot->runs) {
    const std::uint64_t before = damaged;
    for (const auto& file : run->files) damaged += file->damaged_bytes;
    if (damaged > before && ++runs <= kMaxDamagedRuns) where += (runs > 1 ? ", " : "") + run->name;
  }
  if (runs > kMaxDamagedRuns) where += " and " + HumanCount(runs - kMaxDamagedRuns) + " more";
  if (count == 0 && damaged == 0 && data.snapshot->unreadable.empty()) return;
  Begin(html, "Missing measurements", {}, true);
  if (damaged > 0) {
    html.Element("p",
                 HumanBytes(static_cast<double>(damaged)) +
                     " are damaged and were passed over, in " + where + ".",
                 "warn");
  }
  for (const Error& error : data.snapshot->unreadable) html.Element("p", error.message, "warn");
  if (count > 0) {
    html.Element(
        "p", CountText(count, "value") + " that the other variant has, under these tags:", "note");
    html.Raw("<p>");
    for (std::size_t i = 0; i < tags.size(); ++i) {
      if (i > 0) html.Raw(", ");
      html.Element("code", tags[i]);
    }
    if (count > tags.size()) html.Text(" and " + HumanCount(count - tags.size()) + " more");
    html.Raw("</p>");
  }
  html.Raw("</section>");
}

}  // namespace cboard::analysis
