// Common parts of the /tags routes of several plugins: {run: {tag: {displayName, …}}}.
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

// The tags of a kind that have values, by name.
std::vector<const reader::Tag*> TagsWithValues(const reader::Run& run, reader::TagKind kind);

// Whether the values of a tag were logged in the form from before tensors (simple_value, histo,
// image, audio). Those name no plugin, or one that is not TensorBoard's; tensors have to.
bool IsOldStyle(const reader::TagInfo& info);

// Old values without a display name have that of their tag.
std::string DisplayNameOf(const reader::TagInfo& info);

// Called for each tag to add to its object.
using TagDetails =
    std::function<void(JsonWriter& json, const reader::Run& run, const reader::Tag& tag)>;

HttpResponse TagListing(const reader::Snapshot& snapshot, reader::TagKind kind,
                        const TagDetails& details = {});

// The run and tag of ?run=&tag=, if they exist and have values.
struct RunTag {
  const reader::Run* run = nullptr;
  const reader::Tag* tag = nullptr;
};
std::optional<RunTag> FindRunTag(const DataCall& call, reader::TagKind kind);

}  // namespace cboard::server::tensorboard
