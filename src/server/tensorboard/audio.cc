#include "cboard/proto/plugins.h"
#include "server/tensorboard/media.h"
#include "server/tensorboard/python_text.h"

namespace cboard::server::tensorboard {
namespace {

constexpr std::string_view kWav = "audio/wav";
constexpr std::string_view kUnknown = "application/octet-stream";

std::size_t SoundLimit(const DataCall& call) { return SampleLimit(call, "audio", kMediaSteps); }

// Returns the content type from the plugin data. TensorBoard assumes WAV for old values, and
// supports no other encoding.
std::string_view ContentTypeOf(const reader::TagInfo& info) {
  if (IsOldStyle(info)) return kWav;
  for (const bool converted : {false, true}) {
    if (info.plugin_content ==
        proto::EncodeAudioPluginData(proto::AudioEncoding::kWav, converted)) {
      return kWav;
    }
  }
  return kUnknown;
}

Result<HttpResponse> GetAudioTags(const DataCall& call) {
  return TagListing(*call.snapshot, reader::TagKind::kAudio,
                    [&](JsonWriter& json, const reader::Run& run, const reader::Tag& tag) {
                      json.Key("samples").Value(MaxSamples(run, tag, SoundLimit(call)));
                    });
}

Result<HttpResponse> GetAudio(const DataCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const std::size_t sample,
                          call.target.NumberQuery("sample", 0, kMaxSamples, 0));
  const std::optional<RunTag> found = FindRunTag(call, reader::TagKind::kAudio);
  if (!found) {
    return Fail(ErrorCode::kNotFound, "No audio data for run=" + PythonRepr(call.Find("run")) +
                                          ", tag=" + PythonRepr(call.Find("tag")));
  }
  const std::string_view type = ContentTypeOf(*found->tag->info);
  const std::string escaped_type = type == kWav ? "audio%2Fwav" : "application%2Foctet-stream";
  CBOARD_ASSIGN_OR_RETURN(const std::vector<MediaStep> steps,
                          MediaSteps(*found->run, *found->tag, sample, SoundLimit(call)));
  JsonWriter json;
  json.BeginArray();
  for (const MediaStep& step : steps) {
    json.BeginObject().Key("wall_time").Value(step.wall_time_seconds).Key("label").Value("");
    json.Key("step").Value(step.step).Key("contentType").Value(type);
    json.Key("query").Value("blob_key=" + step.key + "&content_type=" + escaped_type);
    json.EndObject();
  }
  json.EndArray();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetIndividualAudio(const DataCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const std::string type, call.target.Query("content_type"));
  if (type != kWav && type != kUnknown) {
    return Fail(ErrorCode::kInvalidArgument, "Illegal mime type " + PythonRepr(type));
  }
  CBOARD_ASSIGN_OR_RETURN(const std::string key, call.target.Query("blob_key"));
  CBOARD_ASSIGN_OR_RETURN(MediaBytes audio,
                          ReadMedia(*call.snapshot, key, reader::TagKind::kAudio));
  return BlobResponse(type, std::move(audio.bytes));
}

}  // namespace

std::vector<DataRoute> AudioRoutes() {
  return {{"/plugin/audio/tags", GetAudioTags},
          {"/plugin/audio/audio", GetAudio},
          {"/plugin/audio/individualAudio", GetIndividualAudio}};
}

}  // namespace cboard::server::tensorboard
