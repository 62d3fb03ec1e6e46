// Reads a contract.
#include "analysis/gates/contract_document.h"
#include "analysis/gates/gate_parser.h"
#include "cboard/analysis/gates.h"

namespace cboard::analysis {
namespace {

// Maximum number of gates. A contract with more gates was probably generated; patterns would make
// it shorter.
constexpr std::size_t kMaxGates = 1000;

Result<std::string> BaselineIn(const DocumentNode& root) {
  const DocumentNode* baseline = root.Find("baseline");
  if (baseline != nullptr && baseline->is_map()) baseline = baseline->Find("run_id");
  if (baseline == nullptr) return std::string();
  if (baseline->is_text()) return baseline->text;
  return Fail(ErrorCode::kInvalidArgument, baseline->place() + ": 'baseline' is " +
                                               baseline->Describe() +
                                               " but must name a variant, such as fp32");
}

}  // namespace

Result<Contract> ParseContract(std::string_view text) {
  CBOARD_ASSIGN_OR_RETURN(const DocumentNode root, ParseDocument(text));
  const auto wrong = [](const DocumentNode& at, const std::string& what) {
    return Fail(ErrorCode::kInvalidArgument, at.place() + ": " + what);
  };
  if (!root.is_map()) {
    return wrong(root, "a contract must be a mapping with a list 'gates', not " + root.Describe() +
                           "; docs/check.md shows one");
  }
  const DocumentNode* const gates = root.Find("gates");
  if (gates == nullptr)
    return wrong(root, "the contract has no 'gates'; add this list of limits to check");
  if (!gates->is_list()) return wrong(*gates, "'gates' must be a list, not " + gates->Describe());
  if (gates->items.empty()) return wrong(*gates, "'gates' is empty; add at least one gate");
  if (gates->items.size() > kMaxGates)
    return wrong(*gates, "the contract has more than 1,000 gates; split it into several files");
  Contract contract;
  CBOARD_ASSIGN_OR_RETURN(contract.baseline, BaselineIn(root));
  for (const DocumentNode& node : gates->items) {
    CBOARD_ASSIGN_OR_RETURN(Gate gate,
                            ParseGate(node, contract.gates.size() + 1, contract.remarks));
    contract.gates.push_back(std::move(gate));
  }
  return contract;
}

}  // namespace cboard::analysis
