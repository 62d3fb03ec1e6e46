#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "analysis/layers/model_filter.h"
#include "analysis/runs/run_path.h"
#include "analysis/table/cached_facts.h"
#include "cboard/analysis/layers.h"
#include "cboard/analysis/parsed_tag.h"
#include "cboard/analysis/stages.h"
#include "cboard/analysis/tuning.h"
#include "cboard/compression/names.h"
#include "cboard/compression/tags.h"

namespace cboard::analysis {
namespace {

constexpr std::string_view kObserver = ".activation_post_process";

TensorRole RoleOf(std::string_view parameter) {
  return parameter == "weight" || parameter == "kernel" || parameter == "weights"
             ? TensorRole::kWeight
             : TensorRole::kParameter;
}

bool IsOutput(std::string_view part) {
  return part == "Output" || part == "output" || part == "activation";
}

// Removes and returns the last part of `rest`.
std::string_view TakeLast(std::string_view& rest) {
  const std::string_view last = LastPart(rest);
  rest.remove_suffix(std::min(last.size() + 1, rest.size()));
  return last;
}

// Parses <layer>/Output or <layer>/<parameter>.
LayerTensor TensorOf(std::string_view rest) {
  LayerTensor tensor;
  const std::string_view what = TakeLast(rest);
  if (rest.empty()) {  // A name such as "fc/int8" has no other parts.
    tensor.layer = std::string(what);
    tensor.role = TensorRole::kWeight;
    return tensor;
  }
  tensor.layer = std::string(rest);
  if (IsOutput(what)) return tensor;
  tensor.role = RoleOf(what);
  tensor.parameter = std::string(what);
  return tensor;
}

constexpr std::string_view kLayersOfModel = "/layers/";

// Parses <model>/layers/<layer>/<what>/<variant>.
std::optional<LayerTensor> ParseLayersTag(std::string_view tag) {
  const std::size_t at = tag.find(kLayersOfModel);
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  std::string_view rest = tag.substr(at + kLayersOfModel.size());
  const std::string_view variant = TakeLast(rest);
  if (variant.empty() || rest.find('/') == std::string_view::npos) return std::nullopt;
  LayerTensor tensor = TensorOf(rest);
  tensor.model = std::string(tag.substr(0, at));
  tensor.variant = std::string(variant);
  return tensor;
}

// Parses <node>_fp32.output, a TensorFlow tag; names of TensorFlow nodes cannot end like this.
std::optional<LayerTensor> ParseTensorFlowOutput(std::string_view tag) {
  for (const std::string_view variant : {"fp32", "int8"}) {
    const std::string suffix = "_" + std::string(variant) + ".output";
    if (!tag.ends_with(suffix) || tag.size() == suffix.size()) continue;
    return LayerTensor{.layer = std::string(tag.substr(0, tag.size() - suffix.size())),
                       .role = TensorRole::kOutput,
                       .variant = std::string(variant)};
  }
  return std::nullopt;
}

// Parses <layer>/Output/int8 and <layer>/<parameter>/int8.
std::optional<LayerTensor> ParsePyTorch(std::string_view tag) {
  std::string_view rest = tag;
  const std::string_view variant = TakeLast(rest);
  if (rest.empty() || !IsKnownVariant(variant)) return std::nullopt;
  // Names of values that our own writers log for a model, not for a layer.
  if (LastPart(rest) == "latency_distribution") return std::nullopt;
  LayerTensor tensor = TensorOf(rest);
  tensor.variant = std::string(variant);
  return tensor;
}

// Returns the name of a Const node, quantized or not.
LayerTensor TensorOfConstant(std::string_view tag) {
  std::string_view rest = OriginalName(tag);
  const std::string_view last = TakeLast(rest);
  return {.layer = std::string(rest.empty() ? last : rest),
          .role = TensorRole::kWeight,
          .parameter = std::string(rest.empty() ? std::string_view() : last)};
}

// The position of a value: its file in the run, and its offset in the file.
using Place = std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>;

Place FirstPlaceOf(const reader::Tag& tag) {
  if (tag.blobs.empty()) return {};
  const reader::BlobEntry first = tag.blobs.at(0);
  return {first.file, first.record_offset, first.value_offset};
}

void SetDepths(const std::vector<Place>& places, std::vector<LayerTensor>& tensors) {
  struct Layer {
    Place place;
    bool by_output = false;
  };
  std::map<std::string_view, Layer> layers;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const bool is_output = tensors[i].role == TensorRole::kOutput;
    const auto [entry, is_new] = layers.try_emplace(tensors[i].layer, Layer{places[i], is_output});
    Layer& layer = entry->second;
    if (is_new || is_output < layer.by_output) continue;
    if (is_output > layer.by_output || places[i] < layer.place) layer = {places[i], is_output};
  }
  std::vector<std::pair<Place, std::string_view>> ordered;
  for (const auto& [name, layer] : layers) ordered.emplace_back(layer.place, name);
  std::ranges::sort(ordered);
  std::map<std::string_view, std::size_t> depths;
  for (const auto& [place, name] : ordered) depths.emplace(name, depths.size());
  for (LayerTensor& tensor : tensors) tensor.depth = depths.at(tensor.layer);
}

}  // namespace

std::string_view NameOf(TensorRole role) {
  switch (role) {
    case TensorRole::kOutput:
      return "output";
    case TensorRole::kWeight:
      return "weight";
    case TensorRole::kParameter:
      break;
  }
  return "parameter";
}

std::string TitleOf(const LayerTensor& tensor) {
  if (tensor.role == TensorRole::kOutput) return tensor.layer;
  return tensor.layer + " " +
         (tensor.parameter.empty() ? std::string(NameOf(tensor.role)) : tensor.parameter);
}

