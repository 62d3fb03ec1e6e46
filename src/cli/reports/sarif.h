// Formats the results of a contract as SARIF 2.1.0, which GitHub's code scanning and editors
// read.
//
//   {"version":"2.1.0","runs":[{
//     "tool":{"driver":{"name":"Compression Board","rules":[{"id":"quality",…}]}},
//     "results":[{
//       "ruleId":"quality","level":"error","message":{"text":"resnet18 int8: accuracy is …"},
//       "locations":[{
//         "physicalLocation":{"artifactLocation":{"uri":"contract.yaml"},"region":{"startLine":3}},
//         "logicalLocations":[{"name":"int8","kind":"variant"}]}]}]}]}
//
// A gate is a rule. A gate that does not pass is an error at the gate's line: one for each
// variant, or for each failing layer. A missing gate is an error, too, because it fails the
// contract. An ignored part of the contract is a warning. Passing gates are omitted: GitHub would
// show them as findings.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cboard/analysis/gates.h"

namespace cboard::cli {

// Maximum number of layers per gate and variant, worst first: GitHub refuses files with 25,000
// results. JSON lists all layers.
inline constexpr std::size_t kMaxSarifLayers = 100;

// The checked contract, and the program that checked it.
struct SarifSource {
  // The path in the form that the user gave, because code scanning expects a path from the root of
  // the repository.
  std::string contract;
  std::string version;  // Version of this program.
};

std::string CheckSarif(const SarifSource& source, const analysis::Contract& contract,
                       const analysis::ContractResult& result);

// Returns one error about the contract if checking was not possible: code scanning would read a
// file without results as a sign that all problems are fixed.
std::string ErrorSarif(const SarifSource& source, std::string_view message);

}  // namespace cboard::cli
