// pugixml, an independent library, is the oracle for XML.
#include "cli/reports/junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>

namespace cboard::cli {
namespace {

using analysis::Contract;
using analysis::ContractResult;
using analysis::GateOutcome;
using analysis::Level;
using ::testing::HasSubstr;

pugi::xml_document Parsed(const std::string& xml) {
  pugi::xml_document document;
  EXPECT_TRUE(document.load_buffer(xml.data(), xml.size())) << xml;
  return document;
}

TEST(CheckJunit, IsASuitePerModelAndACasePerGate) {
  const Contract contract{.gates = {{.id = "quality"}, {.id = "clean", .layers = {"*"}}}};
  const ContractResult result{
      .results = {{.gate = 0, .model = "b", .variant = "int8", .explanation = "fine"},
                  {.gate = 0, .model = "a", .variant = "int8"},
                  {.gate = 1,
                   .model = "b",
                   .variant = "int8",
                   .outcome = GateOutcome::kFail,
                   .explanation = "2 layers",
                   .broken = {{.layer = "x", .explanation = "is red"},
                              {.layer = "y", .explanation = "is red"}}},
                  {.gate = 1, .outcome = GateOutcome::kMissing, .explanation = "nothing"}}};
  const pugi::xml_document document = Parsed(CheckJunit("c.yaml", contract, result));
  const pugi::xml_node root = document.child("testsuites");
  EXPECT_STREQ(root.attribute("name").value(), "c.yaml");
  EXPECT_EQ(root.attribute("tests").as_int(), 4);
  EXPECT_EQ(root.attribute("failures").as_int(), 2);
  int cases = 0, failures = 0;
  for (const pugi::xml_node suite : root.children("testsuite")) {
    int in_suite = 0;
    for (const pugi::xml_node each : suite.children("testcase")) {
      ++in_suite;
      failures += each.child("failure") ? 1 : 0;
    }
    EXPECT_EQ(suite.attribute("tests").as_int(), in_suite);
    cases += in_suite;
  }
  EXPECT_EQ(cases, 4);
  EXPECT_EQ(failures, 2);
  const pugi::xml_node broken = root.find_child_by_attribute("testsuite", "name", "b").last_child();
  EXPECT_STREQ(broken.attribute("classname").value(), "b.int8");
  EXPECT_STREQ(broken.attribute("name").value(), "clean");
  EXPECT_STREQ(broken.child("failure").attribute("type").value(), "fail");
  EXPECT_STREQ(broken.child("failure").attribute("message").value(), "2 layers");
  EXPECT_STREQ(broken.child("failure").text().get(), "2 layers\n'x': is red\n'y': is red");
  const pugi::xml_node missing = root.find_child_by_attribute("testsuite", "name", "contract");
  EXPECT_STREQ(missing.child("testcase").child("failure").attribute("type").value(), "missing");
}

TEST(CheckJunit, HoldsAnyName) {
  const std::string hostile = "<a b=\"c\">&'\x01\x1b[31m\xff\n\t\xEF\xBF\xBF]]>";
  const Contract contract{.gates = {{.id = hostile}}};
  const ContractResult result{.results = {{.model = hostile,
                                           .variant = hostile,
                                           .outcome = GateOutcome::kFail,
                                           .explanation = hostile}}};
  const std::string xml = CheckJunit(hostile, contract, result);
  const std::string clean = "<a b=\"c\">&'\uFFFD\uFFFD[31m\uFFFD\n\t\uFFFD]]>";
  const pugi::xml_document document = Parsed(xml);
  const pugi::xml_node suite = document.child("testsuites").child("testsuite");
  EXPECT_EQ(suite.attribute("name").value(), clean);
  EXPECT_EQ(suite.child("testcase").attribute("name").value(), clean);
  EXPECT_EQ(suite.child("testcase").child("failure").text().get(), clean);
  EXPECT_EQ(xml.find('\x01'), std::string::npos);
}

TEST(ErrorJunit, IsOneCaseWithAnError) {
  const pugi::xml_document document = Parsed(ErrorJunit("c.yaml", "line 1: <wrong>"));
  const pugi::xml_node root = document.child("testsuites");
  EXPECT_EQ(root.attribute("errors").as_int(), 1);
  const pugi::xml_node error = root.child("testsuite").child("testcase").child("error");
  EXPECT_STREQ(error.attribute("message").value(), "line 1: <wrong>");
}

}  // namespace
}  // namespace cboard::cli
