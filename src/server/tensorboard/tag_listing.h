// Shared code of the /tags routes of several plugins: {run: {tag: {displayName, …}}}.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/json_writer.h"
#include "cboard/reader/run_query.h"
#include "server/tensorboard/data_route.h"

namespace cboard::server::tensorboard {

// Returns the tags of a kind that have values, sorted by name.
std::vector<const reader::Tag*> TagsWithValues(const reader::Run& run, reader::TagKind kind);

// Returns true if the tag's values were logged in the old format without tensors (simple_value,
// histo, image, audio). Old values may name no plugin or a foreign one; tensors must name their
// plugin.
bool IsOldStyle(const reader::TagInfo& info);

// Returns the display name of a tag; old values without one use the tag.
std::string DisplayNameOf(const reader::TagInfo& info);

// A function that adds members to the JSON object of each tag.
using TagDetails =
    std::function<void(JsonWriter& json, const reader::Run& run, const reader::Tag& tag)>;

HttpResponse TagListing(const reader::Snapshot& snapshot, reader::TagKind kind,
                        const TagDetails& details = {});

// Returns the run and tag of ?run=&tag=, if they exist and have values.
struct RunTag {
  const reader::Run* run = nullptr;
  const reader::Tag* tag = nullptr;
};
std::optional<RunTag> FindRunTag(const DataCall& call, reader::TagKind kind);

}  // namespace cboard::server::tensorboard
