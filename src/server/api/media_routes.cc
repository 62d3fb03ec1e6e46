// Routes for images, audio, texts and tensors.
#include "cboard/base/strings.h"
#include "cboard/reader/media_query.h"
#include "server/api/entries.h"
#include "server/content/json_columns.h"
#include "server/content/text_html.h"

namespace cboard::server {
namespace {

// Values whose record is intact but contains no valid image or audio, with the reason for each
// value.
struct Damaged {
  std::vector<std::size_t> indices;
  std::vector<std::string> messages;
};

// Calls `read` for every entry and skips the entries for which it fails, so that one damaged value
// does not hide the rest of the tag. A file that cannot be read at all is still an error.
template <typename Read>
Result<Damaged> ReadEach(Entries& entries, const Read& read) {
  Damaged damaged;
  std::vector<std::size_t> whole;
  for (const std::size_t i : entries.indices) {
    const Result<void> done = read(i);
    if (done) {
      whole.push_back(i);
      continue;
    }
    const ErrorCode code = done.error().code;
    if (code != ErrorCode::kDataLoss && code != ErrorCode::kInvalidArgument) {
      return Fail(done.error());
    }
    damaged.indices.push_back(i);
    damaged.messages.push_back(done.error().message);
  }
  entries.indices = std::move(whole);
  return damaged;
}

void WriteDamaged(JsonWriter& json, const Entries& entries, const Damaged& damaged) {
  json.Key("damaged").BeginArray();
  for (std::size_t i = 0; i < damaged.indices.size(); ++i) {
    json.BeginObject().Key("index").Value(damaged.indices[i]);
    json.Key("step").Value(entries.tag->blobs.at(damaged.indices[i]).step);
    json.Key("message").Value(damaged.messages[i]).EndObject();
  }
  json.EndArray();
}

Result<HttpResponse> GetImages(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(Entries entries, QueriedEntries(call, reader::TagKind::kImage));
  std::vector<reader::PixelSize> sizes;
  std::vector<std::size_t> samples;
  CBOARD_ASSIGN_OR_RETURN(
      const Damaged damaged, ReadEach(entries, [&](std::size_t i) -> Result<void> {
        CBOARD_ASSIGN_OR_RETURN(const auto image, reader::ReadImage(*entries.run, *entries.tag, i));
        sizes.push_back(image.value.size);
        samples.push_back(image.value.samples.size());
        return {};
      }));
  JsonWriter json;
  WriteHead(json, call, entries);
  WriteValues(json, "widths", sizes, &reader::PixelSize::width);
  WriteValues(json, "heights", sizes, &reader::PixelSize::height);
  WriteValues(json, "samples", samples);
  WriteDamaged(json, entries, damaged);
  json.EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetAudio(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(Entries entries, QueriedEntries(call, reader::TagKind::kAudio));
  std::vector<std::size_t> samples;
  std::vector<std::string> types;
  CBOARD_ASSIGN_OR_RETURN(
      const Damaged damaged, ReadEach(entries, [&](std::size_t i) -> Result<void> {
        CBOARD_ASSIGN_OR_RETURN(const auto audio, reader::ReadAudio(*entries.run, *entries.tag, i));
        samples.push_back(audio.value.samples.size());
        types.emplace_back(audio.value.samples.empty()
                               ? std::string_view()
                               : reader::MimeTypeOf(audio.value.samples[0].type));
        return {};
      }));
  JsonWriter json;
  WriteHead(json, call, entries);
  WriteValues(json, "samples", samples);
  WriteValues(json, "content_types", types);
  WriteDamaged(json, entries, damaged);
  json.EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> SampleResponse(const std::vector<reader::MediaSample>& samples,
                                    std::size_t sample) {
  if (sample >= samples.size()) {
    return Fail(ErrorCode::kNotFound, "the parameter sample is " + std::to_string(sample) +
                                          ", but the number of samples is " +
                                          std::to_string(samples.size()));
  }
  return BlobResponse(std::string(reader::MimeTypeOf(samples[sample].type)),
                      std::string(samples[sample].bytes));
}

Result<HttpResponse> GetBlob(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const std::string run_name, call.target.Query("run"));
  CBOARD_ASSIGN_OR_RETURN(const std::string tag_name, call.target.Query("tag"));
  CBOARD_ASSIGN_OR_RETURN(const reader::Run* const run, FindRun(call, run_name));
  const reader::Tag* const tag = run->Find(tag_name);
  if (tag == nullptr ||
      (tag->kind() != reader::TagKind::kImage && tag->kind() != reader::TagKind::kAudio)) {
    return Fail(ErrorCode::kNotFound,
                "run " + Quoted(run->name) + " has no image or sound " + Quoted(tag_name));
  }
  if (tag->blobs.empty())
    return Fail(ErrorCode::kNotFound, "the values were removed from the logs; reload the page");
  const std::size_t last = tag->blobs.size() - 1;
  CBOARD_ASSIGN_OR_RETURN(const std::size_t index, call.target.NumberQuery("index", 0, last, last));
  CBOARD_ASSIGN_OR_RETURN(const std::size_t sample,
                          call.target.NumberQuery("sample", 0, 1'000'000, 0));
  if (tag->kind() == reader::TagKind::kImage) {
    CBOARD_ASSIGN_OR_RETURN(const auto image, reader::ReadImage(*run, *tag, index));
    return SampleResponse(image.value.samples, sample);
  }
  CBOARD_ASSIGN_OR_RETURN(const auto audio, reader::ReadAudio(*run, *tag, index));
  return SampleResponse(audio.value.samples, sample);
}

Result<bool> QueriedBool(const ApiCall& call, std::string_view name) {
  const std::string text = TextQuery(call.target, name, "false");
  if (text != "true" && text != "false") {
    return Fail(ErrorCode::kInvalidArgument, "the parameter " + std::string(name) + " is " +
                                                 Quoted(text) + "; it must be true or false");
  }
  return text == "true";
}

Result<HttpResponse> GetText(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const Entries entries, QueriedEntries(call, reader::TagKind::kText));
  CBOARD_ASSIGN_OR_RETURN(const bool html, QueriedBool(call, "html"));
  CBOARD_ASSIGN_OR_RETURN(const auto texts,
                          reader::ReadTexts(*entries.run, *entries.tag, entries.indices));
  JsonWriter json;
  WriteHead(json, call, entries);
  json.Key("shapes").BeginArray();
  for (const auto& text : texts) {
    json.BeginArray();
    for (const std::int64_t size : text.value.shape) json.Value(size);
    json.EndArray();
  }
  json.EndArray().Key("texts").BeginArray();
  for (const auto& text : texts) {
    json.BeginArray();
    for (const std::string_view cell : text.value.texts) json.Value(cell);
    json.EndArray();
  }
  json.EndArray();
  if (html) {
    WriteValues(json, "html", texts, [](const auto& text) { return TextToHtml(text.value); });
  }
  json.EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetTensors(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const TagOfRun found, QueriedTag(call, reader::TagKind::kTensor));
  if (found.tag->blobs.empty())
    return Fail(ErrorCode::kNotFound, "the values were removed from the logs; reload the page");
  const std::size_t last = found.tag->blobs.size() - 1;
  CBOARD_ASSIGN_OR_RETURN(const std::size_t index, call.target.NumberQuery("index", 0, last, last));
  CBOARD_ASSIGN_OR_RETURN(const auto tensor,
                          reader::ReadTensor(*found.run, *found.tag, index, std::size_t{1} << 20));
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  json.Key("step").Value(tensor.step).Key("wall_time").Value(tensor.wall_time_seconds);
  json.Key("dtype").Value(proto::NameOf(tensor.value.dtype));
  WriteValues(json, "shape", tensor.value.shape);
  if (tensor.value.strings.empty()) {
    WriteNumbers(json, "values", tensor.value.numbers);
  } else {
    WriteValues(json, "values", tensor.value.strings);
  }
  json.EndObject();
  return JsonResponse(json.Take());
}

}  // namespace

std::vector<ApiRoute> MediaRoutes() {
  const Parameter run = RunParameter();
  const Parameter tag = TagParameter();
  const Parameter limit = LimitParameter();
  const Parameter index = {"index", ParameterType::kWhole, false, false,
                           "Which value, by `indices` of the list; the last if not given."};
  const Parameter sample = {"sample", ParameterType::kWhole, false, false,
                            "Which of several logged at once; the first if not given."};
  const Parameter html = {"html", ParameterType::kText, false, false,
                          "true: also as HTML made from the Markdown, safe to put into a page."};
  return {
      {.method = "GET",
       .path = "/images",
       .summary = "The images of a tag, without their bytes.",
       .parameters = {run, tag, limit},
       .handler = GetImages},
      {.method = "GET",
       .path = "/audio",
       .summary = "The sounds of a tag, without their bytes.",
       .parameters = {run, tag, limit},
       .handler = GetAudio},
      {.method = "GET",
       .path = "/blob",
       .summary = "The bytes of one image or sound.",
       .parameters = {run, tag, index, sample},
       .response_type = "application/octet-stream",
       .handler = GetBlob},
      {.method = "GET",
       .path = "/text",
       .summary = "The texts of a tag.",
       .parameters = {run, tag, limit, html},
       .handler = GetText},
      {.method = "GET",
       .path = "/tensors",
       .summary = "The values of a tensor.",
       .parameters = {run, tag, index},
       .handler = GetTensors},
  };
}

}  // namespace cboard::server
