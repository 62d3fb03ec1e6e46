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
// A gate is a rule, and whatever does not pass is an error at the gate's line: one for each
// variant, or for each layer that breaks the gate. What is missing is an error, too, for it fails
// the contract. What was ignored in the contract is a warning. What passes is left out: GitHub
// would show it as found.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cboard/analysis/gates.h"

namespace cboard::cli {

// GitHub refuses files with 25,000 results. The worst layers of a gate and variant; JSON has all.
inline constexpr std::size_t kMaxSarifLayers = 100;

// What the results are about, and who says so.
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
