// Answers queries for tensorboard_oracle.py: messages in, what we make of them out.
//
//   tensorboard_oracle MODE < requests > answers
//
// Both are sequences of frames, a 32-bit length and so many bytes. An answer is JSON or text; one
// that begins with "error: " says what was wrong.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <string>

#include "cboard/base/bytes.h"
#include "cboard/base/json_writer.h"
#include "cboard/reader/graph_query.h"
#include "cboard/reader/histogram_query.h"
#include "cboard/reader/plugin_query.h"
#include "cboard/reader/projector_query.h"
#include "reader/query/oracle_queries.h"

namespace cboard::reader {
namespace {

std::string ResponseOf(const Result<std::string>& result) {
  return result ? *result : "error: " + result.error().message;
}

void WriteBins(JsonWriter& json, std::span<const HistogramBin> bins) {
  json.BeginArray();
  for (const HistogramBin& bin : bins) {
    json.BeginArray().Value(bin.left).Value(bin.right).Value(bin.count).EndArray();
  }
  json.EndArray();
}

Result<std::string> Histogram(std::string_view value) {
  CBOARD_ASSIGN_OR_RETURN(const auto python, TensorBoardBins(value, TensorBoardLoader::kPython));
  CBOARD_ASSIGN_OR_RETURN(const auto rust, TensorBoardBins(value, TensorBoardLoader::kRust));
  JsonWriter json;
  json.BeginObject().Key("python");
  WriteBins(json, python);
  json.Key("rust");
  WriteBins(json, rust);
  json.Key("distribution").BeginArray();
  for (const double quantile : Distribution(python)) json.Value(quantile);
  json.EndArray().EndObject();
  return json.Take();
}

Result<std::string> OpGraph(std::string_view run_metadata) {
  CBOARD_ASSIGN_OR_RETURN(const std::string graph, GraphDefOfFunctionGraphs(run_metadata));
  return GraphDefText(graph);
}

Result<std::string> KerasGraph(std::string_view model) {
  CBOARD_ASSIGN_OR_RETURN(const std::string graph, GraphDefOfKerasModel(model));
  return GraphDefText(graph);
}

void WriteCounts(JsonWriter& json, std::string_view key, const std::vector<std::int64_t>& counts) {
  json.Key(key).BeginArray();
  for (const std::int64_t count : counts) json.Value(count);
  json.EndArray();
}

void WriteShares(JsonWriter& json, std::string_view key, const std::vector<double>& shares) {
  json.Key(key).BeginArray();
  for (const double share : shares) json.Value(share);
  json.EndArray();
}

Result<std::string> PrCurveJson(std::string_view value) {
  CBOARD_ASSIGN_OR_RETURN(const PrCurve curve, ParsePrCurveValue(value));
  JsonWriter json;
  json.BeginObject();
  WriteShares(json, "precision", curve.precision);
  WriteShares(json, "recall", curve.recall);
  WriteCounts(json, "true_positives", curve.true_positives);
  WriteCounts(json, "false_positives", curve.false_positives);
  WriteCounts(json, "true_negatives", curve.true_negatives);
  WriteCounts(json, "false_negatives", curve.false_negatives);
  WriteShares(json, "thresholds", curve.thresholds);
  json.EndObject();
  return json.Take();
}

// The layout that two values, each behind its length, have together.
Result<std::string> MergedLayout(std::string_view values) {
  std::vector<std::vector<proto::LayoutCategory>> layouts;
  while (!values.empty()) {
    const auto size = LoadLittleEndian<std::uint32_t>(AsBytes(values));
    CBOARD_ASSIGN_OR_RETURN(auto layout, ParseLayoutValue(values.substr(4, size)));
    layouts.push_back(std::move(layout));
    values.remove_prefix(4 + size);
  }
  JsonWriter json;
  json.BeginArray();
  for (const proto::LayoutCategory& category : MergeLayouts(layouts)) {
    json.BeginArray().Value(category.title).Value(category.closed);
    for (const proto::LayoutChart& chart : category.charts) {
      json.BeginArray().Value(chart.title);
      for (const std::string& tag : chart.multiline_tags) json.Value(tag);
      for (const auto& margin : chart.margins) {
        json.BeginArray().Value(margin.value).Value(margin.lower).Value(margin.upper).EndArray();
      }
      json.EndArray();
    }
    json.EndArray();
  }
  json.EndArray();
  return json.Take();
}

Result<std::string> ProjectorJson(std::string_view text) {
  CBOARD_ASSIGN_OR_RETURN(const ProjectorConfig config, ParseProjectorConfig(text));
  JsonWriter json;
  json.BeginArray().Value(config.model_checkpoint_path).Value(config.model_checkpoint_dir);
  for (const EmbeddingInfo& embedding : config.embeddings) {
    json.BeginArray().Value(embedding.tensor_name).Value(embedding.metadata_path);
    json.Value(embedding.bookmarks_path).Value(embedding.tensor_path).BeginArray();
    for (const auto size : embedding.tensor_shape) json.Value(size);
    json.EndArray().BeginArray();
    if (embedding.sprite) {
      json.Value(embedding.sprite->image_path);
      for (const auto size : embedding.sprite->single_image_dim) json.Value(size);
    }
    json.EndArray().EndArray();
  }
  json.EndArray();
  return json.Take();
}

using Query = std::function<Result<std::string>(std::string_view)>;

const std::map<std::string_view, Query>& Queries() {
  static const std::map<std::string_view, Query> queries = {
      {"graph", [](std::string_view bytes) { return GraphDefText(bytes); }},
      {"limited_graph",
       [](std::string_view bytes) { return GraphDefText(bytes, {.max_attribute_bytes = 24}); }},
      {"run_metadata", RunMetadataText},
      {"op_graph", OpGraph},
      {"keras", KerasGraph},
      {"histogram", Histogram},
      {"hparams", testing::RunHParamsOracle},
      {"pr_curve", PrCurveJson},
      {"layout", MergedLayout},
      {"projector", ProjectorJson},
  };
  return queries;
}

int Serve(const Query& query) {
  std::uint32_t size = 0;
  while (std::cin.read(reinterpret_cast<char*>(&size), sizeof(size))) {
    std::string request(size, '\0');
    std::cin.read(request.data(), size);
    const std::string answer = ResponseOf(query(request));
    size = static_cast<std::uint32_t>(answer.size());
    std::cout.write(reinterpret_cast<const char*>(&size), sizeof(size));
    std::cout << answer;
  }
  return 0;
}

}  // namespace
}  // namespace cboard::reader

int main(int argc, char** argv) {
  const auto found = cboard::reader::Queries().find(argc == 2 ? argv[1] : "");
  if (found == cboard::reader::Queries().end()) {
    std::fputs("usage: tensorboard_oracle MODE < requests > answers\n", stderr);
    return 2;
  }
  return cboard::reader::Serve(found->second);
}
