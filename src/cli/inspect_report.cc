#include "cli/inspect_report.h"

#include <array>
#include <cmath>
#include <ctime>

#include "cboard/base/json_writer.h"
#include "cboard/base/strings.h"
#include "cli/text_table.h"

namespace cboard::cli {
namespace {

bool Contains(std::string_view text, const std::string& part) {
  return text.find(part) != std::string_view::npos;
}

std::uint64_t SizeOf(const RunScan& run) {
  std::uint64_t bytes = 0;
  for (const FileScan& file : run.files) bytes += file.size_bytes;
  return bytes;
}

std::string Steps(const TagScan& tag) {
  const std::string first = std::to_string(tag.min_step);
  return tag.min_step == tag.max_step ? first : first + "–" + std::to_string(tag.max_step);
}

std::string LastValue(const TagScan& tag) {
  if (!tag.last_value) return {};
  // Scalars are stored as floats; the digits beyond are the conversion's, not the user's.
  const auto narrow = static_cast<float>(*tag.last_value);
  if (static_cast<double>(narrow) != *tag.last_value) return ShortestDecimal(*tag.last_value);
  std::array<char, 32> buffer;
  std::snprintf(buffer.data(), buffer.size(), "%.7g", static_cast<double>(narrow));
  return buffer.data();
}

std::string FileName(const std::filesystem::path& path) {
  return Quoted(path.filename().native(), 300);
}

void AppendTags(const RunScan& run, const InspectFilter& filter, std::string& text) {
  TextTable table({{"tag"},
                   {"kind"},
                   {"count", Align::kRight},
                   {"steps", Align::kRight},
                   {"last value", Align::kRight},
                   {"newest"}});
  for (const auto& [name, tag] : run.tags) {
    if (!Contains(name, filter.tag)) continue;
    table.AddRow({Shortened(name, 100), std::string(NameOf(tag.kind)), HumanCount(tag.count),
                  Steps(tag), LastValue(tag), LocalTime(tag.newest_wall_time_seconds)});
  }
  if (!table.empty()) text += table.Render(2);
}

void AppendTrouble(const RunScan& run, std::string& text) {
  for (const FileScan& file : run.files) {
    if (file.error) text += "  unreadable: " + Printable(file.error->message) + "\n";
    if (file.torn_bytes > 0) {
      text += "  torn: " + FileName(file.path) + " ends in " + Plural(file.torn_bytes, "byte") +
              " of an unfinished record: it is still being written, or its writer was killed\n";
    }
  }
  for (const Damage& damage : run.damage) {
    text += "  damage: " + FileName(damage.path) + ", " + Plural(damage.bytes, "byte") +
            " at offset " + std::to_string(damage.offset) + ": " + Printable(damage.reason) + "\n";
  }
  if (run.damage_count > run.damage.size()) {
    text += "  damage: and " + HumanCount(run.damage_count - run.damage.size()) + " more places\n";
  }
  for (const auto& [name, tag] : run.tags) {
    if (tag.mismatched_count == 0) continue;
    text += "  mixed: tag " + Quoted(name) + " began as " + std::string(NameOf(tag.kind)) + "; " +
            Plural(tag.mismatched_count, "value") + " of another kind not counted\n";
  }
}

void AppendTime(double wall_time_seconds, JsonWriter& json) {
  if (std::isfinite(wall_time_seconds)) {
    json.Value(wall_time_seconds);
  } else {
    json.Null();
  }
}

void AppendTag(const std::string& name, const TagScan& tag, JsonWriter& json) {
  json.BeginObject();
  json.Key("tag").Value(name);
  json.Key("kind").Value(NameOf(tag.kind));
  json.Key("plugin").Value(tag.plugin_name);
  json.Key("count").Value(tag.count);
  json.Key("mismatched_count").Value(tag.mismatched_count);
  json.Key("first_step").Value(tag.first_step);
  json.Key("last_step").Value(tag.last_step);
  json.Key("min_step").Value(tag.min_step);
  json.Key("max_step").Value(tag.max_step);
  AppendTime(tag.newest_wall_time_seconds, json.Key("newest_wall_time_seconds"));
  json.Key("last_value");
  if (tag.last_value) {
    json.Value(*tag.last_value);
  } else {
    json.Null();
  }
  json.EndObject();
}

void AppendFile(const FileScan& file, JsonWriter& json) {
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

void AppendRun(const RunScan& run, const InspectFilter& filter, JsonWriter& json) {
  json.BeginObject();
  json.Key("name").Value(run.name);
  json.Key("event_count").Value(run.event_count);
  AppendTime(run.newest_wall_time_seconds, json.Key("newest_wall_time_seconds"));
  json.Key("tags").BeginArray();
  for (const auto& [name, tag] : run.tags) {
    if (Contains(name, filter.tag)) AppendTag(name, tag, json);
  }
  json.EndArray();
  json.Key("files").BeginArray();
  for (const FileScan& file : run.files) AppendFile(file, json);
  json.EndArray();
  json.Key("damage_count").Value(run.damage_count);
  json.Key("damage").BeginArray();
  for (const Damage& damage : run.damage) {
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
  // Years 1 to 9999; also refuses NaN.
  if (!(wall_time_seconds > -62e9 && wall_time_seconds < 253e9)) return "-";
  const auto seconds = static_cast<std::time_t>(std::floor(wall_time_seconds));
  std::tm local;
  if (::localtime_r(&seconds, &local) == nullptr) return "-";
  std::array<char, 32> buffer;
  return {buffer.data(), std::strftime(buffer.data(), buffer.size(), "%Y-%m-%d %H:%M:%S", &local)};
}

std::string InspectText(std::string_view logdir, const LogdirScan& scan,
                        const InspectFilter& filter) {
  std::string runs_text;
  std::size_t run_count = 0, file_count = 0, event_count = 0;
  std::uint64_t size_bytes = 0, damage_count = 0;
  for (const RunScan& run : scan.runs) {
    if (!Contains(run.name, filter.run)) continue;
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
    AppendTrouble(run, runs_text);
  }
  std::string text = Quoted(logdir, 1000) + ": " + Plural(run_count, "run") + ", " +
                     Plural(event_count, "event") + " in " + Plural(file_count, "file") + ", " +
                     HumanBytes(static_cast<double>(size_bytes));
  if (damage_count > 0) text += ", damaged in " + Plural(damage_count, "place");
  return text + "\n" + runs_text;
}

std::string InspectJson(std::string_view logdir, const LogdirScan& scan,
                        const InspectFilter& filter) {
  JsonWriter json;
  json.BeginObject();
  json.Key("logdir").Value(logdir);
  json.Key("runs").BeginArray();
  for (const RunScan& run : scan.runs) {
    if (Contains(run.name, filter.run)) AppendRun(run, filter, json);
  }
  json.EndArray();
  json.Key("unreadable").BeginArray();
  for (const Error& error : scan.unreadable) json.Value(error.message);
  json.EndArray();
  json.EndObject();
  return json.Take() + "\n";
}

}  // namespace cboard::cli
