// Routes for policies, contracts and the report file.
#include <algorithm>
#include <functional>

#include "cboard/analysis/gates.h"
#include "cboard/analysis/model_summary.h"
#include "cboard/analysis/policy.h"
#include "cboard/analysis/report.h"
#include "cboard/analysis/snapshot_table.h"
#include "cboard/base/clock.h"
#include "cboard/base/strings.h"
#include "server/api/api_route.h"
#include "server/api/aurora_json.h"
#include "server/api/json_body.h"
#include "server/content/json_columns.h"

namespace cboard::server {
namespace {

using analysis::ComparisonTable;
using analysis::GateResult;
using analysis::PolicyCheck;
using analysis::TableModel;

constexpr std::size_t kMaxSummarizedModels = 100'000;

using PolicyPointer = std::shared_ptr<const analysis::Policy>;

Result<PolicyPointer> QueriedPolicy(const ApiCall& call) {
  return analysis::ReadPolicy(TextQuery(call.target, "policy", "balanced"));
}

// Writes one entry per model and gate.
Result<HttpResponse> GetGates(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const PolicyPointer policy, QueriedPolicy(call));
  const ComparisonTable table = analysis::TableOf(*call.snapshot);
  const std::string a = TextQuery(call.target, "a", analysis::DefaultBaseline(table));
  CBOARD_ASSIGN_OR_RETURN(const std::string b, call.target.Query("b"));
  const std::vector<std::string> names = analysis::UniqueNames(table);
  struct Entry {
    std::size_t model;
    PolicyCheck check;
  };
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < table.models.size(); ++i) {
    const TableModel& model = table.models[i];
    Metrics of_a, of_b;
    for (std::size_t row = model.first_row; row < model.first_row + model.row_count; ++row) {
      if (table.rows[row].variant == a) of_a = table.MeasuredOf(row);
      if (table.rows[row].variant == b) of_b = table.MeasuredOf(row);
    }
    for (PolicyCheck& check : analysis::CheckPolicy(*policy, of_a, of_b)) {
      entries.push_back({i, std::move(check)});
    }
  }
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  json.Key("policy").Value(policy->name).Key("a").Value(a).Key("b").Value(b);
  WriteValues(json, "policies", analysis::Policies(), &analysis::Policy::name);
  WriteValues(json, "models", entries, [&](const Entry& e) { return names[e.model]; });
  WriteValues(json, "metrics", entries, [](const Entry& e) { return e.check.gate->metric; });
  WriteValues(json, "rules", entries, [](const Entry& e) { return e.check.rule; });
  WriteValues(json, "outcomes", entries, [](const Entry& e) { return NameOf(e.check.outcome); });
  WriteNumbers(json, "measured", entries, [](const Entry& e) { return e.check.measured; });
  WriteValues(json, "texts", entries, [](const Entry& e) { return e.check.text; });
  json.EndObject();
  return JsonResponse(json.Take());
}

void WriteDamage(JsonWriter& json, const std::vector<analysis::ModelSummary>& models) {
  using analysis::LevelCounts;
  using analysis::ModelSummary;
  json.Key("layers").BeginObject();
  for (const auto& [key, member] :
       {std::pair("red", &LevelCounts::red), std::pair("amber", &LevelCounts::amber),
        std::pair("green", &LevelCounts::green),
        std::pair("unmeasured", &LevelCounts::unmeasured)}) {
    WriteValues(json, key, models,
                [&](const ModelSummary& model) { return model.damage.counts.*member; });
  }
  WriteValues(json, "worst", models, [](const ModelSummary& m) { return m.damage.worst_layer; });
  WriteValues(json, "not_measured", models,
              [](const ModelSummary& m) { return m.damage.not_measured; });
  json.EndObject();
}

// Writes the AURORA scores of the models that logged both variants.
void WriteAurora(JsonWriter& json, const std::vector<analysis::ModelSummary>& models) {
  std::vector<std::size_t> indices;
  std::vector<const analysis::AuroraCell*> cells;
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (!models[i].comparison) continue;
    indices.push_back(i);
    cells.push_back(&models[i].comparison->aurora);
  }
  json.Key("aurora").BeginObject();
  WriteValues(json, "models", indices);
  WriteAuroraColumns(json, cells);
  json.EndObject();
}

void WriteTextLists(JsonWriter& json, std::string_view key,
                    const std::vector<analysis::ModelSummary>& models,
                    std::vector<std::string> analysis::ModelVerdict::*member) {
  json.Key(key).BeginArray();
  for (const analysis::ModelSummary& model : models) {
    json.BeginArray();
    for (const std::string& text : model.verdict.*member) json.Value(text);
    json.EndArray();
  }
  json.EndArray();
}

