#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "cli/reports/reports.h"
#include "cli/reports/text_table.h"

namespace cboard::cli {
namespace {

using benchmark::ModelBenchmark;
using benchmark::RatioEstimate;
using benchmark::VariantBenchmark;

// Formats a number with three significant digits: 0.0123, 1.23, 12.3, 123.
std::string Digits(double value) {
  std::array<char, 32> text;
  const double size = std::abs(value);
  const char* const format = size >= 100  ? "%.0f"
                             : size >= 10 ? "%.1f"
                             : size >= 1  ? "%.2f"
                                          : "%.3g";
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string Ratio(const RatioEstimate& ratio) {
  std::array<char, 96> text;
  std::snprintf(text.data(), text.size(), "%.3fx [%.3f, %.3f]", ratio.ratio, ratio.low, ratio.high);
  return text.data();
}

std::string PercentileText(const VariantBenchmark& variant, double share) {
  if (!variant.latency) return "";
  const auto value = benchmark::PercentileOf(variant.latency->samples_ms, share);
  return value ? Digits(*value) : "too few";
}

std::string ScoreText(const Metrics& scores) {
  std::string text;
  for (const auto& [name, value] : scores) {
    std::array<char, 32> number;
    std::snprintf(number.data(), number.size(), "%.4g", value);
    text += (text.empty() ? "" : ", ") + name + " " + number.data();
  }
  return text;
}

std::string VariantTable(const ModelBenchmark& model) {
  TextTable table({{"variant"},
                   {"p50 ms", Align::kRight},
                   {"mean ms", Align::kRight},
                   {"p99 ms", Align::kRight},
                   {"CPU ms", Align::kRight},
                   {"speedup [95 % interval]"},
                   {"verdict"},
                   {"samples/s", Align::kRight},
                   {"size MB", Align::kRight},
                   {"memory MB", Align::kRight},
                   {"mJ", Align::kRight},
                   {"scores"}});
  for (const VariantBenchmark& variant : model.variants) {
    if (!variant.is_measured()) continue;
    const bool is_baseline = variant.name == model.baseline;
    const bool has_latency = variant.latency.has_value();
    const bool is_compared =
        has_latency && !is_baseline && variant.latency->speedup.block_count > 0;
    constexpr double kMegabyte = 1e6;
    table.AddRow(
        {variant.name, PercentileText(variant, 0.5),
         has_latency ? Digits(variant.latency->mean_ms) : "", PercentileText(variant, 0.99),
         has_latency ? Digits(variant.latency->cpu_median_ms) : "",
         is_compared ? Ratio(variant.latency->speedup) : "",
         is_baseline   ? "baseline"
         : is_compared ? std::string(NameOf(variant.latency->verdict))
                       : "",
         variant.throughput ? Digits(variant.throughput->samples_per_second) : "",
         Digits(static_cast<double>(variant.size_bytes) / kMegabyte),
         variant.memory ? Digits(static_cast<double>(variant.memory->peak_bytes) / kMegabyte) : "",
         variant.energy ? Digits(variant.energy->millijoules_per_run) : "",
         ScoreText(variant.scores)});
  }
  table.DropEmptyColumns();
  return table.Render();
}

// Prints sentences about variants. A sentence that holds for all variants is printed once.
class VariantSentences {
 public:
  void Add(const std::string& variant, const std::string& what, const std::string& why) {
    const auto found = std::ranges::find_if(
        sentences_, [&](const Sentence& known) { return known.what == what && known.why == why; });
    if (found == sentences_.end()) {
      sentences_.push_back({what, why, {variant}});
    } else {
      found->variants.push_back(variant);
    }
  }
  void AddVariant() { ++variant_count_; }

  // Formats an omitted metric: "latency_p99_ms (int8): not enough samples".
  std::vector<std::string> Sentences() const {
    std::vector<std::string> texts;
    for (const Sentence& sentence : sentences_) {
      std::string names;
      for (const std::string& variant : sentence.variants) {
        names += (names.empty() ? "" : ", ") + Printable(variant);
      }
      texts.push_back(Printable(sentence.what) +
                      (sentence.variants.size() == variant_count_ ? "" : " (" + names + ")") +
                      ": " + Printable(sentence.why));
    }
    return texts;
  }

 private:
  struct Sentence {
    std::string what;
    std::string why;
    std::vector<std::string> variants;
  };
  std::vector<Sentence> sentences_;
  std::size_t variant_count_ = 0;
};

// Returns a sentence about a wide interval of a speedup. Empty if the interval is narrow, and if
// there are too few blocks for a verdict, because not_measured then contains the reason.
std::string WideIntervalText(const VariantBenchmark& variant) {
  constexpr double kWantedWidth = 0.02;
  if (!variant.latency || variant.latency->speedup.block_count < benchmark::kMinBlocks) return "";
  const double width = variant.latency->speedup.RelativeWidth();
  if (width <= kWantedWidth) return "";
  return "\nThe interval of " + Printable(variant.name) + " is " + Digits(100 * width) +
         " % wide, more than the wanted 2 %: give more time with --time, or end other programs.\n";
}

}  // namespace

std::string BenchmarkText(const ModelBenchmark& model) {
  std::string text =
      Printable(model.model) + ": " + Plural(model.block_count, "block") +
      " of interleaved runs; " + Digits(model.seconds) + " s in all; ONNX Runtime " +
      Printable(model.runtime_version) + ", " + Printable(model.provider) + ", " +
      Plural(static_cast<std::size_t>(model.threads), "thread") + ", batch " +
      std::to_string(model.batch) + ", " +
      Printable(model.machine.instruction_set.empty() ? model.machine.architecture
                                                      : model.machine.instruction_set) +
      "; samples: " + Printable(model.data) + "\n\n";
  text += VariantTable(model);
  for (const VariantBenchmark& variant : model.variants) {
    if (!variant.is_measured()) {
      text +=
          "\n" + Printable(variant.name) + " was not measured: " + Printable(variant.error) + "\n";
    }
  }
  VariantSentences invalid, not_measured;
  for (const VariantBenchmark& variant : model.variants) {
    if (!variant.is_measured()) continue;
    for (const std::string& reason : variant.why_invalid) invalid.Add(variant.name, "", reason);
    for (const compression::Omission& omission : variant.not_measured) {
      not_measured.Add(variant.name, omission.what, omission.reason);
    }
    invalid.AddVariant();
    not_measured.AddVariant();
  }
  for (const std::string& sentence : invalid.Sentences()) {
    text += "\nNot valid" + sentence + "\n";
  }
  if (model.basis == benchmark::TimeBasis::kCpu) {
    text += "\nThe runs were interrupted, so that speedups and verdicts come from CPU time.\n";
  }
  for (const VariantBenchmark& variant : model.variants) {
    text += WideIntervalText(variant);
  }
  for (const VariantBenchmark& variant : model.variants) {
    for (const benchmark::SlowReason& reason : variant.why_slower) {
      text += "\nWhy " + Printable(variant.name) +
              " is not faster: " + Printable(reason.explanation) + "\n";
    }
  }
  const std::vector<std::string> omissions = not_measured.Sentences();
  if (!omissions.empty()) text += "\nNot measured:\n";
  for (const std::string& omission : omissions) text += "  " + omission + "\n";
  if (!model.is_complete) text += "\nThe benchmark is not complete.\n";
  return text;
}

}  // namespace cboard::cli
