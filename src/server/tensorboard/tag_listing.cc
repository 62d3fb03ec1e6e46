#include "server/tensorboard/tag_listing.h"

#include "server/content/markdown.h"

namespace cboard::server::tensorboard {

std::vector<const reader::Tag*> TagsWithValues(const reader::Run& run, reader::TagKind kind) {
  std::vector<const reader::Tag*> tags = reader::TagsOfKind(run, kind);
  std::erase_if(tags, [](const reader::Tag* tag) { return tag->size() == 0; });
  return tags;
}

bool IsOldStyle(const reader::TagInfo& info) { return info.plugin_name != reader::PluginOf(info); }

std::string DisplayNameOf(const reader::TagInfo& info) {
  return info.display_name.empty() && IsOldStyle(info) ? info.name : info.display_name;
}

HttpResponse TagListing(const reader::Snapshot& snapshot, reader::TagKind kind,
                        const TagDetails& details) {
  JsonWriter json;
  json.BeginObject();
  for (const reader::RunPointer& run : snapshot.runs) {
    const std::vector<const reader::Tag*> tags = TagsWithValues(*run, kind);
    if (tags.empty()) continue;
    json.Key(run->name).BeginObject();
    for (const reader::Tag* const tag : tags) {
      json.Key(tag->name()).BeginObject();
      json.Key("displayName").Value(DisplayNameOf(*tag->info));
      json.Key("description").Value(MarkdownToSafeHtml(tag->info->description));
      if (details) details(json, *run, *tag);
      json.EndObject();
    }
    json.EndObject();
  }
  json.EndObject();
  return JsonResponse(json.Take());
}

std::optional<RunTag> FindRunTag(const DataCall& call, reader::TagKind kind) {
  const std::optional<std::string> run_name = call.Find("run");
  const std::optional<std::string> tag_name = call.Find("tag");
  if (!run_name || !tag_name) return std::nullopt;
  const reader::Run* const run = call.snapshot->FindRun(*run_name);
  const reader::Tag* const tag = run == nullptr ? nullptr : run->Find(*tag_name);
  if (tag == nullptr || tag->kind() != kind || tag->size() == 0) return std::nullopt;
  return RunTag{run, tag};
}

}  // namespace cboard::server::tensorboard
