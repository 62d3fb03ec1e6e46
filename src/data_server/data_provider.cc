#include "data_server/data_provider.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "cboard/base/strings.h"
#include "cboard/reader/read_blob.h"
#include "cboard/reader/run_query.h"
#include "data_server/values/blob_key.h"
#include "data_server/values/stored_value.h"
#include "data_server/values/tag_class.h"
#include "data_server/values/value_reader.h"

namespace cboard::data_server {
namespace {

namespace rpc = tensorboard::data;
using grpc::Status;
using grpc::StatusCode;
using proto::DataClass;

// Max size of one message of a ReadBlob response.
constexpr std::size_t kBlobChunkBytes = std::size_t{8} << 20;

Status ToStatus(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
      return {StatusCode::INVALID_ARGUMENT, error.message};
    case ErrorCode::kNotFound:
    // The file was replaced or damaged after it was indexed, so the value does not exist any more.
    case ErrorCode::kDataLoss:
      return {StatusCode::NOT_FOUND, error.message};
    case ErrorCode::kPermissionDenied:
      return {StatusCode::PERMISSION_DENIED, error.message};
    default:
      return {StatusCode::INTERNAL, error.message};
  }
}

// The names that a request selects; nullopt selects all names.
using NameFilter = std::optional<std::set<std::string_view>>;

// The selection of runs, tags and plugin in a request. The string_views point into the request.
struct Selection {
  std::string_view plugin_name;
  NameFilter runs;
  NameFilter tags;
};

template <typename Request>
Result<Selection> SelectionOf(const Request& request) {
  Selection selection{.plugin_name = request.plugin_filter().plugin_name()};
  if (selection.plugin_name.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "must specify non-empty plugin name");
  }
  const rpc::RunTagFilter& filter = request.run_tag_filter();
  if (filter.has_runs()) {
    selection.runs.emplace(filter.runs().names().begin(), filter.runs().names().end());
  }
  if (filter.has_tags()) {
    selection.tags.emplace(filter.tags().names().begin(), filter.tags().names().end());
  }
  return selection;
}

template <typename Request>
Result<std::size_t> MaxPointsOf(const Request& request) {
  if (!request.has_downsample()) {
    return Fail(ErrorCode::kInvalidArgument, "must specify downsample");
  }
  const std::int64_t count = request.downsample().num_points();
  if (count < 0) {
    return Fail(ErrorCode::kInvalidArgument,
                "num_points must be non-negative; got " + std::to_string(count));
  }
  return static_cast<std::size_t>(count);
}

// Calls `visit(run)` for the selected runs, in the order of their names.
template <typename Visit>
void ForEachRun(const reader::Snapshot& snapshot, const NameFilter& names, const Visit& visit) {
  if (!names) {
    for (const reader::RunPointer& run : snapshot.runs) visit(*run);
    return;
  }
  for (const std::string_view name : *names) {
    if (const reader::Run* const run = snapshot.FindRun(name)) visit(*run);
  }
}

template <typename Visit>
void ForEachTag(const reader::Run& run, const NameFilter& names, const Visit& visit) {
  if (!names) {
    for (const reader::Tag& tag : run.tags) visit(tag);
    return;
  }
  for (const std::string_view name : *names) {
    if (const reader::Tag* const tag = run.Find(name)) visit(*tag);
  }
}

// Calls `add(run, tag, entry)` for each selected tag. `add` fills an entry of `response`; if it
// returns false, the tag is left out. Runs without tags are left out, too.
template <typename Response, typename Add>
void ForEachSelected(const reader::Snapshot& snapshot, const Selection& selection,
                     DataClass data_class, Response& response, const Add& add) {
  ForEachRun(snapshot, selection.runs, [&](const reader::Run& run) {
    auto* const run_entry = response.add_runs();
    ForEachTag(run, selection.tags, [&](const reader::Tag& tag) {
      const TagClass tag_class = ClassOf(*tag.info);
      if (tag_class.data_class != data_class || tag_class.plugin_name != selection.plugin_name) {
        return;
      }
      auto* const tag_entry = run_entry->add_tags();
      if (add(run, tag, *tag_entry)) {
        tag_entry->set_tag_name(tag.name());
      } else {
        run_entry->mutable_tags()->RemoveLast();
      }
    });
    if (run_entry->tags().empty()) {
      response.mutable_runs()->RemoveLast();
    } else {
      run_entry->set_run_name(run.name);
    }
  });
}

