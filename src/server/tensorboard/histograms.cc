// Routes for the plugins histograms and distributions: the same data, as bins and as percentiles.
#include "server/tensorboard/histograms.h"

#include "cboard/reader/read_blob.h"
#include "server/tensorboard/python_text.h"

namespace cboard::server::tensorboard {
namespace {

Result<HttpResponse> GetHistogramTags(const DataCall& call) {
  return TagListing(*call.snapshot, reader::TagKind::kHistogram);
}

Result<std::vector<HistogramRow>> Queried(const DataCall& call, std::size_t usual) {
  const std::optional<RunTag> found = FindRunTag(call, reader::TagKind::kHistogram);
  if (!found) {
    return Fail(ErrorCode::kNotFound, "No histogram tag " + PythonRepr(call.Find("tag")) +
                                          " for run " + PythonRepr(call.Find("run")));
  }
  return ReadShownHistograms(*found->run, *found->tag, SampleLimit(call, "histograms", usual));
}

void WriteBins(JsonWriter& json, const HistogramRow& histogram) {
  for (const reader::HistogramBin& bin : histogram.bins) {
    json.BeginArray().Value(bin.left).Value(bin.right).Value(bin.count).EndArray();
  }
}

void WritePercentiles(JsonWriter& json, const HistogramRow& histogram) {
  const std::vector<double> values = reader::Distribution(histogram.bins);
  for (std::size_t i = 0; i < values.size(); ++i) {
    json.BeginArray().Value(reader::kDistributionBasisPoints[i]).Value(values[i]).EndArray();
  }
}

Result<HttpResponse> Respond(const DataCall& call, std::size_t usual,
                             void (*write)(JsonWriter&, const HistogramRow&)) {
  CBOARD_ASSIGN_OR_RETURN(const auto histograms, Queried(call, usual));
  JsonWriter json;
  json.BeginArray();
  for (const HistogramRow& histogram : histograms) {
    json.BeginArray().Value(histogram.wall_time_seconds).Value(histogram.step).BeginArray();
    write(json, histogram);
    json.EndArray().EndArray();
  }
  json.EndArray();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetHistograms(const DataCall& call) {
  return Respond(call, kHistogramSteps, WriteBins);
}

Result<HttpResponse> GetDistributions(const DataCall& call) {
  return Respond(call, kDistributionSteps, WritePercentiles);
}

}  // namespace

Result<std::vector<HistogramRow>> ReadShownHistograms(const reader::Run& run,
                                                      const reader::Tag& tag, std::size_t limit) {
  std::vector<reader::BlobEntry> entries;
  for (const std::size_t i : SampledIndices(tag.blobs.size(), limit)) {
    entries.push_back(tag.blobs.at(i));
  }
  CBOARD_ASSIGN_OR_RETURN(const std::vector<reader::Blob> blobs, reader::ReadBlobs(run, entries));
  std::vector<HistogramRow> histograms;
  for (const reader::Blob& blob : blobs) {
    Result<std::vector<reader::HistogramBin>> bins =
        reader::TensorBoardBins(blob.bytes, reader::TensorBoardLoader::kPython);
    if (!bins) continue;
    histograms.push_back({blob.entry.step, blob.entry.wall_time_seconds, *std::move(bins)});
  }
  return histograms;
}

std::vector<DataRoute> HistogramRoutes() {
  return {{"/plugin/histograms/tags", GetHistogramTags},
          {"/plugin/histograms/histograms", GetHistograms},
          {"/plugin/distributions/tags", GetHistogramTags},
          {"/plugin/distributions/distributions", GetDistributions}};
}

}  // namespace cboard::server::tensorboard
