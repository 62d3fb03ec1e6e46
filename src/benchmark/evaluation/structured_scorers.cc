// Scorers for labels that are boxes or texts.
#include <algorithm>
#include <cctype>
#include <cmath>

#include "benchmark/evaluation/labels.h"
#include "benchmark/evaluation/scorers.h"
#include "cboard/base/strings.h"
#include "cboard/benchmark/classification_scores.h"
#include "cboard/benchmark/detection_scores.h"
#include "cboard/benchmark/text_scores.h"
#include "cboard/tensor/convert.h"

namespace cboard::benchmark {
namespace {

bool NameContains(std::string name, std::string_view part) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name.find(part) != std::string::npos;
}

const runtime::NamedTensor* FindOutput(const runtime::RunResult& outputs,
                                       std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) {
    for (const runtime::NamedTensor& output : outputs.tensors()) {
      if (NameContains(output.name, part)) return &output;
    }
  }
  return nullptr;
}

// Returns the detections of one sample. The model has one output [n, 6] with left, top, right,
// bottom, score and class, or several outputs: boxes [n, 4], scores [n] and classes [n]. Each may
// have an additional first dimension of 1.
Result<std::vector<Detection>> DetectionsOf(const runtime::RunResult& outputs) {
  std::vector<Detection> detections;
  if (outputs.tensors().size() == 1) {
    const runtime::NamedTensor& output = outputs.tensors()[0];
    if (output.tensor.shape.empty() || output.tensor.shape.back() != 6) {
      return Fail(ErrorCode::kInvalidArgument,
                  "output " + Quoted(output.name) + " is " + ShapeText(output.tensor.shape) +
                      "; mAP needs an output [n, 6] with left, top, right, bottom, score and "
                      "class, or separate outputs for boxes, scores and classes");
    }
    CBOARD_ASSIGN_OR_RETURN(const std::vector<double> values, tensor::ToDoubles(output.tensor));
    for (std::size_t i = 0; i + 6 <= values.size(); i += 6) {
      detections.push_back({.box = {values[i], values[i + 1], values[i + 2], values[i + 3]},
                            .class_id = std::llround(values[i + 5]),
                            .score = values[i + 4]});
    }
    return detections;
  }
  const runtime::NamedTensor* const boxes = FindOutput(outputs, {"box"});
  const runtime::NamedTensor* const scores = FindOutput(outputs, {"score", "conf"});
  const runtime::NamedTensor* const classes = FindOutput(outputs, {"class", "label"});
  if (boxes == nullptr || scores == nullptr || classes == nullptr) {
    std::string names;
    for (const runtime::NamedTensor& output : outputs.tensors()) {
      names += (names.empty() ? "" : ", ") + Quoted(output.name);
    }
    return Fail(ErrorCode::kInvalidArgument,
                "mAP needs outputs whose names contain 'box', 'score' and 'class' or 'label'; the "
                "model has " +
                    names);
  }
  CBOARD_ASSIGN_OR_RETURN(const std::vector<double> box_values, tensor::ToDoubles(boxes->tensor));
  CBOARD_ASSIGN_OR_RETURN(const std::vector<double> score_values,
                          tensor::ToDoubles(scores->tensor));
  CBOARD_ASSIGN_OR_RETURN(const std::vector<double> class_values,
                          tensor::ToDoubles(classes->tensor));
  if (box_values.size() != 4 * score_values.size() || score_values.size() != class_values.size()) {
    return Fail(ErrorCode::kInvalidArgument,
                "the model returns " + HumanCount(box_values.size()) + " box coordinates, " +
                    HumanCount(score_values.size()) + " scores and " +
                    HumanCount(class_values.size()) +
                    " classes; mAP needs four coordinates, one score and one class for each box");
  }
  for (std::size_t i = 0; i < score_values.size(); ++i) {
    const double* const box = &box_values[4 * i];
    detections.push_back({.box = {box[0], box[1], box[2], box[3]},
                          .class_id = std::llround(class_values[i]),
                          .score = score_values[i]});
  }
  return detections;
}

class DetectionScorer final : public Scorer {
 public:
  DetectionScorer(std::vector<std::vector<LabeledBox>> labels, std::set<std::string> metrics)
      : labels_(std::move(labels)), metrics_(std::move(metrics)) {}

  Result<void> Add(const ScoredRun& run) override {
    if (run.row_count != 1) {
      return Fail(ErrorCode::kInvalidArgument,
                  "mAP needs a model that takes one image at a time, but this model takes " +
                      HumanCount(run.row_count));
    }
    CBOARD_ASSIGN_OR_RETURN(const std::vector<Detection> detections, DetectionsOf(run.outputs));
    scores_.AddImage(detections, labels_[run.first_row]);
    return {};
  }

  void Finish(Metrics& scores) const override {
    if (metrics_.contains("map50")) scores["map50"] = scores_.MeanAveragePrecision50();
    if (metrics_.contains("map")) scores["map"] = scores_.MeanAveragePrecision();
  }

 private:
  std::vector<std::vector<LabeledBox>> labels_;
  std::set<std::string> metrics_;
  DetectionScores scores_;
};

