// The content of a log directory, as text for people and as JSON for programs.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/reader/snapshot.h"

namespace cboard::cli {

struct InspectFilter {
  std::string run;  // Only runs whose name contains it.
  std::string tag;  // Only tags that contain it, and runs that have one.
};

// Fails with kNotFound when there is no such run, so that nobody takes a typing error for a log
// without values.
Result<void> CheckFilter(const reader::Snapshot& snapshot, const InspectFilter& filter);

std::string InspectText(std::string_view logdir, const reader::Snapshot& snapshot,
                        const InspectFilter& filter = {});

// {"logdir":…,"runs":[{"name":…,"tags":[…],"files":[…],"damage":[…]}],"unreadable":[…]}
// A value that was not measured is null: the newest wall time of a run without events, the last
// value of anything but scalars.
std::string InspectJson(std::string_view logdir, const reader::Snapshot& snapshot,
                        const InspectFilter& filter = {});

// "2026-11-15 20:33:00" in the local time zone; "-" for a time that no calendar holds.
std::string LocalTime(double wall_time_seconds);

}  // namespace cboard::cli
