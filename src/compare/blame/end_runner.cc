#include "compare/blame/end_runner.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <thread>
#include <unordered_set>
#include <utility>

#include "base/parallel.h"
#include "cboard/tensor/statistics.h"
#include "compare/measure/compared_samples.h"
#include "compare/measure/end_outputs.h"
#include "compare/verdict/evaluate_ends.h"

namespace cboard::compare {
namespace {

constexpr std::size_t kMaxKeptAnswerBytes = std::size_t{256} << 20;

double NoiseOfHead(const HeadVerdict& head) {
  const bool has_labels = std::isnan(head.judged_sqnr_db) && head.agreement;
  if (has_labels) return 1 - *head.agreement;
  const double db = head.judged_sqnr_db;
  if (std::isnan(db)) return head.level == VerdictLevel::kBroken ? kMaxCost : kMinCost;
  return std::pow(10, -db / 10);
}

double CostOfHead(const HeadVerdict& head) {
  if (head.use != HeadUse::kFeatures || !head.mean_cosine) return NoiseOfHead(head);
  // The squared distance between the two unit vectors. For small errors it equals the
  // noise-to-signal ratio.
  return 2 * (1 - *head.mean_cosine);
}

// Returns the CPU time of this thread in seconds.
double CpuSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::size_t SamplesAtOnce() {
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMaxThreads);
}

// A copy of a sample's inputs. It stays valid when the next sample is read.
class KeptInputs {
 public:
  explicit KeptInputs(const std::vector<runtime::NamedTensor>& inputs) {
    bytes_.reserve(inputs.size());
    for (const runtime::NamedTensor& input : inputs) {
      const TensorView& tensor = input.tensor;
      bytes_.emplace_back(static_cast<const char*>(tensor.data),
                          tensor.element_count() * SizeOf(tensor.dtype));
      tensors_.push_back(
          {input.name, TensorView(tensor.dtype, bytes_.back().data(), tensor.shape)});
    }
  }

  const std::vector<runtime::NamedTensor>& tensors() const { return tensors_; }

 private:
  std::vector<std::string> bytes_;
  std::vector<runtime::NamedTensor> tensors_;
};

}  // namespace

double EndState::SqnrDb() const { return -10 * std::log10(noise); }

void SetCost(const EndVerdict& damaged, EndState& state) {
  double cost = 0, noise = 0;
  std::size_t count = 0;
  const EndVerdict& verdict = state.verdict;
  for (std::size_t i = 0; i < damaged.outputs.size(); ++i) {
    for (std::size_t h = 0; h < damaged.outputs[i].heads.size(); ++h) {
      if (damaged.outputs[i].heads[h].level < VerdictLevel::kDegraded) continue;
      ++count;
      const bool is_there = i < verdict.outputs.size() && h < verdict.outputs[i].heads.size() &&
                            verdict.outputs[i].heads.size() == damaged.outputs[i].heads.size();
      const HeadVerdict* head = is_there ? &verdict.outputs[i].heads[h] : nullptr;
      cost += is_there ? std::clamp(CostOfHead(*head), kMinCost, kMaxCost) : kMaxCost;
      noise += is_there ? std::clamp(NoiseOfHead(*head), kMinCost, kMaxCost) : kMaxCost;
    }
  }
  const double heads = static_cast<double>(std::max<std::size_t>(count, 1));
  state.cost = std::clamp(cost / heads, kMinCost, kMaxCost);
  state.noise = std::clamp(noise / heads, kMinCost, kMaxCost);
}

Result<EndRunner> EndRunner::Open(const model::ModelGraph& baseline,
                                  const model::ModelGraph& variant, const EndVerdict& as_it_is,
                                  const CompareOptions& options, std::size_t max_samples) {
  const EndGatherer gatherer(baseline, variant);
  std::unordered_set<std::string> outputs;
  for (const EndPair& pair : PairEnds(baseline, variant)) {
    outputs.insert(baseline.tensor(pair.baseline).name);
  }
  CBOARD_ASSIGN_OR_RETURN(
      const runtime::ModelCapture capture,
      runtime::ModelCapture::Open(baseline.path(), {.tensors = gatherer.BaselineTensors(),
                                                    .edits = {},
                                                    .max_constant_bytes = {},
                                                    .session = {.threads = 1}}));
  CBOARD_ASSIGN_OR_RETURN(
      auto source,
      OpenComparedSamples(baseline, variant, capture.session().inputs(), options, max_samples));
  EndRunner runner(baseline, variant, as_it_is, std::move(source));
  std::size_t bytes = 0;
  const std::size_t count = std::min(max_samples, runner.source_->size());
  for (std::size_t i = 0; i < count; ++i) {
    CBOARD_ASSIGN_OR_RETURN(const auto inputs, runner.source_->Read(i));
    const double before = CpuSeconds();
    CBOARD_ASSIGN_OR_RETURN(const runtime::RunResult result, capture.Run(inputs));
    runner.cpu_seconds_ += CpuSeconds() - before;
    std::vector<CapturedOutput> captured;
    for (const runtime::NamedTensor& tensor : result.tensors()) {
      CapturedOutput output{tensor.name, tensor.tensor.dtype, tensor.tensor.shape, {}};
      if (outputs.contains(tensor.name)) {
        const std::size_t size = tensor.tensor.byte_count();
        output.bytes.assign(static_cast<const char*>(tensor.tensor.data), size);
        bytes += size;
      } else if (i > 0) {
        continue;  // The first sample determines the layout of channels.
      }
      captured.push_back(std::move(output));
    }
    if (bytes > kMaxKeptAnswerBytes && i > 0) break;
    runner.captured_.push_back(std::move(captured));
  }
  return runner;
}