class TextScorer final : public Scorer {
 public:
  TextScorer(std::vector<std::string> labels, std::vector<std::string> vocabulary,
             std::set<std::string> metrics)
      : labels_(std::move(labels)),
        vocabulary_(std::move(vocabulary)),
        metrics_(std::move(metrics)) {}

  Result<void> Add(const ScoredRun& run) override {
    if (run.outputs.tensors().empty()) {
      return Fail(
          ErrorCode::kInvalidArgument,
          "the model has no output of numbers; evaluate it with --eval and a command of your own");
    }
    const runtime::NamedTensor& output = run.outputs.tensors()[0];
    CBOARD_ASSIGN_OR_RETURN(const std::vector<double> values, tensor::ToDoubles(output.tensor));
    const bool has_logits =
        !output.tensor.shape.empty() &&
        output.tensor.shape.back() == static_cast<std::int64_t>(vocabulary_.size());
    const bool has_tokens =
        std::ranges::all_of(values, [](double value) { return value == std::floor(value); });
    if (!has_logits && !has_tokens) {
      return Fail(
          ErrorCode::kInvalidArgument,
          "output " + Quoted(output.name) + " is " + ShapeText(output.tensor.shape) +
              ", but the file of --vocabulary has " + HumanCount(vocabulary_.size()) +
              " tokens; give a file with one line for each of the " +
              (output.tensor.shape.empty()
                   ? std::string("logits")
                   : HumanCount(static_cast<std::size_t>(output.tensor.shape.back())) + " logits") +
              ", the blank token first");
    }
    const std::size_t step = has_logits ? vocabulary_.size() : 1;
    const std::size_t positions = values.size() / step;
    if (positions % run.row_count != 0) {
      return Fail(ErrorCode::kInvalidArgument,
                  "output " + Quoted(output.name) + " is " + ShapeText(output.tensor.shape) +
                      "; the metrics wer and cer need an output of tokens, or of logits for the " +
                      HumanCount(vocabulary_.size()) + " tokens of the vocabulary");
    }
    const std::size_t length = positions / run.row_count;
    for (std::size_t row = 0; row < run.row_count; ++row) {
      std::vector<std::int64_t> tokens;
      for (std::size_t i = row * length; i < (row + 1) * length; ++i) {
        tokens.push_back(has_logits ? ArgMax(std::span(values).subspan(i * step, step))
                                    : std::llround(values[i]));
      }
      if (has_logits) tokens = DecodeCtc(tokens, kBlank);
      const std::string text = TextOf(tokens);
      const std::string& label = labels_[run.first_row + row];
      words_.Add(WordsOf(label), WordsOf(text));
      characters_.Add(CharactersOf(label), CharactersOf(text));
    }
    return {};
  }

  void Finish(Metrics& scores) const override {
    if (metrics_.contains("wer")) scores["wer"] = words_.Rate();
    if (metrics_.contains("cer")) scores["cer"] = characters_.Rate();
  }

 private:
  static constexpr std::int64_t kBlank = 0;

  // Returns the text of tokens. Tokens outside of the vocabulary are padding and are skipped. "|"
  // (wav2vec 2.0) and "▁" (SentencePiece) are spaces. Leading and trailing spaces are removed.
  std::string TextOf(const std::vector<std::int64_t>& tokens) const {
    std::string text;
    for (const std::int64_t token : tokens) {
      if (token <= kBlank || static_cast<std::size_t>(token) >= vocabulary_.size()) continue;
      text += vocabulary_[static_cast<std::size_t>(token)];
    }
    for (const std::string_view blank : {"|", "▁"}) {
      for (std::size_t at; (at = text.find(blank)) != text.npos;) {
        text.replace(at, blank.size(), " ");
      }
    }
    while (text.starts_with(' ')) text.erase(0, 1);
    while (text.ends_with(' ')) text.pop_back();
    return text;
  }

  std::vector<std::string> labels_;
  std::vector<std::string> vocabulary_;
  std::set<std::string> metrics_;
  TextErrors words_, characters_;
};

}  // namespace

Result<std::unique_ptr<Scorer>> MakeDetectionScorer(const ScorerOptions& options) {
  CBOARD_ASSIGN_OR_RETURN(auto labels, ReadBoxLabels(options.labels, options.sample_count));
  return std::make_unique<DetectionScorer>(std::move(labels), options.metrics);
}

Result<std::unique_ptr<Scorer>> MakeTextScorer(const ScorerOptions& options) {
  CBOARD_ASSIGN_OR_RETURN(auto labels, ReadTextLabels(options.labels));
  CBOARD_ASSIGN_OR_RETURN(auto vocabulary, ReadTextLabels(options.vocabulary));
  if (labels.size() != options.sample_count) {
    return Fail(ErrorCode::kInvalidArgument,
                "there are " + HumanCount(labels.size()) + " lines in " +
                    Quoted(options.labels.string(), 1000) + " and " +
                    HumanCount(options.sample_count) +
                    " samples in the data; give one line for each sample");
  }
  return std::make_unique<TextScorer>(std::move(labels), std::move(vocabulary), options.metrics);
}

}  // namespace cboard::benchmark
