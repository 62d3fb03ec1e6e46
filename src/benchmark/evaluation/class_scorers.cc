// Scorers for numeric labels: classes, values, next tokens.
#include <algorithm>
#include <cmath>

#include "benchmark/evaluation/labels.h"
#include "benchmark/evaluation/scorers.h"
#include "cboard/base/strings.h"
#include "cboard/benchmark/classification_scores.h"
#include "cboard/benchmark/text_scores.h"
#include "cboard/tensor/convert.h"

namespace cboard::benchmark {
namespace {

Result<const runtime::NamedTensor*> FirstOutput(const runtime::RunResult& outputs) {
  if (outputs.tensors().empty()) {
    return Fail(
        ErrorCode::kInvalidArgument,
        "the model has no output of numbers; evaluate it with --eval and a command of your own");
  }
  return &outputs.tensors()[0];
}

Result<NumberLabels> LabelsFor(const ScorerOptions& options) {
  CBOARD_ASSIGN_OR_RETURN(NumberLabels labels,
                          ReadNumberLabels(options.labels, options.labels_array));
  if (labels.sample_count != options.sample_count) {
    return Fail(ErrorCode::kInvalidArgument,
                "there are " + HumanCount(labels.sample_count) + " labels in " +
                    Quoted(labels.name, 200) + " and " + HumanCount(options.sample_count) +
                    " samples in the data; give one label for each sample");
  }
  for (std::size_t i = 0; i < labels.values.size(); ++i) {
    if (std::isfinite(labels.values[i])) continue;
    return Fail(ErrorCode::kInvalidArgument,
                "the label of sample " + HumanCount(i / labels.row_size) + " in " +
                    Quoted(labels.name, 200) + " is NaN or infinite; give finite numbers");
  }
  return labels;
}

// Returns part `row` of `values`, which is divided into `rows` equal parts.
std::span<const double> RowOf(const std::vector<double>& values, std::size_t row,
                              std::size_t rows) {
  const std::size_t size = values.size() / rows;
  return std::span(values).subspan(row * size, size);
}

// Returns true if the output has one list of numbers per sample: besides the first dimension, at
// most one dimension is larger than 1.
bool IsOneList(const runtime::NamedTensor& output) {
  const auto& shape = output.tensor.shape;
  return std::ranges::count_if(shape.begin() + (shape.size() > 1 ? 1 : 0), shape.end(),
                               [](std::int64_t size) { return size > 1; }) <= 1;
}

class ClassificationScorer final : public Scorer {
 public:
  ClassificationScorer(NumberLabels labels, std::set<std::string> metrics)
      : labels_(std::move(labels)), metrics_(std::move(metrics)) {}

  Result<void> Add(const ScoredRun& run) override {
    CBOARD_ASSIGN_OR_RETURN(const runtime::NamedTensor* const output, FirstOutput(run.outputs));
    CBOARD_ASSIGN_OR_RETURN(const std::vector<double> values, tensor::ToDoubles(output->tensor));
    if (values.size() % run.row_count != 0 || values.empty() || !IsOneList(*output)) {
      return Fail(ErrorCode::kInvalidArgument,
                  "output " + Quoted(output->name) + " is " + ShapeText(output->tensor.shape) +
                      ", but class metrics need one list of class scores per sample; use --eval "
                      "with a command of your own");
    }
    for (std::size_t i = 0; i < run.row_count; ++i) {
      const std::span<const double> row = RowOf(values, i, run.row_count);
      const auto label = std::llround(labels_.values[run.first_row + i]);
      if (row.size() == 1) {
        // A single number per sample is the class, or the probability of class 1.
        const bool is_class = row[0] == std::floor(row[0]);
        if (!is_class && !(row[0] >= 0 && row[0] <= 1)) {
          return Fail(ErrorCode::kInvalidArgument,
                      "output " + Quoted(output->name) + " is " + ShortestDecimal(row[0]) +
                          " for sample " + HumanCount(run.first_row + i) +
                          ", which is neither a class nor a probability; use mse, or --eval with a "
                          "command of your own");
        }
        scores_.AddClass(std::llround(row[0]), label);
      } else {
        if (label < 0 || static_cast<std::size_t>(label) >= row.size()) {
          return Fail(ErrorCode::kInvalidArgument,
                      "the label of sample " + HumanCount(run.first_row + i) + " is " +
                          std::to_string(label) + ", but output " + Quoted(output->name) +
                          " has classes 0 to " + HumanCount(row.size() - 1));
        }
        scores_.Add(row, label);
      }
    }
    return {};
  }

