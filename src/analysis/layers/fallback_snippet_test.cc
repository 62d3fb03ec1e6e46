#include <gtest/gtest.h>

#include "cboard/analysis/layer_pairing.h"

namespace cboard::analysis {
namespace {

TEST(FallbackSnippet, GivesTheYamlOfTheTuningGuide) {
  EXPECT_EQ(
      FallbackSnippet(std::vector<std::string>{"v0/cg/conv0/conv2d/Conv2D"}, Toolchain::kLpotYaml),
      "op_wise: {\n"
      "  'v0/cg/conv0/conv2d/Conv2D': {\n"
      "    'activation': {'dtype': ['fp32']},\n"
      "  },\n"
      "}\n");
}

TEST(FallbackSnippet, GivesPythonForLaterVersionsAndOnnxRuntime) {
  const std::vector<std::string> operations = {"a", "it's"};
  EXPECT_EQ(FallbackSnippet(operations, Toolchain::kNeuralCompressor2),
            "op_name_dict={\n"
            "    'a': {'activation': {'dtype': ['fp32']}, 'weight': {'dtype': ['fp32']}},\n"
            "    'it\\'s': {'activation': {'dtype': ['fp32']}, 'weight': {'dtype': ['fp32']}},\n"
            "}\n");
  EXPECT_EQ(FallbackSnippet(operations, Toolchain::kOnnxRuntime),
            "nodes_to_exclude=[\n    'a',\n    'it\\'s',\n]\n");
}

TEST(FallbackSnippet, EscapesForYaml) {
  EXPECT_NE(
      FallbackSnippet(std::vector<std::string>{"it's"}, Toolchain::kLpotYaml).find("'it''s': {"),
      std::string::npos);
}

TEST(FallbackSnippet, IsEmptyForNothing) {
  EXPECT_EQ(FallbackSnippet({}, Toolchain::kLpotYaml), "");
}

}  // namespace
}  // namespace cboard::analysis