// The step and wall time of the newest point.
template <typename Series, typename Metadata>
void SetNewest(const Series& series, Metadata& metadata) {
  const auto newest = series.back();
  metadata.set_max_step(newest.step);
  metadata.set_max_wall_time(newest.wall_time_seconds);
}

std::vector<reader::BlobEntry> EntriesAt(const reader::BlobSeries& series,
                                         const std::vector<std::size_t>& indices) {
  std::vector<reader::BlobEntry> entries;
  entries.reserve(indices.size());
  for (const std::size_t index : indices) entries.push_back(series.at(index));
  return entries;
}

constexpr std::size_t kAllPoints = std::numeric_limits<std::size_t>::max();

}  // namespace

DataProvider::DataProvider(const LogReader& reader, std::string data_location, SampleLimits limits)
    : reader_(reader), data_location_(std::move(data_location)), sampler_(std::move(limits)) {}

Status DataProvider::GetExperiment(grpc::ServerContext*, const rpc::GetExperimentRequest*,
                                   rpc::GetExperimentResponse* response) {
  response->set_data_location(data_location_);
  return Status::OK;
}

Status DataProvider::ListPlugins(grpc::ServerContext*, const rpc::ListPluginsRequest*,
                                 rpc::ListPluginsResponse* response) {
  std::set<std::string_view> names;
  const auto snapshot = reader_.snapshot();
  for (const reader::RunPointer& run : snapshot->runs) {
    for (const reader::Tag& tag : run->tags) {
      const TagClass tag_class = ClassOf(*tag.info);
      if (tag_class.data_class != DataClass::kUnknown) names.insert(tag_class.plugin_name);
    }
  }
  for (const std::string_view name : names) response->add_plugins()->set_name(std::string(name));
  return Status::OK;
}

Status DataProvider::ListRuns(grpc::ServerContext*, const rpc::ListRunsRequest*,
                              rpc::ListRunsResponse* response) {
  const auto snapshot = reader_.snapshot();
  for (const reader::RunPointer& run : reader::RunsByStartTime(*snapshot)) {
    if (!std::isfinite(run->first_wall_time_seconds)) continue;  // No event has been logged yet.
    rpc::Run* const entry = response->add_runs();
    entry->set_name(run->name);
    entry->set_start_time(run->first_wall_time_seconds);
  }
  return Status::OK;
}

Status DataProvider::ListScalars(grpc::ServerContext*, const rpc::ListScalarsRequest* request,
                                 rpc::ListScalarsResponse* response) {
  const Result<Selection> selection = SelectionOf(*request);
  if (!selection) return ToStatus(selection.error());
  const auto snapshot = reader_.snapshot();
  ForEachSelected(*snapshot, *selection, DataClass::kScalar, *response,
                  [&](const reader::Run&, const reader::Tag& tag, auto& entry) {
                    if (!sampler_.KeepsAny(tag)) return false;
                    rpc::ScalarMetadata& metadata = *entry.mutable_metadata();
                    SetNewest(tag.scalars, metadata);
                    metadata.set_summary_metadata(SummaryMetadataOf(*tag.info));
                    return true;
                  });
  return Status::OK;
}