// Returns the overall verdict and one verdict for each model, identical to the report's.
HttpResponse SummaryOf(const ApiCall& call, const analysis::SummaryOptions& options) {
  using analysis::Headline;
  using analysis::ModelSummary;
  const analysis::Summary summary =
      analysis::Summarize(call.snapshot, analysis::TableOf(*call.snapshot), options);
  struct Entry {
    std::size_t model;
    const PolicyCheck* check;
  };
  std::vector<Entry> checks;
  for (std::size_t i = 0; i < summary.models.size(); ++i) {
    for (const PolicyCheck& check : summary.models[i].checks) checks.push_back({i, &check});
  }
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  json.Key("policy").Value(options.policy->name);
  json.Key("a").Value(summary.a).Key("b").Value(summary.b);
  json.Key("quality").Value(summary.quality);
  json.Key("headlines").BeginObject();
  WriteValues(json, "names", summary.headlines, &Headline::name);
  WriteValues(json, "figures", summary.headlines, &Headline::figure);
  WriteValues(json, "units", summary.headlines, &Headline::unit);
  WriteValues(json, "notes", summary.headlines, &Headline::note);
  WriteValues(json, "models", summary.headlines, &Headline::model);
  WriteNumbers(json, "values", summary.headlines, &Headline::value);
  json.EndObject().Key("counts").BeginObject();
  json.Key("fail").Value(summary.verdicts.fail).Key("watch").Value(summary.verdicts.watch);
  json.Key("pass").Value(summary.verdicts.pass);
  json.Key("incomplete").Value(summary.verdicts.incomplete);
  json.Key("not_checked").Value(summary.verdicts.not_checked).EndObject();
  WriteValues(json, "models", summary.models, &ModelSummary::name);
  WriteValues(json, "states", summary.models,
              [](const ModelSummary& model) { return NameOf(model.verdict.state); });
  WriteValues(json, "texts", summary.models,
              [](const ModelSummary& model) { return model.verdict.text; });
  WriteTextLists(json, "fails", summary.models, &analysis::ModelVerdict::fails);
  WriteTextLists(json, "not_measured", summary.models, &analysis::ModelVerdict::not_measured);
  WriteDamage(json, summary.models);
  WriteAurora(json, summary.models);
  json.Key("gates").BeginObject();
  WriteValues(json, "models", checks, [](const Entry& e) { return e.model; });
  WriteValues(json, "metrics", checks, [](const Entry& e) { return e.check->gate->metric; });
  WriteValues(json, "rules", checks, [](const Entry& e) { return e.check->rule; });
  WriteValues(json, "outcomes", checks, [](const Entry& e) { return NameOf(e.check->outcome); });
  WriteValues(json, "texts", checks, [](const Entry& e) { return e.check->text; });
  json.EndObject().EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetSummary(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const PolicyPointer policy, QueriedPolicy(call));
  analysis::SummaryOptions options{
      .a = TextQuery(call.target, "a"), .b = TextQuery(call.target, "b"), .policy = policy.get()};
  CBOARD_ASSIGN_OR_RETURN(options.aurora, ParseAuroraWeights(TextQuery(call.target, "weights")));
  return SummaryOf(call, options);
}

// Reads the models from the body: a list of names may be longer than a URL can be.
Result<HttpResponse> PostSummary(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const JsonBody body, JsonBody::Parse(call.body));
  CBOARD_ASSIGN_OR_RETURN(const std::string rules, body.Text("policy", "balanced"));
  CBOARD_ASSIGN_OR_RETURN(const PolicyPointer policy, analysis::ReadPolicy(rules));
  analysis::SummaryOptions options{.policy = policy.get()};
  CBOARD_ASSIGN_OR_RETURN(options.a, body.Text("a", ""));
  CBOARD_ASSIGN_OR_RETURN(options.b, body.Text("b", ""));
  CBOARD_ASSIGN_OR_RETURN(const std::vector<std::string> models,
                          body.Texts("models", kMaxSummarizedModels));
  options.models.insert(models.begin(), models.end());
  return SummaryOf(call, options);
}

