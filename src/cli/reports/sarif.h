// Results of a contract as SARIF 2.1.0, in which GitHub's code scanning and editors take what a
// program has found in files.
//
//   {"version":"2.1.0","runs":[{
//     "tool":{"driver":{"name":"Compression Board","rules":[{"id":"quality",…}]}},
//     "results":[{
//       "ruleId":"quality","level":"error","message":{"text":"resnet18 int8: accuracy is …"},
//       "locations":[{
//         "physicalLocation":{"artifactLocation":{"uri":"contract.yaml"},"region":{"startLine":3}},
//         "logicalLocations":[{"name":"int8","kind":"variant"}]}]}]}]}
//
// A gate is a rule, and a gate that does not pass is an error at the gate's line: one for each
// variant, or for each failing layer. A missing gate is an error, too, because it fails the
// contract. An ignored part of the contract is a warning. Passing gates are omitted: GitHub would
// show them as findings.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cboard/analysis/gates.h"

namespace cboard::cli {

// GitHub refuses files with 25,000 results. The worst layers of a gate and variant; JSON has all.
inline constexpr std::size_t kMaxSarifLayers = 100;

// The checked contract, and the program that checked it.
struct SarifSource {
  std::string contract;  // The path as it was given: code scanning takes those from the top folder.
  std::string version;   // Version of this program.
};

std::string CheckSarif(const SarifSource& source, const analysis::Contract& contract,
                       const analysis::ContractResult& result);

// Nothing could be checked: one error at the contract, since code scanning takes a file without
// results for a sign that all is mended.
std::string ErrorSarif(const SarifSource& source, std::string_view message);

}  // namespace cboard::cli