Status DataProvider::ReadScalars(grpc::ServerContext*, const rpc::ReadScalarsRequest* request,
                                 rpc::ReadScalarsResponse* response) {
  const Result<Selection> selection = SelectionOf(*request);
  if (!selection) return ToStatus(selection.error());
  const Result<std::size_t> max_points = MaxPointsOf(*request);
  if (!max_points) return ToStatus(max_points.error());
  const auto snapshot = reader_.snapshot();
  ForEachSelected(*snapshot, *selection, DataClass::kScalar, *response,
                  [&](const reader::Run&, const reader::Tag& tag, auto& entry) {
                    rpc::ScalarData& data = *entry.mutable_data();
                    const auto indices = sampler_.KeptIndices(tag, *max_points);
                    const auto count = static_cast<int>(indices.size());
                    data.mutable_step()->Reserve(count);
                    data.mutable_wall_time()->Reserve(count);
                    data.mutable_value()->Reserve(count);
                    for (const reader::ScalarPoint& point : ReadPoints(tag.scalars, indices)) {
                      data.add_step(point.step);
                      data.add_wall_time(point.wall_time_seconds);
                      data.add_value(static_cast<float>(point.value));
                    }
                    return true;
                  });
  return Status::OK;
}

Status DataProvider::ListTensors(grpc::ServerContext*, const rpc::ListTensorsRequest* request,
                                 rpc::ListTensorsResponse* response) {
  const Result<Selection> selection = SelectionOf(*request);
  if (!selection) return ToStatus(selection.error());
  const auto snapshot = reader_.snapshot();
  ForEachSelected(*snapshot, *selection, DataClass::kTensor, *response,
                  [&](const reader::Run&, const reader::Tag& tag, auto& entry) {
                    if (!sampler_.KeepsAny(tag)) return false;
                    rpc::TensorMetadata& metadata = *entry.mutable_metadata();
                    SetNewest(tag.blobs, metadata);
                    metadata.set_summary_metadata(SummaryMetadataOf(*tag.info));
                    return true;
                  });
  return Status::OK;
}

Status DataProvider::ReadTensors(grpc::ServerContext*, const rpc::ReadTensorsRequest* request,
                                 rpc::ReadTensorsResponse* response) {
  const Result<Selection> selection = SelectionOf(*request);
  if (!selection) return ToStatus(selection.error());
  const Result<std::size_t> max_points = MaxPointsOf(*request);
  if (!max_points) return ToStatus(max_points.error());
  const auto snapshot = reader_.snapshot();
  ForEachSelected(*snapshot, *selection, DataClass::kTensor, *response,
                  [&](const reader::Run& run, const reader::Tag& tag, auto& entry) {
                    rpc::TensorData& data = *entry.mutable_data();
                    ValueReader values(run);
                    for (const reader::BlobEntry& place :
                         EntriesAt(tag.blobs, sampler_.KeptIndices(tag, *max_points))) {
                      const Result<std::string> value = values.Read(place);
                      // The file was replaced or damaged after it was indexed.
                      if (!value) continue;
                      Result<std::string> tensor = TensorOfValue(*value);
                      if (!tensor) continue;
                      data.add_step(place.step);
                      data.add_wall_time(place.wall_time_seconds);
                      data.add_value(*std::move(tensor));
                    }
                    return true;
                  });
  return Status::OK;
}

Status DataProvider::ListBlobSequences(grpc::ServerContext*,
                                       const rpc::ListBlobSequencesRequest* request,
                                       rpc::ListBlobSequencesResponse* response) {
  const Result<Selection> selection = SelectionOf(*request);
  if (!selection) return ToStatus(selection.error());
  const auto snapshot = reader_.snapshot();
  ForEachSelected(*snapshot, *selection, DataClass::kBlobSequence, *response,
                  [&](const reader::Run& run, const reader::Tag& tag, auto& entry) {
                    ValueReader values(run);
                    std::optional<std::size_t> max_length;
                    for (const reader::BlobEntry& place :
                         EntriesAt(tag.blobs, sampler_.KeptIndices(tag, kAllPoints))) {
                      const Result<std::size_t> length = values.BlobCount(*tag.info, place);
                      if (length) max_length = std::max(max_length.value_or(0), *length);
                    }
                    if (!max_length) return false;
                    rpc::BlobSequenceMetadata& metadata = *entry.mutable_metadata();
                    SetNewest(tag.blobs, metadata);
                    metadata.set_max_length(static_cast<std::int64_t>(*max_length));
                    metadata.set_summary_metadata(SummaryMetadataOf(*tag.info));
                    return true;
                  });
  return Status::OK;
}

