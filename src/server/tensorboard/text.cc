#include <algorithm>

#include "cboard/reader/media_query.h"
#include "server/tensorboard/markdown.h"
#include "server/tensorboard/tag_listing.h"

namespace cboard::tensorboard {
namespace {

constexpr std::size_t kTextSteps = 100;

std::string CellHtml(std::string_view text, bool markdown) {
  return markdown ? MarkdownToSafeHtml(text) : EscapeHtml(text);
}

// A table with a row for each member of the last dimension but one; of a list, each member is one.
std::string TableHtml(const std::vector<std::string_view>& cells, std::size_t rows,
                      std::size_t columns, bool markdown) {
  std::string html = "<table>\n<tbody>\n";
  for (std::size_t row = 0; row < rows; ++row) {
    html += "<tr>\n";
    for (std::size_t column = 0; column < columns; ++column) {
      html += "<td>" + CellHtml(cells[row * columns + column], markdown) + "</td>\n";
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table>";
}

// Of more than two dimensions, the first matrix is shown, and a warning.
std::string ToHtml(const TextValue& value, bool markdown) {
  const std::size_t rank = value.shape.size();
  if (rank == 0) {
    return value.texts.empty() ? std::string() : CellHtml(value.texts.front(), markdown);
  }
  const auto size_of = [&](std::size_t dimension) {
    return static_cast<std::size_t>(std::max<std::int64_t>(value.shape[dimension], 0));
  };
  const std::size_t columns = rank == 1 ? 1 : size_of(rank - 1);
  const std::size_t rows = rank == 1 ? size_of(0) : size_of(rank - 2);
  std::string warning;
  if (rank > 2) {
    // The spaces are TensorBoard's.
    warning = MarkdownToSafeHtml(
        "**Warning:** This text summary contained data of dimensionality " + std::to_string(rank) +
        ", but only   2d tables are supported. Showing a 2d slice of the data instead.");
  }
  const bool complete = columns == 0 || rows <= value.texts.size() / columns;
  return warning + TableHtml(value.texts, complete ? rows : 0, columns, markdown);
}

Result<HttpResponse> GetTags(const DataCall& call) {
  JsonWriter json;
  json.BeginObject();
  for (const RunPointer& run : call.snapshot->runs) {
    const std::vector<const Tag*> tags = TagsWithValues(*run, TagKind::kText);
    if (tags.empty()) continue;
    json.Key(run->name).BeginArray();
    for (const Tag* const tag : tags) json.Value(tag->name());
    json.EndArray();
  }
  json.EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetText(const DataCall& call) {
  const std::optional<RunTag> found = FindRunTag(call, TagKind::kText);
  if (!found) return JsonResponse("[]");
  const bool markdown = call.Find("markdown") != "false";
  CBOARD_ASSIGN_OR_RETURN(
      const auto texts,
      ReadTexts(*found->run, *found->tag,
                SampledIndices(found->tag->blobs.size(), SampleLimit(call, "text", kTextSteps))));
  JsonWriter json;
  json.BeginArray();
  for (const auto& text : texts) {
    json.BeginObject().Key("wall_time").Value(text.wall_time_seconds);
    json.Key("step").Value(text.step).Key("text").Value(ToHtml(text.value, markdown)).EndObject();
  }
  json.EndArray();
  return JsonResponse(json.Take());
}

}  // namespace

std::vector<DataRoute> TextRoutes() {
  return {{"/plugin/text/tags", GetTags}, {"/plugin/text/text", GetText}};
}

}  // namespace cboard::tensorboard
