#include "cboard/compression/keep_float.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace cboard {
namespace {

const std::vector<std::string> kLayers = {"/conv1/Conv", "it's"};

TEST(KeepFloatSnippet, NothingToKeepIsNoConfiguration) {
  for (const Toolchain toolchain : kToolchains) EXPECT_EQ(KeepFloatSnippet({}, toolchain), "");
}

TEST(KeepFloatSnippet, OnnxRuntimeExcludesNodes) {
  EXPECT_EQ(KeepFloatSnippet(kLayers, Toolchain::kOnnxRuntime),
            "quantize_static(model_input, model_output, calibration_data_reader,\n"
            "                nodes_to_exclude=['/conv1/Conv', 'it\\'s'])\n");
}

TEST(KeepFloatSnippet, NeuralCompressorHasYamlAndPython) {
  EXPECT_EQ(KeepFloatSnippet(std::vector<std::string>{"it's"}, Toolchain::kNeuralCompressorOpWise),
            "quantization:\n"
            "  op_wise:\n"
            "    'it''s':\n"
            "      activation: {dtype: ['fp32']}\n"
            "      weight: {dtype: ['fp32']}\n");
  EXPECT_EQ(KeepFloatSnippet(std::vector<std::string>{"fc"}, Toolchain::kNeuralCompressor),
            "PostTrainingQuantConfig(op_name_dict={\n"
            "    'fc': {'activation': {'dtype': ['fp32']}, 'weight': {'dtype': ['fp32']}},\n"
            "})\n");
}

TEST(KeepFloatSnippet, EveryToolchainHasANameAndATitleOfItsOwn) {
  std::set<std::string_view> names, titles;
  for (const Toolchain toolchain : kToolchains) {
    names.insert(NameOf(toolchain));
    titles.insert(TitleOf(toolchain));
  }
  EXPECT_EQ(names.size(), std::size(kToolchains));
  EXPECT_EQ(titles.size(), std::size(kToolchains));
}

TEST(KeepFloatSnippet, EveryToolchainNamesEveryLayer) {
  for (const Toolchain toolchain : kToolchains) {
    const std::string snippet =
        KeepFloatSnippet(std::vector<std::string>{"first", "second"}, toolchain);
    EXPECT_NE(snippet.find("'first'"), std::string::npos) << NameOf(toolchain);
    EXPECT_NE(snippet.find("'second'"), std::string::npos) << NameOf(toolchain);
    EXPECT_EQ(snippet.back(), '\n');
  }
}

}  // namespace
}  // namespace cboard
