#include "cli/reports/junit.h"

#include <map>
#include <vector>

#include "cboard/base/strings.h"

namespace cboard::cli {
namespace {

using analysis::Contract;
using analysis::ContractResult;
using analysis::FailingLayer;
using analysis::GateOutcome;
using analysis::GateResult;

// Escapes text for XML elements and quoted attributes. Control characters are replaced: XML 1.0
// cannot represent most of them, and a parser would refuse the whole file because of one control
// character in a layer's name.
std::string XmlText(std::string_view text) {
  constexpr std::string_view kNoCharacter = "\xEF\xBF\xBD";
  const std::string valid = ToValidUtf8(text);
  std::string xml;
  xml.reserve(valid.size());
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const char c = valid[i];
    const std::string_view three = std::string_view(valid).substr(i, 3);
    if (three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF") {  // U+FFFE and U+FFFF.
      xml += kNoCharacter;
      i += 2;
    } else if (c == '&') {
      xml += "&amp;";
    } else if (c == '<') {
      xml += "&lt;";
    } else if (c == '>') {
      xml += "&gt;";
    } else if (c == '"') {
      xml += "&quot;";
    } else if (c == '\n') {
      xml += "&#10;";
    } else if (c == '\t') {
      xml += "&#9;";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      xml += kNoCharacter;
    } else {
      xml += c;
    }
  }
  return xml;
}

std::string Attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + XmlText(value) + "\"";
}

std::string Counts(std::size_t tests, std::size_t failures, std::size_t errors) {
  return Attribute("tests", std::to_string(tests)) +
         Attribute("failures", std::to_string(failures)) +
         Attribute("errors", std::to_string(errors));
}

constexpr std::string_view kDeclaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

void AppendCase(const Contract& contract, const GateResult& result, std::string& xml) {
  // CI servers show the part before the last dot as a package, so the variants of a model are shown
  // as one group.
  const std::string owner =
      result.variant.empty() ? result.model : result.model + "." + result.variant;
  xml += "    <testcase" + Attribute("classname", owner.empty() ? "contract" : owner) +
         Attribute("name", contract.gates[result.gate].id) + Attribute("time", "0");
  if (result.outcome == GateOutcome::kPass) {
    xml += "/>\n";
    return;
  }
  xml += ">\n      <failure" + Attribute("type", NameOf(result.outcome)) +
         Attribute("message", result.explanation) + ">";
  xml += XmlText(result.explanation);
  for (const FailingLayer& layer : result.broken) {
    xml += "\n" + XmlText(Quoted(layer.layer, 1000) + ": " + layer.explanation);
  }
  xml += "</failure>\n    </testcase>\n";
}

}  // namespace

std::string CheckJunit(std::string_view file, const Contract& contract,
                       const ContractResult& result) {
  std::map<std::string_view, std::vector<const GateResult*>> suites;
  for (const GateResult& each : result.results) suites[each.model].push_back(&each);
  std::string xml(kDeclaration);
  xml += "<testsuites" + Attribute("name", file) +
         Counts(result.results.size(), result.failures(), 0) + ">\n";
  for (const auto& [model, cases] : suites) {
    std::size_t failures = 0;
    for (const GateResult* const each : cases) failures += each->outcome != GateOutcome::kPass;
    xml += "  <testsuite" + Attribute("name", model.empty() ? "contract" : model) +
           Counts(cases.size(), failures, 0) + Attribute("skipped", "0") + ">\n";
    for (const GateResult* const each : cases) AppendCase(contract, *each, xml);
    xml += "  </testsuite>\n";
  }
  return xml + "</testsuites>\n";
}

std::string ErrorJunit(std::string_view file, std::string_view message) {
  return std::string(kDeclaration) + "<testsuites" + Attribute("name", file) + Counts(1, 0, 1) +
         ">\n  <testsuite" + Attribute("name", "contract") + Counts(1, 0, 1) +
         Attribute("skipped", "0") + ">\n    <testcase" + Attribute("classname", "contract") +
         Attribute("name", "can be checked") + Attribute("time", "0") + ">\n      <error" +
         Attribute("type", "input") + Attribute("message", message) + "/>\n    </testcase>\n" +
         "  </testsuite>\n</testsuites>\n";
}

}  // namespace cboard::cli
