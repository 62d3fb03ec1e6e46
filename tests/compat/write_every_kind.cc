// write_every_kind <directory>: logs every kind of summary once or a few times, with values that
// every_kind.py computes too. Exits with 1 and says why when a call fails.
#include <cboard/proto/graph.h>
#include <cboard/proto/run_metadata.h>
#include <cboard/writer/summary_writer.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

namespace {

using cboard::SummaryWriter;
using cboard::TensorView;
using cboard::writer::At;

int failures = 0;

void Expect(const cboard::Result<void>& result, const char* what) {
  if (result) return;
  std::cerr << what << ": " << result.error().message << "\n";
  ++failures;
}
#define EXPECT_OK(call) Expect((call), #call)

// Every event says when: two writers can then be compared whole.
At AtStep(std::int64_t step) { return {step, 1.7e9 + static_cast<double>(step)}; }

// 0, 1, 2, … times `factor`, wrapped at `wrap`.
template <typename T>
std::vector<T> Ramp(std::size_t count, std::size_t wrap, double factor = 1, double offset = 0) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<T>(static_cast<double>(i % wrap) * factor + offset);
  }
  return values;
}

void WriteScalars(SummaryWriter& writer) {
  for (std::int64_t step = 0; step < 10; ++step) {
    EXPECT_OK(writer.AddScalar("loss", 1.0 / static_cast<double>(step + 1), AtStep(step)));
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::array odd = {kNan, kInfinity, -kInfinity};
  for (std::size_t i = 0; i < odd.size(); ++i) {
    EXPECT_OK(writer.AddScalar("odd", odd[i], AtStep(static_cast<std::int64_t>(i))));
  }
  EXPECT_OK(writer.AddScalar("/größe in %", -2.5, AtStep(3)));
  cboard::writer::ScalarLabels labels;
  labels.display_name = "Latency";
  labels.description = "milliseconds per **image**";
  EXPECT_OK(writer.AddScalar("labelled", 12.5, AtStep(4), labels));
  EXPECT_OK(writer.AddScalars("pair", {{"fp32", 0.75}, {"int8", 0.5}}, AtStep(5)));
}

void WriteHistograms(SummaryWriter& writer) {
  for (std::int64_t step = 0; step < 3; ++step) {
    const auto weights = Ramp<double>(1000, 1000, 0.01, -5 + static_cast<double>(step));
    EXPECT_OK(writer.AddHistogram("weights", weights, AtStep(step)));
  }
  const auto counts = Ramp<std::int32_t>(1024, 1024);
  EXPECT_OK(
      writer.AddHistogram("weights/fd", counts, AtStep(0), cboard::tensor::BinEstimator::kFd));
  EXPECT_OK(writer.AddHistogram("weights/seven", counts, AtStep(0), cboard::tensor::EqualBins{7}));
  EXPECT_OK(
      writer.AddHistogram("weights/thin", counts, AtStep(0), cboard::tensor::EqualBins{64}, 5));
  const std::vector<double> edges = {0, 1, 10, 100, 1000, 10000};
  EXPECT_OK(
      writer.AddHistogram("weights/edges", counts, AtStep(0), cboard::tensor::BinEdges{edges}));
  EXPECT_OK(writer.AddHistogramRaw("weights/raw as is",
                                   {.min = -1,
                                    .max = 3,
                                    .num = 6,
                                    .sum = 4.5,
                                    .sum_squares = 9.25,
                                    .bucket_limits = {0, 1, 3},
                                    .bucket_counts = {1, 2, 3}},
                                   AtStep(2)));
}

void WriteImages(SummaryWriter& writer) {
  const auto bytes = Ramp<std::uint8_t>(3 * 8 * 6, 251);
  EXPECT_OK(writer.AddImage("image", TensorView(bytes, {3, 8, 6}), AtStep(1)));
  const auto gray = Ramp<float>(8 * 6, 48, 1.0 / 64);
  EXPECT_OK(writer.AddImage("image/gray", TensorView(gray, {8, 6}), AtStep(1), "HW"));
  const auto rgba = Ramp<std::uint8_t>(5 * 4 * 4, 256, 3);
  EXPECT_OK(writer.AddImage("image/rgba", TensorView(rgba, {5, 4, 4}), AtStep(1), "HWC"));
  const auto batch = Ramp<std::uint8_t>(10 * 3 * 4 * 4, 253);
  EXPECT_OK(writer.AddImages("image/batch", TensorView(batch, {10, 3, 4, 4}), AtStep(1)));
  const auto canvas = Ramp<std::uint8_t>(3 * 32 * 32, 7);
  const std::vector<std::int32_t> boxes = {4, 5, 20, 25};
  EXPECT_OK(writer.AddImageWithBoxes("image/boxes", TensorView(canvas, {3, 32, 32}),
                                     TensorView(boxes, {1, 4}), AtStep(1)));
  cboard::writer::RgbBuffer figure;
  figure.pixels = std::as_bytes(std::span(bytes));
  figure.height = 8;
  figure.width = 6;
  EXPECT_OK(writer.AddFigure("image/figure", figure, AtStep(1)));
  const auto video = Ramp<std::uint8_t>(1 * 3 * 3 * 8 * 8, 256, 0.5);
  EXPECT_OK(writer.AddVideo("image/video", TensorView(video, {1, 3, 3, 8, 8}), AtStep(1)));
}

void WriteSoundAndText(SummaryWriter& writer) {
  const auto mono = Ramp<float>(1000, 101, 0.02, -1);
  EXPECT_OK(writer.AddAudio("sound", mono, AtStep(1), 8000));
  const auto stereo = Ramp<double>(2000, 201, 0.01, -1);
  EXPECT_OK(writer.AddAudio("sound/stereo", TensorView(stereo, {1000, 2}), AtStep(1), 16000));
  EXPECT_OK(writer.AddText("notes", "**int8** passes", AtStep(1)));
  EXPECT_OK(writer.AddText("notes", "| größe | → |\n|---|---|\n| 1 | <b>2</b> |", AtStep(2)));
}

void WriteCurvesAndMeshes(SummaryWriter& writer) {
  const auto labels = Ramp<std::int64_t>(300, 2);
  const auto predictions = Ramp<float>(300, 300, 1.0 / 299);
  const auto weights = Ramp<double>(300, 7, 0.1, 0.1);
  const TensorView weights_view(weights);
  EXPECT_OK(writer.AddPrCurve("pr", labels, predictions, AtStep(1)));
  EXPECT_OK(writer.AddPrCurve("pr/weighted", labels, predictions, AtStep(1), 11, &weights_view));
  EXPECT_OK(writer.AddPrCurveRaw("pr/raw",
                                 {.true_positives = {75, 64, 21, 5, 0},
                                  .false_positives = {150, 105, 18, 0, 0},
                                  .true_negatives = {0, 45, 132, 150, 150},
                                  .false_negatives = {0, 11, 54, 70, 75},
                                  .precision = {0.25f, 0.375f, 0.5f, 1, 0},
                                  .recall = {1, 0.875f, 0.25f, 0.0625f, 0}},
                                 AtStep(1), 5));

  const auto vertices = Ramp<float>(12, 5, 0.5);
  const std::vector<std::int32_t> faces = {0, 1, 2, 0, 2, 3};
  const auto colors = Ramp<std::uint8_t>(12, 256, 20);
  cboard::writer::MeshDetails details;
  details.faces = TensorView(faces, {1, 2, 3});
  details.colors = TensorView(colors, {1, 4, 3});
  details.config_json = R"({"camera": {"cls": "PerspectiveCamera", "fov": 75}})";
  EXPECT_OK(writer.AddMesh("mesh", TensorView(vertices, {1, 4, 3}), details, AtStep(1)));
  EXPECT_OK(writer.AddMesh("points", TensorView(vertices, {1, 4, 3}), {}, AtStep(2)));
}

void WriteLayoutsAndTrials(SummaryWriter& writer) {
  EXPECT_OK(writer.AddCustomScalars(
      {{.title = "quality",
        .charts = {{.title = "curves", .tags = {"loss", "pair"}, .margin = false},
                   {.title = "band", .tags = {"loss", "odd", "labelled"}, .margin = true}}}}));
  EXPECT_OK(writer.AddHParams({{"lr", 0.125}}, {{"hparam/accuracy", 0.75}}, "trial_1", AtStep(1)));
  EXPECT_OK(writer.AddHParams(
      {{"lr", 0.25}, {"bits", 8.0}, {"symmetric", true}, {"observer", std::string("minmax")}},
      {{"hparam/accuracy", 0.5}, {"hparam/size", 12.5}}, "trial_2", AtStep(2)));
}

void WriteGraph(SummaryWriter& writer) {
  using cboard::proto::Attribute;
  cboard::proto::GraphBuilder graph;
  graph.AddNode({.name = "net/x",
                 .op = "Placeholder",
                 .inputs = {},
                 .device = "",
                 .attributes = {{"shape", Attribute::EncodedShape({1, 3, 8, 8})}}});
  graph.AddNode({.name = "net/conv",
                 .op = "Conv",
                 .inputs = {"net/x"},
                 .device = "/device:CPU:0",
                 .attributes = {{"strides", Attribute::IntList({1, 1})},
                                {"precision", Attribute::String("int8")}}});
  EXPECT_OK(writer.AddGraph(graph.Encode(), AtStep(0)));
  cboard::proto::NodeStats stats;
  stats.node_name = "net/conv";
  stats.op_end_rel_micros = 250;
  stats.all_end_rel_micros = 260;
  stats.total_bytes = 4096;
  stats.allocator_name = "cpu";
  stats.output_shapes = {{1, 4, 8, 8}};
  EXPECT_OK(writer.AddRunMetadata("memory", cboard::proto::EncodeRunMetadata({stats}), AtStep(1)));
}

void WriteEmbeddings(SummaryWriter& writer) {
  const auto matrix = Ramp<float>(12, 12, 0.1);
  const auto sprites = Ramp<float>(4 * 3 * 2 * 2, 48, 1.0 / 64);
  cboard::writer::EmbeddingDetails details;
  details.metadata = {{"cat", "0"}, {"dog", "1"}, {"größe", "2"}, {"fox", "3"}};
  details.metadata_header = {"name", "class"};
  details.label_images = TensorView(sprites, {4, 3, 2, 2});
  details.tag = "net/out";
  EXPECT_OK(writer.AddEmbedding(TensorView(matrix, {4, 3}), details, AtStep(7)));
  EXPECT_OK(writer.AddEmbedding(TensorView(matrix, {6, 2})));
}

// Names that are not UTF-8, or that try to be more than a name. They must neither fail nor spoil
// the file for its readers.
void WriteHostileNames(SummaryWriter& writer) {
  const std::string bad = "bad\xFF\xC0";
  const std::vector<float> numbers = {0, 0.5f, 1};
  cboard::writer::ScalarLabels labels;
  labels.display_name = bad;
  labels.description = bad;
  EXPECT_OK(writer.AddScalar(bad, 1, AtStep(0), labels));
  EXPECT_OK(writer.AddHistogram(bad + "/histogram", numbers, AtStep(0)));
  EXPECT_OK(writer.AddHistogramRaw(bad + "/raw", {}, AtStep(0)));
  const auto pixels = Ramp<std::uint8_t>(3 * 8 * 8, 256);
  const std::vector<std::int32_t> boxes = {1, 1, 6, 6};
  EXPECT_OK(writer.AddImage(bad + "/image", TensorView(pixels, {3, 8, 8}), AtStep(0)));
  EXPECT_OK(writer.AddImageWithBoxes(bad + "/boxes", TensorView(pixels, {3, 8, 8}),
                                     TensorView(boxes, {1, 4}), AtStep(0)));
  EXPECT_OK(writer.AddAudio(bad + "/sound", numbers, AtStep(0)));
  EXPECT_OK(writer.AddText(bad + "/text", bad, AtStep(0)));
  EXPECT_OK(writer.AddPrCurve(bad + "/pr", numbers, numbers, AtStep(0)));
  EXPECT_OK(writer.AddMesh(bad + "/mesh", TensorView(numbers, {1, 1, 3}), {}, AtStep(0)));
  EXPECT_OK(writer.AddCustomScalarsMultilineChart({bad}, bad, bad));
  EXPECT_OK(writer.AddRunMetadata(bad + "/metadata", cboard::proto::EncodeRunMetadata({})));
  // The metric of the other trials too: TensorBoard shows the metrics of one run's experiment.
  EXPECT_OK(
      writer.AddHParams({{bad, bad}}, {{bad, 1}, {"hparam/accuracy", 1}}, "trial", AtStep(0)));
  cboard::writer::EmbeddingDetails details;
  details.tag = "x\"\n}\nembeddings {\ntensor_path: \"/etc/passwd";
  details.metadata = {{"tab\there"}, {"line\nbreak"}, {bad}};
  EXPECT_OK(writer.AddEmbedding(TensorView(numbers, {3, 1}), details));
  EXPECT_OK(writer.AddScalar("written", 1, AtStep(0)));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_every_kind <directory>\n";
    return 2;
  }
  SummaryWriter writer(std::filesystem::path(argv[1]) / "every_kind");
  EXPECT_OK(writer.status());
  WriteScalars(writer);
  WriteHistograms(writer);
  WriteImages(writer);
  WriteSoundAndText(writer);
  WriteCurvesAndMeshes(writer);
  WriteLayoutsAndTrials(writer);
  WriteGraph(writer);
  WriteEmbeddings(writer);
  // The last tag of the file: once a server lists it, it has read all others.
  EXPECT_OK(writer.AddScalar("written", 1, AtStep(0)));
  EXPECT_OK(writer.Close());

  SummaryWriter hostile(std::filesystem::path(argv[1]) / "hostile");
  WriteHostileNames(hostile);
  EXPECT_OK(hostile.Close());
  return failures == 0 ? 0 : 1;
}
