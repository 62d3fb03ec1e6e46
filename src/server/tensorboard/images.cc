#include "server/tensorboard/media.h"
#include "server/tensorboard/python_text.h"

namespace cboard::server::tensorboard {
namespace {

std::size_t ImageLimit(const DataCall& call) { return SampleLimit(call, "images", kMediaSteps); }

Result<HttpResponse> GetImageTags(const DataCall& call) {
  return TagListing(*call.snapshot, reader::TagKind::kImage,
                    [&](JsonWriter& json, const reader::Run& run, const reader::Tag& tag) {
                      json.Key("samples").Value(MaxSamples(run, tag, ImageLimit(call)));
                    });
}

Result<HttpResponse> GetImages(const DataCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const std::size_t sample,
                          call.target.NumberQuery("sample", 0, kMaxSamples, 0));
  const std::optional<RunTag> found = FindRunTag(call, reader::TagKind::kImage);
  if (!found) {
    return Fail(ErrorCode::kNotFound, "No image data for run=" + PythonRepr(call.Find("run")) +
                                          ", tag=" + PythonRepr(call.Find("tag")));
  }
  CBOARD_ASSIGN_OR_RETURN(const std::vector<MediaStep> steps,
                          MediaSteps(*found->run, *found->tag, sample, ImageLimit(call)));
  JsonWriter json;
  json.BeginArray();
  for (const MediaStep& step : steps) {
    json.BeginObject().Key("wall_time").Value(step.wall_time_seconds);
    json.Key("step").Value(step.step).Key("query").Value("blob_key=" + step.key).EndObject();
  }
  json.EndArray();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetIndividualImage(const DataCall& call) {
  const std::optional<std::string> key = call.Find("blob_key");
  if (!key) return PlainResponse(400, "Invalid run, tag, index, or sample");
  return ImageResponse(call, *key);
}

}  // namespace

std::vector<DataRoute> ImageRoutes() {
  return {{"/plugin/images/tags", GetImageTags},
          {"/plugin/images/images", GetImages},
          {"/plugin/images/individualImage", GetIndividualImage}};
}

}  // namespace cboard::server::tensorboard