Result<HttpResponse> PostGates(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const analysis::Contract contract, analysis::ParseContract(call.body));
  const ComparisonTable table = analysis::TableOf(*call.snapshot);
  CBOARD_ASSIGN_OR_RETURN(const analysis::ContractResult result,
                          analysis::CheckContract(contract, table, call.snapshot));
  const auto& entries = result.results;
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  json.Key("passed").Value(result.passed());
  WriteValues(json, "gates", entries,
              [&](const GateResult& e) { return contract.gates[e.gate].id; });
  WriteValues(json, "models", entries, &GateResult::model);
  WriteValues(json, "variants", entries, &GateResult::variant);
  WriteValues(json, "outcomes", entries, [](const GateResult& e) { return NameOf(e.outcome); });
  WriteNumbers(json, "values", entries, &GateResult::value);
  WriteNumbers(json, "baseline_values", entries, &GateResult::baseline_value);
  WriteValues(json, "explanations", entries, &GateResult::explanation);
  std::vector<analysis::ContractWarning> remarks = contract.remarks;
  remarks.insert(remarks.end(), result.remarks.begin(), result.remarks.end());
  WriteValues(json, "remarks", remarks, &analysis::ContractWarning::text);
  json.EndObject();
  return JsonResponse(json.Take());
}

Result<analysis::ReportOptions> QueriedReport(const ApiCall& call) {
  analysis::ReportOptions options;
  options.title = TextQuery(call.target, "title", options.title);
  options.baseline = TextQuery(call.target, "a");
  options.variant = TextQuery(call.target, "b");
  options.policy = TextQuery(call.target, "policy", options.policy);
  options.version = call.look.version;
  options.made_at_seconds = WallTimeSeconds();
  for (const reader::Logdir& logdir : call.look.logdirs) {
    options.logdir += (options.logdir.empty() ? "" : ", ") + logdir.path.string();
  }
  std::set<analysis::ReportSection> sections;
  for (const auto& [name, value] : call.target.query) {
    if (name == "model") options.models.push_back(value);
    if (name != "section") continue;
    const auto section = analysis::SectionNamed(value);
    if (!section) {
      return Fail(ErrorCode::kInvalidArgument, "the report has no section " + Quoted(value));
    }
    sections.insert(*section);
  }
  if (!sections.empty()) options.sections = std::move(sections);
  return options;
}

Result<HttpResponse> GetReport(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const analysis::ReportOptions options, QueriedReport(call));
  CBOARD_ASSIGN_OR_RETURN(std::string html, analysis::WriteReport(call.snapshot, options));
  HttpResponse response{.content_type = "text/html; charset=utf-8"};
  response.body = std::move(html);
  return response;
}

}  // namespace

std::vector<ApiRoute> ReportRoutes() {
  constexpr ParameterType kText = ParameterType::kText;
  return {
      {.method = "GET",
       .path = "/compression/summary",
       .summary = "One verdict per model, and the figures over all of them.",
       .parameters = {{"a", kText, false, false, "The variant that others are compared with."},
                      {"b", kText, false, false, "The variant to check."},
                      {"policy", kText, false, false,
                       "balanced, accuracy first, smallest, or rules: drop<=0.5 ratio>=3."},
                      {"weights", kText, false, false,
                       "Weights of AURORA in percent, and the penalty factor: "
                       "40,20,15,15,10,10. Without them, logged scores are used."}},
       .handler = GetSummary},
      {.method = "POST",
       .path = "/compression/summary",
       .summary = "The same for some models.",
       .body_example = R"({"a":"fp32","b":"int8","policy":"drop<=0.5","models":["alexnet"]})",
       .handler = PostSummary},
      {.method = "GET",
       .path = "/compression/gates",
       .summary = "Whether each model passes the gates of a policy.",
       .parameters = {{"b", kText, true, false, "The variant to check."},
                      {"a", kText, false, false, "The variant it is compared with."},
                      {"policy", kText, false, false,
                       "balanced, accuracy first, smallest, or rules: drop<=0.5 ratio>=3."}},
       .handler = GetGates},
      {.method = "POST",
       .path = "/compression/gates",
       .summary = "Whether every variant keeps a contract.",
       .body_example =
           R"({"gates":[{"id":"small","metric":{"name":"model_size_mb"},"absolute":{"max":10}}]})",
       .handler = PostGates},
      {.method = "GET",
       .path = "/compression/report",
       .summary = "The report of compression results, as one self-contained HTML file.",
       .parameters = {{"title", kText, false, false, "Its title."},
                      {"a", kText, false, false, "The variant that others are compared with."},
                      {"b", kText, false, false, "The variant that is compared."},
                      {"model", kText, false, true, "Only these models."},
                      {"policy", kText, false, false,
                       "balanced, accuracy first, smallest, or rules: drop<=0.5 ratio>=3."},
                      {"section", kText, false, true,
                       "Only these parts: summary, gates, pareto, models, aurora, layers, tuning, "
                       "missing."}},
       .response_type = "text/html",
       .handler = GetReport},
  };
}

}  // namespace cboard::server