  void Finish(Metrics& scores) const override {
    scores["accuracy"] = scores_.Top1();
    scores["f1_score"] = scores_.F1Macro();
    if (metrics_.contains("top5")) scores["accuracy_top5"] = scores_.Top5();
    if (metrics_.contains("f1_weighted")) scores["f1_weighted"] = scores_.F1Weighted();
  }

 private:
  NumberLabels labels_;
  std::set<std::string> metrics_;
  ClassificationScores scores_;
};

// Compares outputs with labels if there are any, otherwise with the baseline's outputs.
class SimilarityScorer final : public Scorer {
 public:
  SimilarityScorer(std::optional<NumberLabels> labels, std::set<std::string> metrics)
      : labels_(std::move(labels)), metrics_(std::move(metrics)) {}

  Result<void> Add(const ScoredRun& run) override {
    CBOARD_ASSIGN_OR_RETURN(const runtime::NamedTensor* const output, FirstOutput(run.outputs));
    CBOARD_ASSIGN_OR_RETURN(const std::vector<double> values, tensor::ToDoubles(output->tensor));
    std::vector<double> baseline;
    if (run.baseline != nullptr) {
      CBOARD_ASSIGN_OR_RETURN(const runtime::NamedTensor* const other, FirstOutput(*run.baseline));
      CBOARD_ASSIGN_OR_RETURN(baseline, tensor::ToDoubles(other->tensor));
    } else if (!labels_ || metrics_.contains("agreement")) {
      return Fail(ErrorCode::kInvalidArgument,
                  "there is no baseline whose outputs could be compared; give the file of the "
                  "baseline, or labels");
    }
    if (metrics_.contains("agreement")) {
      CBOARD_RETURN_IF_ERROR(AddAgreement(run, *output, values, baseline));
    }
    const std::span<const double> wanted =
        labels_ ? std::span<const double>(labels_->values)
                      .subspan(run.first_row * labels_->row_size, run.row_count * labels_->row_size)
                : std::span<const double>(baseline);
    const bool needs_values = metrics_.contains("mse") || metrics_.contains("cosine");
    if (needs_values && wanted.size() != values.size()) {
      return Fail(ErrorCode::kInvalidArgument,
                  "output " + Quoted(output->name) + " has " + HumanCount(values.size()) +
                      " values, but " + (labels_ ? "its labels have " : "the baseline has ") +
                      HumanCount(wanted.size()));
    }
    if (!needs_values) return {};
    double dot = 0, own = 0, other = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double error = values[i] - wanted[i];
      squares_ += error * error;
      dot += values[i] * wanted[i];
      own += values[i] * values[i];
      other += wanted[i] * wanted[i];
    }
    value_count_ += values.size();
    cosines_ += own == 0 && other == 0   ? 1
                : own == 0 || other == 0 ? 0
                                         : dot / std::sqrt(own * other);
    ++run_count_;
    return {};
  }

  void Finish(Metrics& scores) const override {
    if (metrics_.contains("mse")) scores["mse"] = squares_ / static_cast<double>(value_count_);
    if (metrics_.contains("cosine")) scores["cosine"] = cosines_ / static_cast<double>(run_count_);
    if (metrics_.contains("agreement")) {
      scores["agreement"] = static_cast<double>(agreed_) / static_cast<double>(sample_count_);
    }
  }

