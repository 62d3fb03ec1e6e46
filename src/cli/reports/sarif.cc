#include "cli/reports/sarif.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>
#include <vector>

#include "cboard/base/json_writer.h"
#include "cboard/base/strings.h"

namespace cboard::cli {
namespace {

using analysis::Contract;
using analysis::ContractResult;
using analysis::ContractWarning;
using analysis::FailingLayer;
using analysis::Gate;
using analysis::GateOutcome;
using analysis::GateResult;

// Id of the rule for problems of the contract itself.
constexpr std::string_view kContractRule = "contract";

// Returns `path` as a URI reference: bytes that are not allowed there are escaped.
std::string UriOf(const std::string& path) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : std::filesystem::path(path).lexically_normal().string()) {
    if (kPlain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      uri += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return uri;
}

// Removes Markdown links, [words](address). Viewers would show them as links, and names in logs may
// contain any text.
std::string WithoutLinks(std::string text) {
  for (std::size_t at = 0; (at = text.find("](", at)) != std::string::npos;) {
    text.insert(at + 1, " ");
  }
  return text;
}

// Returns the requirement of a gate: "accuracy: at least 0.7, at most 1 % worse than the baseline".
std::string Demand(const Gate& gate) {
  std::vector<std::string> limits;
  if (gate.min) limits.push_back("at least " + ShortestDecimal(*gate.min));
  if (gate.max) limits.push_back("at most " + ShortestDecimal(*gate.max));
  if (gate.worst_level) limits.push_back("at most " + std::string(NameOf(*gate.worst_level)));
  if (gate.max_degradation) {
    limits.push_back("at most " + ShortestDecimal(*gate.max_degradation) +
                     " worse than the baseline");
  }
  if (gate.max_degradation_pct) {
    limits.push_back("at most " + ShortestDecimal(*gate.max_degradation_pct) +
                     " % worse than the baseline");
  }
  if (limits.empty()) limits.push_back("logged");
  std::string text = gate.metric + (gate.is_about_layers() ? " of layers: " : ": ");
  for (std::size_t i = 0; i < limits.size(); ++i) text += (i == 0 ? "" : ", ") + limits[i];
  return text;
}

// Returns a unique id for each gate: SARIF needs unique rules, but people copy gates.
std::vector<std::string> RuleIds(const Contract& contract) {
  std::set<std::string> taken = {std::string(kContractRule)};
  std::vector<std::string> ids;
  for (const Gate& gate : contract.gates) {
    std::string id = gate.id;
    for (int number = 2; !taken.insert(id).second; ++number) {
      id = gate.id + " (" + std::to_string(number) + ")";
    }
    ids.push_back(std::move(id));
  }
  return ids;
}

struct Finding {
  std::string_view level = "error";
  std::string text = {};
  int line = 1;
  // The kind and the name of a variant or layer; the name may be empty.
  std::string name = {};
  std::string_view kind = {};
  std::string full_name = {};
};

class SarifWriter {
 public:
  SarifWriter(const SarifSource& source, std::vector<std::string> ids)
      : uri_(UriOf(source.contract)), ids_(std::move(ids)) {
    ids_.emplace_back(kContractRule);
    json_.BeginObject();
    json_.Key("$schema").Value("https://json.schemastore.org/sarif-2.1.0.json");
    json_.Key("version").Value("2.1.0");
    json_.Key("runs").BeginArray().BeginObject();
    json_.Key("tool").BeginObject().Key("driver").BeginObject();
    json_.Key("name").Value("Compression Board").Key("semanticVersion").Value(source.version);
    json_.Key("rules").BeginArray();
  }

  // Adds the results of the gates in the order of the contract.
  void AddRule(const Gate& gate) {
    AddRule(ids_[rule_count_], Demand(gate), "error");
    json_.Key("properties").BeginObject();
    json_.Key("role").Value(gate.role).Key("metric").Value(gate.metric);
    json_.EndObject().EndObject();
  }

  void EndRules(bool could_check, int exit_code) {
    AddRule(kContractRule, "a contract that can be checked, and nothing in it that is ignored",
            could_check ? "warning" : "error");
    json_.EndObject();
    json_.EndArray().EndObject().EndObject();
    json_.Key("invocations").BeginArray().BeginObject();
    json_.Key("executionSuccessful").Value(could_check).Key("exitCode").Value(exit_code);
    json_.EndObject().EndArray();
    // Code scanning uses the part before the last slash to separate the results of several
    // contracts.
    json_.Key("automationDetails").BeginObject();
    json_.Key("id").Value("compression-board/" + uri_ + "/").EndObject();
    json_.Key("results").BeginArray();
  }

  void AddFinding(std::size_t rule, const Finding& finding) {
    json_.BeginObject();
    json_.Key("ruleId").Value(ids_[rule]).Key("ruleIndex").Value(rule);
    json_.Key("level").Value(finding.level);
    AddText("message", WithoutLinks(finding.text));
    json_.Key("locations").BeginArray().BeginObject();
    json_.Key("physicalLocation").BeginObject();
    json_.Key("artifactLocation").BeginObject().Key("uri").Value(uri_);
    if (!uri_.starts_with("file:")) json_.Key("uriBaseId").Value("%SRCROOT%");
    json_.EndObject();
    json_.Key("region").BeginObject().Key("startLine").Value(std::max(1, finding.line));
    json_.EndObject().EndObject();
    if (!finding.name.empty()) {
      json_.Key("logicalLocations").BeginArray().BeginObject();
      json_.Key("name").Value(finding.name).Key("kind").Value(finding.kind);
      json_.Key("fullyQualifiedName").Value(finding.full_name).EndObject().EndArray();
    }
    json_.EndObject().EndArray();
    // Identifies a result in later runs, even if its gate has moved to another line. Otherwise,
    // code scanning would identify a result by its line, and all layers of a gate have the same
    // line.
    json_.Key("partialFingerprints").BeginObject().Key("primaryLocationLineHash");
    json_.Value(ids_[rule] + ": " + (finding.name.empty() ? finding.text : finding.full_name));
    json_.EndObject().EndObject();
  }

  std::size_t contract_rule() const { return ids_.size() - 1; }

  std::string Take() {
    json_.EndArray().EndObject().EndArray().EndObject();
    return json_.Take() + "\n";
  }

 private:
  // Adds a rule; its object stays open.
  void AddRule(std::string_view id, const std::string& text, std::string_view level) {
    json_.BeginObject().Key("id").Value(id);
    AddText("shortDescription", std::string(id));
    AddText("fullDescription", text);
    AddText("help", text + ". docs/check.md of Compression Board explains contracts.");
    json_.Key("defaultConfiguration").BeginObject().Key("level").Value(level).EndObject();
    ++rule_count_;
  }

  void AddText(std::string_view key, const std::string& text) {
    json_.Key(key).BeginObject().Key("text").Value(text).EndObject();
  }

  const std::string uri_;
  std::vector<std::string> ids_;
  std::size_t rule_count_ = 0;
  JsonWriter json_;
};

void AddResult(const Gate& gate, const GateResult& result, SarifWriter& sarif) {
  const std::string subject =
      result.variant.empty() ? result.model : result.model + " " + result.variant;
  const std::string full_name = result.model + "/" + result.variant;
  for (const FailingLayer& layer :
       std::span(result.broken).first(std::min(kMaxSarifLayers, result.broken.size()))) {
    sarif.AddFinding(result.gate,
                     {.text = subject + ": " + Quoted(layer.layer, 1000) + ": " + layer.explanation,
                      .line = gate.line,
                      .name = layer.layer,
                      .kind = "layer",
                      .full_name = full_name + "/" + layer.layer});
  }
  if (!result.broken.empty()) return;
  sarif.AddFinding(result.gate, {.text = subject.empty() ? result.explanation
                                                         : subject + ": " + result.explanation,
                                 .line = gate.line,
                                 .name = result.variant,
                                 .kind = "variant",
                                 .full_name = full_name});
}

}  // namespace

std::string CheckSarif(const SarifSource& source, const Contract& contract,
                       const ContractResult& result) {
  SarifWriter sarif(source, RuleIds(contract));
  for (const Gate& gate : contract.gates) sarif.AddRule(gate);
  sarif.EndRules(/*could_check=*/true, result.exit_code());
  for (const GateResult& each : result.results) {
    if (each.outcome != GateOutcome::kPass) AddResult(contract.gates[each.gate], each, sarif);
  }
  for (const auto* remarks : {&contract.remarks, &result.remarks}) {
    for (const ContractWarning& remark : *remarks) {
      sarif.AddFinding(sarif.contract_rule(),
                       {.level = "warning", .text = remark.text, .line = remark.line});
    }
  }
  return sarif.Take();
}

std::string ErrorSarif(const SarifSource& source, std::string_view message) {
  SarifWriter sarif(source, {});
  sarif.EndRules(/*could_check=*/false, analysis::kContractInputError);
  sarif.AddFinding(sarif.contract_rule(), {.text = std::string(message)});
  return sarif.Take();
}

}  // namespace cboard::cli
