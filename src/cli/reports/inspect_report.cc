#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <limits>
#include <optional>

#include "cboard/base/json_writer.h"
#include "cboard/base/strings.h"
#include "cli/reports/reports.h"
#include "cli/reports/text_table.h"

namespace cboard::cli {
namespace {

bool Contains(std::string_view text, const std::string& part) {
  return text.find(part) != std::string_view::npos;
}

// Returns true if the run has content that the filter selects.
bool Takes(const InspectFilter& filter, const reader::Run& run) {
  return Contains(run.name, filter.run) &&
         (filter.tag.empty() || std::ranges::any_of(run.tags, [&](const reader::Tag& tag) {
            return Contains(tag.name(), filter.tag);
          }));
}

std::uint64_t SizeOf(const reader::Run& run) {
  std::uint64_t bytes = 0;
  for (const auto& file : run.files) bytes += file->size_bytes;
  return bytes;
}

// Facts about a tag that are computed from all points, or from the first and last point.
struct TagFacts {
  std::int64_t first_step = 0;
  std::int64_t last_step = 0;
  double newest_wall_time_seconds = -std::numeric_limits<double>::infinity();
  std::optional<double> last_value;  // For scalars only.

  void NoteTime(double seconds) {
    if (std::isfinite(seconds)) {
      newest_wall_time_seconds = std::max(newest_wall_time_seconds, seconds);
    }
  }
};

TagFacts FactsOf(const reader::Tag& tag) {
  TagFacts facts;
  if (!tag.scalars.empty()) {
    facts.first_step = tag.scalars.front().step;
    facts.last_step = tag.scalars.back().step;
    facts.last_value = tag.scalars.back().value;
    tag.scalars.ForEachBlock([&](const reader::ScalarBlock& block) {
      for (const double seconds : block.wall_times_seconds) facts.NoteTime(seconds);
    });
  } else if (!tag.blobs.empty()) {
    facts.first_step = tag.blobs.at(0).step;
    facts.last_step = tag.blobs.back().step;
    tag.blobs.ForEach(
        [&](const reader::BlobEntry& entry) { facts.NoteTime(entry.wall_time_seconds); });
  }
  return facts;
}

std::string Steps(const reader::Tag& tag) {
  if (tag.size() == 0) return {};
  const std::string first = std::to_string(tag.min_step);
  return tag.min_step == tag.max_step ? first : first + "–" + std::to_string(tag.max_step);
}

std::string LastValue(const TagFacts& facts) {
  if (!facts.last_value) return {};
  // Scalars are stored as floats, so more digits would only show rounding errors.
  const auto narrow = static_cast<float>(*facts.last_value);
  if (static_cast<double>(narrow) != *facts.last_value) return ShortestDecimal(*facts.last_value);
  std::array<char, 32> buffer;
  std::snprintf(buffer.data(), buffer.size(), "%.7g", static_cast<double>(narrow));
  return buffer.data();
}

std::string FileName(const std::filesystem::path& path) {
  return Quoted(path.filename().native(), 300);
}

void AppendTags(const reader::Run& run, const InspectFilter& filter, std::string& text) {
  TextTable table({{"tag"},
                   {"kind"},
                   {"count", Align::kRight},
                   {"steps", Align::kRight},
                   {"last value", Align::kRight},
                   {"newest"}});
  for (const reader::Tag& tag : run.tags) {
    if (!Contains(tag.name(), filter.tag)) continue;
    const TagFacts facts = FactsOf(tag);
    table.AddRow({Shortened(tag.name(), 100), std::string(NameOf(tag.kind())),
                  HumanCount(tag.size()), Steps(tag), LastValue(facts),
                  LocalTime(facts.newest_wall_time_seconds)});
  }
  if (!table.empty()) text += table.Render(2);
}

void AppendDamage(const reader::Run& run, std::string& text) {
  for (const auto& file : run.files) {
    if (file->error) text += "  unreadable: " + Printable(file->error->message) + "\n";
    if (file->torn_bytes > 0) {
      text += "  torn: " + FileName(file->path) + " ends in " + Plural(file->torn_bytes, "byte") +
              " of an unfinished record: it is still being written, or its writer was killed\n";
    }
  }
  for (const reader::Damage& damage : run.damage) {
    text += "  damage: " + FileName(damage.path) + ", " + Plural(damage.bytes, "byte") +
            " at offset " + std::to_string(damage.offset) + ": " + Printable(damage.reason) + "\n";
  }
  if (run.damage_count > run.damage.size()) {
    text += "  damage: and " + HumanCount(run.damage_count - run.damage.size()) + " more places\n";
  }
  for (const reader::Tag& tag : run.tags) {
    if (tag.mismatched_count == 0) continue;
    text += "  mixed: tag " + Quoted(tag.name()) + " began as " + std::string(NameOf(tag.kind())) +
            "; " + Plural(tag.mismatched_count, "value") + " of another kind not counted\n";
  }
}

void AppendTime(double wall_time_seconds, JsonWriter& json) {
  if (std::isfinite(wall_time_seconds)) {
    json.Value(wall_time_seconds);
  } else {
    json.Null();
  }
}

void AppendTag(const reader::Tag& tag, JsonWriter& json) {
  const TagFacts facts = FactsOf(tag);
  json.BeginObject();
  json.Key("tag").Value(tag.name());
  json.Key("kind").Value(NameOf(tag.kind()));
  json.Key("plugin").Value(tag.info->plugin_name);
  json.Key("count").Value(tag.size());
  json.Key("mismatched_count").Value(tag.mismatched_count);
  json.Key("first_step").Value(facts.first_step);
  json.Key("last_step").Value(facts.last_step);
  json.Key("min_step").Value(tag.min_step);
  json.Key("max_step").Value(tag.max_step);
  AppendTime(facts.newest_wall_time_seconds, json.Key("newest_wall_time_seconds"));
  json.Key("last_value");
  if (facts.last_value) {
    json.Value(*facts.last_value);
  } else {
    json.Null();
  }
  json.EndObject();
}

void AppendFile(const reader::EventFile& file, JsonWriter& json) {
  json.BeginObject();
  json.Key("path").Value(file.path.native());
  json.Key("size_bytes").Value(file.size_bytes);
  json.Key("record_count").Value(file.record_count);
  json.Key("damaged_bytes").Value(file.damaged_bytes);
  json.Key("torn_bytes").Value(file.torn_bytes);
  json.Key("error");
  if (file.error) {
    json.Value(file.error->message);
  } else {
    json.Null();
  }
  json.EndObject();
}

void AppendRun(const reader::Run& run, const InspectFilter& filter, JsonWriter& json) {
  json.BeginObject();
  json.Key("name").Value(run.name);
  json.Key("event_count").Value(run.event_count);
  AppendTime(run.newest_wall_time_seconds, json.Key("newest_wall_time_seconds"));
  json.Key("tags").BeginArray();
  for (const reader::Tag& tag : run.tags) {
    if (Contains(tag.name(), filter.tag)) AppendTag(tag, json);
  }
  json.EndArray();
  json.Key("files").BeginArray();
  for (const auto& file : run.files) AppendFile(*file, json);
  json.EndArray();
  json.Key("damage_count").Value(run.damage_count);
  json.Key("damage").BeginArray();
  for (const reader::Damage& damage : run.damage) {
    json.BeginObject();
    json.Key("path").Value(damage.path.native());
    json.Key("offset").Value(damage.offset);
    json.Key("bytes").Value(damage.bytes);
    json.Key("reason").Value(damage.reason);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

}  // namespace

std::string LocalTime(double wall_time_seconds) {
  // Allows the years 1 to 9999; also refuses NaN.
  if (!(wall_time_seconds > -62e9 && wall_time_seconds < 253e9)) return "-";
  const auto seconds = static_cast<std::time_t>(std::floor(wall_time_seconds));
  std::tm local;
  if (::localtime_r(&seconds, &local) == nullptr) return "-";
  std::array<char, 32> buffer;
  return {buffer.data(), std::strftime(buffer.data(), buffer.size(), "%Y-%m-%d %H:%M:%S", &local)};
}

Result<void> CheckFilter(const reader::Snapshot& snapshot, const InspectFilter& filter) {
  if (std::ranges::any_of(snapshot.runs, [&](const auto& run) { return Takes(filter, *run); })) {
    return {};
  }
  std::string what = "none of " + Plural(snapshot.runs.size(), "run") + " has ";
  if (!filter.run.empty()) what += Quoted(filter.run) + " in its name";
  if (!filter.run.empty() && !filter.tag.empty()) what += " and ";
  if (!filter.tag.empty()) what += "a tag that contains " + Quoted(filter.tag);
  return Fail(ErrorCode::kNotFound, what + "; omit --run and --tag to list all runs and tags");
}

std::string InspectText(std::string_view logdir, const reader::Snapshot& snapshot,
                        const InspectFilter& filter) {
  std::string runs_text;
  std::size_t run_count = 0, file_count = 0, event_count = 0;
  std::uint64_t size_bytes = 0, damage_count = 0;
  for (const auto& pointer : snapshot.runs) {
    const reader::Run& run = *pointer;
    if (!Takes(filter, run)) continue;
    ++run_count;
    file_count += run.files.size();
    event_count += run.event_count;
    size_bytes += SizeOf(run);
    damage_count += run.damage_count;
    runs_text += "\nrun " + Quoted(run.name, 300) + ": " + Plural(run.event_count, "event") +
                 " in " + Plural(run.files.size(), "file") + ", " +
                 HumanBytes(static_cast<double>(SizeOf(run))) + ", newest " +
                 LocalTime(run.newest_wall_time_seconds) + "\n";
    AppendTags(run, filter, runs_text);
    AppendDamage(run, runs_text);
  }
  std::string text = Quoted(logdir, 1000) + ": " + Plural(run_count, "run") + ", " +
                     Plural(event_count, "event") + " in " + Plural(file_count, "file") + ", " +
                     HumanBytes(static_cast<double>(size_bytes));
  if (damage_count > 0) text += ", damaged in " + Plural(damage_count, "place");
  return text + "\n" + runs_text;
}

std::string InspectJson(std::string_view logdir, const reader::Snapshot& snapshot,
                        const InspectFilter& filter) {
  JsonWriter json;
  json.BeginObject();
  json.Key("logdir").Value(logdir);
  json.Key("runs").BeginArray();
  for (const auto& run : snapshot.runs) {
    if (Takes(filter, *run)) AppendRun(*run, filter, json);
  }
  json.EndArray();
  for (const bool missing : {true, false}) {
    json.Key(missing ? "missing" : "unreadable").BeginArray();
    for (const Error& error : snapshot.unreadable) {
      if ((error.code == ErrorCode::kNotFound) == missing) json.Value(error.message);
    }
    json.EndArray();
  }
  json.EndObject();
  return json.Take() + "\n";
}

}  // namespace cboard::cli
