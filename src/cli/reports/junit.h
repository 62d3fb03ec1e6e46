// Results of a contract as JUnit XML, the format in which CI servers take results of tests.
//
//   <testsuites name="contract.yaml" tests="2" failures="1" errors="0">
//     <testsuite name="resnet18" tests="2" failures="1" errors="0" skipped="0">
//       <testcase classname="resnet18.int8" name="quality"/>
//       <testcase classname="resnet18.int8" name="no-red">
//         <failure type="fail" message="…">…</failure>
//
// A model is a suite and a gate of one of its variants a case. A missing gate is a failure, too:
// servers show skipped cases as if they were good.
#pragma once

#include <string>
#include <string_view>

#include "cboard/analysis/gates.h"

namespace cboard::cli {

// `file` is the contract's.
std::string CheckJunit(std::string_view file, const analysis::Contract& contract,
                       const analysis::ContractResult& result);

// Nothing could be checked: one case with an error, so that a server does not go on to show what an
// earlier run has left.
std::string ErrorJunit(std::string_view file, std::string_view message);

}  // namespace cboard::cli
