// What the /tags routes of several plugins have in common: {run: {tag: {displayName, …}}}.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/json_writer.h"
#include "cboard/reader/run_query.h"
#include "server/tensorboard/data_route.h"

namespace cboard::tensorboard {

// The tags of a kind that have values, by name.
std::vector<const Tag*> TagsWithValues(const Run& run, TagKind kind);

// Whether the values of a tag were logged in the form from before tensors (simple_value, histo,
// image, audio). Those name no plugin, or one that is not TensorBoard's; tensors have to.
bool IsOldStyle(const TagInfo& info);

// Old values without a display name have that of their tag.
std::string DisplayNameOf(const TagInfo& info);

// Called for each tag to add to its object.
using TagDetails = std::function<void(JsonWriter& json, const Run& run, const Tag& tag)>;

HttpResponse TagListing(const Snapshot& snapshot, TagKind kind, const TagDetails& details = {});

// The run and tag of ?run=&tag=, if there are such and they have values.
struct RunTag {
  const Run* run = nullptr;
  const Tag* tag = nullptr;
};
std::optional<RunTag> FindRunTag(const DataCall& call, TagKind kind);

}  // namespace cboard::tensorboard