 private:
  // Counts equal decisions (arg max): one per sample, or one per row of the last dimension if a
  // sample has several rows.
  Result<void> AddAgreement(const ScoredRun& run, const runtime::NamedTensor& output,
                            const std::vector<double>& values,
                            const std::vector<double>& baseline) {
    if (values.size() != baseline.size() || values.size() % run.row_count != 0) {
      return Fail(ErrorCode::kInvalidArgument,
                  "the outputs of variant and baseline have different numbers of values: " +
                      HumanCount(values.size()) + " and " + HumanCount(baseline.size()));
    }
    const std::size_t rows =
        IsOneList(output) || values.empty()
            ? run.row_count
            : values.size() / static_cast<std::size_t>(output.tensor.shape.back());
    for (std::size_t i = 0; i < rows; ++i) {
      const auto own = RowOf(values, i, rows), other = RowOf(baseline, i, rows);
      const bool is_class = own.size() == 1;
      agreed_ += is_class ? own[0] == other[0] : ArgMax(own) == ArgMax(other);
      ++sample_count_;
    }
    return {};
  }

  std::optional<NumberLabels> labels_;
  std::set<std::string> metrics_;
  double squares_ = 0;
  double cosines_ = 0;
  std::size_t value_count_ = 0;
  std::size_t run_count_ = 0;
  std::size_t agreed_ = 0;
  std::size_t sample_count_ = 0;
};

class PerplexityScorer final : public Scorer {
 public:
  explicit PerplexityScorer(NumberLabels labels) : labels_(std::move(labels)) {}

  Result<void> Add(const ScoredRun& run) override {
    CBOARD_ASSIGN_OR_RETURN(const runtime::NamedTensor* const output, FirstOutput(run.outputs));
    CBOARD_ASSIGN_OR_RETURN(const std::vector<double> values, tensor::ToDoubles(output->tensor));
    const std::size_t positions = run.row_count * labels_.row_size;
    if (positions == 0 || values.empty() || values.size() % positions != 0) {
      return Fail(ErrorCode::kInvalidArgument,
                  "output " + Quoted(output->name) + " is " + ShapeText(output->tensor.shape) +
                      ", but perplexity needs one list of logits for each of the " +
                      HumanCount(labels_.row_size) + " labels of a sample");
    }
    for (std::size_t i = 0; i < positions; ++i) {
      perplexity_.Add(RowOf(values, i, positions),
                      std::llround(labels_.values[run.first_row * labels_.row_size + i]));
    }
    return {};
  }

  void Finish(Metrics& scores) const override { scores["perplexity"] = perplexity_.Value(); }

 private:
  NumberLabels labels_;
  Perplexity perplexity_;
};

}  // namespace

Result<std::unique_ptr<Scorer>> MakeClassificationScorer(const ScorerOptions& options) {
  CBOARD_ASSIGN_OR_RETURN(NumberLabels labels, LabelsFor(options));
  if (labels.row_size != 1) {
    return Fail(ErrorCode::kInvalidArgument, "the label array " + Quoted(labels.name, 200) +
                                                 " has " + HumanCount(labels.row_size) +
                                                 " numbers per sample, but the metrics top1, top5 "
                                                 "and F1 need one class number per sample");
  }
  return std::make_unique<ClassificationScorer>(std::move(labels), options.metrics);
}

Result<std::unique_ptr<Scorer>> MakeSimilarityScorer(const ScorerOptions& options) {
  std::optional<NumberLabels> labels;
  const bool only_agreement = options.metrics.size() == 1 && options.metrics.contains("agreement");
  if (!options.labels.empty() && !only_agreement) {
    CBOARD_ASSIGN_OR_RETURN(labels, LabelsFor(options));
  }
  return std::make_unique<SimilarityScorer>(std::move(labels), options.metrics);
}

Result<std::unique_ptr<Scorer>> MakePerplexityScorer(const ScorerOptions& options) {
  CBOARD_ASSIGN_OR_RETURN(NumberLabels labels, LabelsFor(options));
  return std::make_unique<PerplexityScorer>(std::move(labels));
}

}  // namespace cboard::benchmark
