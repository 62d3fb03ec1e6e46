// Whether it passes: policies and contracts; and all of it as one file.
#include <algorithm>
#include <functional>

#include "cboard/analysis/gates.h"
#include "cboard/analysis/policy.h"
#include "cboard/analysis/report.h"
#include "cboard/analysis/snapshot_table.h"
#include "cboard/base/clock.h"
#include "cboard/base/strings.h"
#include "server/api/api_route.h"
#include "server/json_columns.h"

namespace cboard::server {
namespace {

using analysis::ComparisonTable;
using analysis::GateResult;
using analysis::PolicyCheck;
using analysis::TableModel;

Result<const analysis::Policy*> QueriedPolicy(const ApiCall& call) {
  const std::string name = TextQuery(call.target, "policy", "balanced");
  if (const analysis::Policy* const policy = analysis::FindPolicy(name)) return policy;
  std::string known;
  for (const analysis::Policy& policy : analysis::Policies()) {
    known += (known.empty() ? "" : ", ") + std::string(policy.name);
  }
  return Fail(ErrorCode::kNotFound, "there is no policy " + Quoted(name) + "; there are " + known);
}

// One entry per model and gate.
Result<HttpResponse> GetGates(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const analysis::Policy* const policy, QueriedPolicy(call));
  const ComparisonTable table = analysis::TableOf(*call.snapshot);
  const std::string a = TextQuery(call.target, "a", analysis::UsualBaseline(table));
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
  std::vector<analysis::ContractRemark> remarks = contract.remarks;
  remarks.insert(remarks.end(), result.remarks.begin(), result.remarks.end());
  WriteValues(json, "remarks", remarks, &analysis::ContractRemark::text);
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
  for (const Logdir& logdir : call.look.logdirs) {
    options.logdir += (options.logdir.empty() ? "" : ", ") + logdir.path.string();
  }
  std::set<analysis::ReportSection> sections;
  for (const auto& [name, value] : call.target.query) {
    if (name == "model") options.models.push_back(value);
    if (name != "section") continue;
    const auto section = analysis::SectionNamed(value);
    if (!section) {
      return Fail(ErrorCode::kInvalidArgument, "there is no section " + Quoted(value));
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
       .path = "/compression/gates",
       .summary = "Whether each model passes the gates of a policy.",
       .parameters = {{"b", kText, true, false, "The variant that is judged."},
                      {"a", kText, false, false, "The variant it is compared with."},
                      {"policy", kText, false, false, "balanced, accuracy first or smallest."}},
       .handler = GetGates},
      {.method = "POST",
       .path = "/compression/gates",
       .summary = "Whether every variant keeps a contract.",
       .body_example =
           R"({"gates":[{"id":"small","metric":{"name":"model_size_mb"},"absolute":{"max":10}}]})",
       .handler = PostGates},
      {.method = "GET",
       .path = "/compression/report",
       .summary = "What compression cost, as one HTML file that needs nothing else.",
       .parameters = {{"title", kText, false, false, "Its title."},
                      {"a", kText, false, false, "The variant that others are compared with."},
                      {"b", kText, false, false, "The variant that is compared."},
                      {"model", kText, false, true, "Only these models."},
                      {"policy", kText, false, false, "balanced, accuracy first or smallest."},
                      {"section", kText, false, true,
                       "Only these parts: summary, gates, pareto, models, aurora, layers, tuning, "
                       "missing."}},
       .answer_type = "text/html",
       .handler = GetReport},
  };
}

}  // namespace cboard::server
