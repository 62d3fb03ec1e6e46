#include "cboard/compare/keep_float.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace cboard::compare {
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

TEST(KeepFloatSnippet, WeightsAloneAreQuantizedByOthers) {
  const auto snippet = [](Toolchain toolchain) {
    return KeepFloatSnippet(kLayers, toolchain, QuantizationScheme::kWeightOnly);
  };
  EXPECT_EQ(snippet(Toolchain::kOnnxRuntime),
            "quantizer = MatMulNBitsQuantizer(\n"
            "    model_input, bits=bits, block_size=block_size, is_symmetric=is_symmetric,\n"
            "    nodes_to_exclude=['/conv1/Conv', 'it\\'s'])\n"
            "quantizer.process()\n"
            "quantizer.model.save_model_to_file(model_output)\n");
  EXPECT_EQ(snippet(Toolchain::kNncf),
            "nncf.compress_weights(model,\n"
            "                      ignored_scope=nncf.IgnoredScope(names=['/conv1/Conv', "
            "'it\\'s']))\n");
  EXPECT_TRUE(snippet(Toolchain::kNeuralCompressor)
                  .starts_with("PostTrainingQuantConfig(approach='weight_only', op_name_dict={\n"));
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
  std::set<std::string> names, titles;
  std::size_t snippets = 0;
  for (const Toolchain toolchain : kToolchains) {
    for (const QuantizationScheme scheme : SchemesOf(toolchain)) {
      names.insert(NameOf(toolchain, scheme));
      titles.insert(TitleOf(toolchain, scheme));
      ++snippets;
    }
    EXPECT_EQ(NameOf(toolchain, SchemesOf(toolchain)[0]), NameOf(toolchain));
  }
  EXPECT_EQ(names.size(), snippets);
  EXPECT_EQ(titles.size(), snippets);
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

TEST(KeepFloatSnippet, LongListsGoOnBelow) {
  const std::vector<std::string> layers(4, "/a/layer/with/a/name/of/its/own/Conv");
  EXPECT_EQ(KeepFloatSnippet(layers, Toolchain::kOnnxRuntime, QuantizationScheme::kDynamic),
            "quantize_dynamic(model_input, model_output,\n"
            "                 nodes_to_exclude=['/a/layer/with/a/name/of/its/own/Conv',\n"
            "                                   '/a/layer/with/a/name/of/its/own/Conv',\n"
            "                                   '/a/layer/with/a/name/of/its/own/Conv',\n"
            "                                   '/a/layer/with/a/name/of/its/own/Conv'])\n");
}

TEST(OverridesSnippet, SaysWhatAQuantizerNeedsToKnow) {
  EXPECT_EQ(OverridesSnippet({}), "");
  const std::vector<ActivationOverride> overrides = {
      {.tensor = "it's", .bits = 8, .range = {{-0.25, 1234.5678}}},
      {.tensor = "b", .bits = 16, .is_signed = true, .is_symmetric = true},
      {.tensor = "c", .bits = 8, .is_signed = true, .range = {{0, 6}}}};
  EXPECT_EQ(OverridesSnippet(overrides),
            "quantize_static(model_input, model_output, calibration_data_reader,\n"
            "                extra_options={'TensorQuantOverrides': {\n"
            "                    'it\\'s': [{'quant_type': QuantType.QUInt8, "
            "'rmin': np.float32(-0.25), 'rmax': np.float32(1234.57)}],\n"
            "                    'b': [{'quant_type': QuantType.QInt16}],\n"
            "                    'c': [{'quant_type': QuantType.QInt8, 'symmetric': False, "
            "'rmin': np.float32(0), 'rmax': np.float32(6)}],\n"
            "                }})\n");
}

}  // namespace
}  // namespace cboard::compare
