#include "cboard/reader/media_query.h"
#include "server/content/text_html.h"
#include "server/tensorboard/tag_listing.h"

namespace cboard::server::tensorboard {
namespace {

constexpr std::size_t kTextSteps = 100;

Result<HttpResponse> GetTextTags(const DataCall& call) {
  JsonWriter json;
  json.BeginObject();
  for (const reader::RunPointer& run : call.snapshot->runs) {
    const std::vector<const reader::Tag*> tags = TagsWithValues(*run, reader::TagKind::kText);
    if (tags.empty()) continue;
    json.Key(run->name).BeginArray();
    for (const reader::Tag* const tag : tags) json.Value(tag->name());
    json.EndArray();
  }
  json.EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetText(const DataCall& call) {
  const std::optional<RunTag> found = FindRunTag(call, reader::TagKind::kText);
  if (!found) return JsonResponse("[]");
  const TextCells cells =
      call.Find("markdown") == "false" ? TextCells::kPlain : TextCells::kMarkdown;
  CBOARD_ASSIGN_OR_RETURN(const auto texts,
                          reader::ReadTexts(*found->run, *found->tag,
                                            SampledIndices(found->tag->blobs.size(),
                                                           SampleLimit(call, "text", kTextSteps))));
  JsonWriter json;
  json.BeginArray();
  for (const auto& text : texts) {
    json.BeginObject().Key("wall_time").Value(text.wall_time_seconds);
    json.Key("step").Value(text.step).Key("text").Value(TextToHtml(text.value, cells)).EndObject();
  }
  json.EndArray();
  return JsonResponse(json.Take());
}

}  // namespace

std::vector<DataRoute> TextRoutes() {
  return {{"/plugin/text/tags", GetTextTags}, {"/plugin/text/text", GetText}};
}

}  // namespace cboard::server::tensorboard
