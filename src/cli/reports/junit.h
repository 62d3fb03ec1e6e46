// Formats the results of a contract as JUnit XML, which CI servers read as test results.
//
//   <testsuites name="contract.yaml" tests="2" failures="1" errors="0">
//     <testsuite name="resnet18" tests="2" failures="1" errors="0" skipped="0">
//       <testcase classname="resnet18.int8" name="quality"/>
//       <testcase classname="resnet18.int8" name="no-red">
//         <failure type="fail" message="…">…</failure>
//
// Each model is a suite, and each gate of a variant is a case. A missing gate is a failure, too:
// servers show skipped cases as if they had passed.
#pragma once

#include <string>
#include <string_view>

#include "cboard/analysis/gates.h"

namespace cboard::cli {

// Returns the results as XML; `file` is the contract's path.
std::string CheckJunit(std::string_view file, const analysis::Contract& contract,
                       const analysis::ContractResult& result);

// Returns one case with an error if checking was not possible, so that a server does not continue
// to show the results of an earlier run.
std::string ErrorJunit(std::string_view file, std::string_view message);

}  // namespace cboard::cli
