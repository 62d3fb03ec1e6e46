#include "cboard/reader/hparams_query.h"

#include "cboard/reader/run_query.h"

namespace cboard::reader {
namespace {

constexpr std::string_view kExperimentTag = "_hparams_/experiment";
constexpr std::string_view kSessionStartTag = "_hparams_/session_start_info";
constexpr std::string_view kSessionEndTag = "_hparams_/session_end_info";

std::optional<std::string> ContentOf(const Run& run, std::string_view name) {
  const Tag* tag = run.Find(name);
  if (tag == nullptr || tag->kind() != TagKind::kHParams) return std::nullopt;
  return tag->info->plugin_content;
}

}  // namespace

HParamsTable HParamsTable::Of(std::shared_ptr<const Snapshot> snapshot) {
  HParamsSource source;
  for (const RunPointer& run : snapshot->runs) {
    HParamsSource::RunContents contents = {run->name, ContentOf(*run, kExperimentTag),
                                           ContentOf(*run, kSessionStartTag),
                                           ContentOf(*run, kSessionEndTag)};
    if (contents.experiment || contents.session_start || contents.session_end) {
      source.runs.push_back(std::move(contents));
    }
    for (const Tag& tag : run->tags) {
      if (tag.kind() != TagKind::kScalar) continue;
      source.scalar_runs.push_back(run->name);
      break;
    }
  }
  source.scalar_tags = [snapshot](std::string_view name) {
    std::vector<std::string> tags;
    if (const Run* run = snapshot->FindRun(name)) {
      for (const Tag* tag : TagsOfKind(*run, TagKind::kScalar)) tags.push_back(tag->name());
    }
    return tags;
  };
  source.last_point = [snapshot](std::string_view run,
                                 std::string_view name) -> std::optional<ScalarPoint> {
    const Tag* tag = snapshot->FindTag(run, name);
    if (tag == nullptr || tag->kind() != TagKind::kScalar || tag->scalars.empty()) {
      return std::nullopt;
    }
    return tag->scalars.back();
  };
  return HParamsTable(std::move(source));
}

}  // namespace cboard::reader