Status DataProvider::ReadBlobSequences(grpc::ServerContext*,
                                       const rpc::ReadBlobSequencesRequest* request,
                                       rpc::ReadBlobSequencesResponse* response) {
  const Result<Selection> selection = SelectionOf(*request);
  if (!selection) return ToStatus(selection.error());
  const Result<std::size_t> max_points = MaxPointsOf(*request);
  if (!max_points) return ToStatus(max_points.error());
  const auto snapshot = reader_.snapshot();
  ForEachSelected(*snapshot, *selection, DataClass::kBlobSequence, *response,
                  [&](const reader::Run& run, const reader::Tag& tag, auto& entry) {
                    rpc::BlobSequenceData& data = *entry.mutable_data();
                    ValueReader values(run);
                    BlobKey key{
                        .experiment = request->experiment_id(), .run = run.name, .tag = tag.name()};
                    for (const reader::BlobEntry& place :
                         EntriesAt(tag.blobs, sampler_.KeptIndices(tag, *max_points))) {
                      const Result<std::size_t> length = values.BlobCount(*tag.info, place);
                      if (!length) continue;
                      data.add_step(place.step);
                      data.add_wall_time(place.wall_time_seconds);
                      rpc::BlobReferenceSequence& sequence = *data.add_values();
                      key.step = place.step;
                      for (key.index = 0; key.index < *length; ++key.index) {
                        sequence.add_blob_refs()->set_blob_key(EncodeBlobKey(key));
                      }
                    }
                    return true;
                  });
  return Status::OK;
}

Status DataProvider::ReadBlob(grpc::ServerContext*, const rpc::ReadBlobRequest* request,
                              grpc::ServerWriter<rpc::ReadBlobResponse>* writer) {
  const Result<BlobKey> key = DecodeBlobKey(request->blob_key());
  if (!key) return ToStatus(key.error());
  const auto missing = [](std::string text) { return Status(StatusCode::NOT_FOUND, text); };
  const auto snapshot = reader_.snapshot();
  const reader::Run* const run = snapshot->FindRun(key->run);
  if (run == nullptr) return missing("no such run: " + Quoted(key->run));
  const reader::Tag* const tag = run->Find(key->tag);
  const std::string where = "run " + Quoted(key->run) + ", tag " + Quoted(key->tag);
  if (tag == nullptr || ClassOf(*tag->info).data_class != DataClass::kBlobSequence) {
    return missing(where + ": no such tag of images, sounds or graphs");
  }
  // If a step has several values, the newest one is read. Values that the sampling does not keep
  // can be read, too.
  std::optional<reader::BlobEntry> place;
  tag->blobs.ForEach([&](const reader::BlobEntry& entry) {
    if (entry.step == key->step) place = entry;
  });
  if (!place) return missing(where + ": no step " + std::to_string(key->step));
  const Result<std::string> value = ValueReader(*run).Read(*place);
  if (!value) return ToStatus(value.error());
  const Result<BlobSequence> sequence = BlobsOfValue(*tag->info, *value);
  if (!sequence) return ToStatus(sequence.error());
  if (key->index >= sequence->blobs.size()) {
    return missing(where + ", step " + std::to_string(key->step) + ": no index " +
                   std::to_string(key->index) + ", only " + std::to_string(sequence->blobs.size()));
  }
  for (std::string_view rest = sequence->blobs[key->index]; !rest.empty();) {
    const std::string_view chunk = rest.substr(0, kBlobChunkBytes);
    rest.remove_prefix(chunk.size());
    rpc::ReadBlobResponse response;
    response.set_data(std::string(chunk));
    if (!writer->Write(response)) break;  // The client has disconnected.
  }
  return Status::OK;
}

}  // namespace cboard::data_server