std::optional<LayerTensor> ParseLayerTag(std::string_view tag, RunKind kind) {
  if (tag.empty()) return std::nullopt;
  std::optional<LayerTensor> tensor;
  if (kind != RunKind::kStage) {
    tensor = ParseLayersTag(tag);
    if (!tensor) tensor = ParseTensorFlowOutput(tag);
    if (!tensor) tensor = ParsePyTorch(tag);
    if (!tensor && kind == RunKind::kTuning) tensor = TensorOfConstant(tag);
  } else {
    tensor = LayerTensor{.layer = std::string(tag), .role = TensorRole::kOutput};
  }
  if (tensor) tensor->tag = std::string(tag);
  return tensor;
}

std::optional<LayerTensor> ParseLayerTag(const reader::Tag& tag, RunKind kind) {
  std::optional<LayerTensor> tensor = ParseLayerTag(tag.name(), kind);
  if (!tensor || tag.info->plugin_name != compression::kCompressionPluginName) return tensor;
  if (std::string own = LayerOfStored(tag.info->plugin_content); !own.empty()) {
    tensor->layer = std::move(own);
    tensor->node = NodeOfStored(tag.info->plugin_content);
    if (std::string model = ModelOfStored(tag.info->plugin_content); !model.empty()) {
      tensor->model = std::move(model);
    }
  }
  return tensor;
}

RunKind KindOf(const reader::Run& run) {
  const std::string_view path = WithoutDot(run.name);
  if (compression::DescribeStage(LastPart(path)) || LastPart(path) == "xquant")
    return RunKind::kStage;
  return TrialOf(run) ? RunKind::kTuning : RunKind::kAny;
}

std::vector<std::span<const reader::Tag>> TagsOfLayers(const reader::Run& run,
                                                       const LayerFilter& filter) {
  if (!filter.model || filter.model->empty()) return {run.tags};
  std::vector<std::span<const reader::Tag>> found;
  for (const std::string& spelling : std::set<std::string>{
           *filter.model, compression::TagPrefixOf(*filter.model), ModelKeyOf(*filter.model)}) {
    const std::string prefix = spelling + std::string(kLayersOfModel);
    const auto first = std::ranges::lower_bound(run.tags, prefix, {}, &reader::Tag::name);
    const auto last = std::partition_point(first, run.tags.end(), [&](const reader::Tag& tag) {
      return tag.name().starts_with(prefix);
    });
    found.emplace_back(first, last);
  }
  return found;
}

std::vector<LayerTensor> CollectLayers(const reader::Run& run, const LayerFilter& filter) {
  const RunKind kind = KindOf(run);
  ModelFilter models(filter);
  std::vector<LayerTensor> tensors;
  std::vector<Place> places;
  const auto add = [&](const reader::Tag& tag) {
    if (tag.kind() != reader::TagKind::kHistogram) return;
    std::optional<LayerTensor> tensor = ParseLayerTag(tag, kind);
    if (!tensor) return;
    const bool is_other_variant =
        !filter.variant.empty() && !tensor->variant.empty() && tensor->variant != filter.variant;
    if (is_other_variant || !models.Contain(tensor->model)) return;
    tensor->run = run.name;
    tensors.push_back(*std::move(tensor));
    places.push_back(FirstPlaceOf(tag));
  };
  for (const std::span<const reader::Tag> tags : TagsOfLayers(run, filter)) {
    for (const reader::Tag& tag : tags) add(tag);
  }
  RecoverStrippedNames(tensors);
  SetDepths(places, tensors);
  return tensors;
}

std::string StripObserverCharacters(std::string_view name) {
  const std::size_t first = name.find_first_not_of(kObserver);
  if (first == std::string_view::npos) return {};
  return std::string(name.substr(first, name.find_last_not_of(kObserver) - first + 1));
}

void RecoverStrippedNames(std::vector<LayerTensor>& tensors) {
  // Maps shortened layer names to complete names. A bug of another program (the upstream logger)
  // shortens names. The complete name is empty if two layers have the same shortened name.
  std::map<std::string, std::string, std::less<>> intact;
  std::set<std::string, std::less<>> with_parameters;
  for (const LayerTensor& tensor : tensors) {
    if (tensor.role == TensorRole::kOutput) continue;
    with_parameters.insert(tensor.layer);
    std::string stripped = StripObserverCharacters(tensor.layer);
    if (stripped.empty()) continue;
    const auto [entry, added] = intact.try_emplace(std::move(stripped), tensor.layer);
    if (!added && entry->second != tensor.layer) entry->second.clear();
  }
  for (LayerTensor& tensor : tensors) {
    if (tensor.role != TensorRole::kOutput) continue;
    const auto found = intact.find(tensor.layer);
    if (found == intact.end() || found->second.empty() || found->second == tensor.layer) continue;
    tensor.logged_layer = std::move(tensor.layer);
    tensor.layer = found->second;
  }
  // QuantStub and DeQuantStub have no parameters, so no tag contains their complete names. The
  // complete names are taken from PyTorch's guides: "qu" is the shortened form of "quant".
  for (LayerTensor& tensor : tensors) {
    if (tensor.role != TensorRole::kOutput || !tensor.logged_layer.empty()) continue;
    const std::string_view last =
        std::string_view(tensor.layer).substr(tensor.layer.rfind('.') + 1);
    if ((last != "qu" && last != "dequ") || with_parameters.contains(tensor.layer)) continue;
    tensor.logged_layer = tensor.layer;
    tensor.layer += "ant";
  }
}

}  // namespace cboard::analysis