std::vector<std::string> EndRunner::VariantTensors() const {
  return EndGatherer(*baseline_, *variant_).VariantTensors();
}

Result<std::unordered_map<std::string, CodeRange>> EndRunner::RangesOnZeros(
    const std::vector<std::string>& tensors) {
  CBOARD_ASSIGN_OR_RETURN(
      const runtime::ModelCapture capture,
      runtime::ModelCapture::Open(
          baseline_->path(),
          {.tensors = tensors, .edits = {}, .max_constant_bytes = {}, .session = {}}));
  CBOARD_ASSIGN_OR_RETURN(const auto inputs, source_->Read(0));
  std::vector<std::string> zeros;
  std::vector<runtime::NamedTensor> blank;
  zeros.reserve(inputs.size());
  for (const runtime::NamedTensor& input : inputs) {
    zeros.emplace_back(input.tensor.byte_count(), '\0');
    blank.push_back(
        {input.name, TensorView(input.tensor.dtype, zeros.back().data(), input.tensor.shape)});
  }
  const double before = CpuSeconds();
  CBOARD_ASSIGN_OR_RETURN(const runtime::RunResult result, capture.Run(blank));
  cpu_seconds_ += CpuSeconds() - before;
  std::unordered_map<std::string, CodeRange> ranges;
  for (const runtime::NamedTensor& computed : result.tensors()) {
    if (!IsFloat(computed.tensor.dtype)) continue;
    const auto values = tensor::ComputeStatistics(computed.tensor);
    if (!values || values->finite_count() == 0) continue;
    ranges.emplace(computed.name, CodeRange{values->min, values->max});
  }
  return ranges;
}

Result<EndState> EndRunner::Measure(const SwitchBoard& board, const Settings& settings,
                                    std::size_t samples) {
  EndGatherer gatherer(*baseline_, *variant_);
  samples = std::min(samples, captured_.size());
  const std::size_t at_once = SamplesAtOnce();
  for (std::size_t first = 0; first < samples; first += at_once) {
    const std::size_t count = std::min(at_once, samples - first);
    std::vector<KeptInputs> inputs;
    for (std::size_t i = 0; i < count; ++i) {
      CBOARD_ASSIGN_OR_RETURN(const auto read, source_->Read(first + i));
      inputs.emplace_back(read);
    }
    std::vector<std::optional<runtime::RunResult>> results(count);
    std::vector<double> seconds(count);
    CBOARD_RETURN_IF_ERROR(ForEachInParallel(
        count,
        [&](std::size_t, std::size_t i) -> Result<void> {
          const double before = CpuSeconds();
          CBOARD_ASSIGN_OR_RETURN(results[i], board.Run(inputs[i].tensors(), settings));
          seconds[i] = CpuSeconds() - before;
          return {};
        },
        nullptr, ParallelOptions::ForLargeItems()));
    for (std::size_t i = 0; i < count; ++i) {
      cpu_seconds_ += seconds[i];
      CBOARD_RETURN_IF_ERROR(AddSample(first + i, inputs[i].tensors(), *results[i], gatherer));
      results[i].reset();
    }
  }
  EndState state{.verdict = EvaluateEnds(gatherer.Build(), samples, source_->is_generated(),
                                         source_->Description())};
  SetCost(*as_it_is_, state);
  return state;
}

Result<void> EndRunner::AddSample(std::size_t index, std::span<const runtime::NamedTensor> inputs,
                                  const runtime::RunResult& result, EndGatherer& gatherer) const {
  std::vector<runtime::NamedTensor> ours(inputs.begin(), inputs.end());
  for (const CapturedOutput& output : captured_[index]) {
    ours.push_back({output.name, TensorView(output.dtype, output.bytes.data(), output.shape)});
  }
  return gatherer.Add([&](std::size_t side, const std::string& name) -> const TensorView* {
    if (side == 1) return result.Find(name);
    const auto found = std::ranges::find(ours, name, &runtime::NamedTensor::name);
    return found == ours.end() ? nullptr : &found->tensor;
  });
}

}  // namespace cboard::compare
