// Reads histograms in their stored form, and as TensorBoard's loaders convert them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "cboard/base/strings.h"
#include "cboard/proto/summary.h"
#include "cboard/reader/histogram_query.h"
#include "reader/query/value_view.h"

namespace cboard::reader {
namespace {

using proto::ParsedHistogram;

Result<std::vector<HistogramBin>> BinsOfTensor(const proto::Tensor& tensor) {
  if (tensor.unknown_rank || tensor.shape.size() != 2 || tensor.shape[1] != 3) {
    return Fail(ErrorCode::kDataLoss, "the logged tensor of a histogram has rank " +
                                          std::to_string(tensor.shape.size()) +
                                          ", but must have the shape [bins, 3]");
  }
  CBOARD_ASSIGN_OR_RETURN(const std::vector<double> numbers,
                          proto::ReadNumbers(tensor, kMaxHistogramBins * 3));
  std::vector<HistogramBin> bins(numbers.size() / 3);
  for (std::size_t i = 0; i < bins.size(); ++i) {
    bins[i] = {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
  }
  return bins;
}

Result<ParsedHistogram> ParseProto(std::string_view bytes) {
  // The two packed lists of doubles are limited by the size of the message.
  if (bytes.size() / (2 * sizeof(double)) > kMaxHistogramBins) {
    return Fail(ErrorCode::kResourceExhausted, "the logged histogram of " +
                                                   HumanBytes(static_cast<double>(bytes.size())) +
                                                   " has too many bins to show; the maximum is " +
                                                   std::to_string(kMaxHistogramBins));
  }
  return proto::ParseHistogram(bytes);
}

// True if the limits are left edges, as the Model Compression Toolkit writes them. Its histograms
// differ from others in this way: `num` is the number of bins, and the first bin begins at the min
// and contains values. If limits are right edges, `num` is the sum of the counts, and a bin that
// ends at the min contains only values equal to the min. The toolkit writes the last left edge as
// the max; other programs with left edges write the right end of the last bin.
bool HasLeftEdges(const ParsedHistogram& histogram) {
  const auto& limits = histogram.bucket_limits;
  const auto& counts = histogram.bucket_counts;
  if (limits.size() < 2 || histogram.num != static_cast<double>(limits.size()) ||
      limits.front() != histogram.min) {
    return false;
  }
  if (histogram.max > limits.back()) return true;
  return histogram.max == limits.back() && counts.front() > 0 &&
         std::accumulate(counts.begin(), counts.end(), 0.0) != histogram.num;
}

// Returns the right end of the last bin if limits are left edges. It is the max. If the max is only
// the left edge of the last bin, it is one bin width further right.
double EndOfLastBin(const ParsedHistogram& histogram) {
  const auto& limits = histogram.bucket_limits;
  const double last = limits.back();
  return histogram.max > last ? histogram.max : last + (last - limits[limits.size() - 2]);
}

// True if the edge is the largest representable number. TensorFlow writes it for a bin of all
// larger values.
bool IsOpenEnd(double edge) { return std::abs(edge) >= std::numeric_limits<double>::max(); }

// Removes empty bins at both ends. They contain no information.
void DropEmptyEnds(std::vector<HistogramBin>& bins) {
  const auto is_filled = [](const HistogramBin& bin) { return bin.count > 0; };
  bins.erase(bins.begin(), std::ranges::find_if(bins, is_filled));
  while (!bins.empty() && !is_filled(bins.back())) bins.pop_back();
}

// Makes the first bin begin at the min and the last bin end at the max: exponential bins extend
// beyond them by up to a tenth of the value.
void EndAtExtremes(std::vector<HistogramBin>& bins, const HistogramMoments& moments) {
  if (bins.empty()) return;
  HistogramBin& first = bins.front();
  HistogramBin& last = bins.back();
  if (moments.min <= first.right) first.left = std::max(first.left, moments.min);
  if (moments.max >= last.left) last.right = std::min(last.right, moments.max);
}

// Moves a bin with one infinite edge to its finite edge, and a bin with two infinite edges to
// `unplaced`.
void MakeFinite(LoggedHistogram& data) {
  for (HistogramBin& bin : data.bins) {
    if (IsOpenEnd(bin.left) && !IsOpenEnd(bin.right)) bin.left = bin.right;
    if (IsOpenEnd(bin.right) && !IsOpenEnd(bin.left)) bin.right = bin.left;
    if (IsOpenEnd(bin.left)) data.unplaced += bin.count;
  }
  std::erase_if(data.bins, [](const HistogramBin& bin) { return IsOpenEnd(bin.left); });
}

Result<LoggedHistogram> FromProto(const ParsedHistogram& histogram) {
  const auto& limits = histogram.bucket_limits;
  const auto& counts = histogram.bucket_counts;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    if (std::isnan(limits[i]) || (i > 0 && limits[i] < limits[i - 1])) {
      return Fail(ErrorCode::kDataLoss,
                  "bucket limit " + std::to_string(i) + " of a logged histogram is " +
                      ShortestDecimal(limits[i]) + ", but the limit before it is " +
                      ShortestDecimal(i > 0 ? limits[i - 1] : limits[i]) +
                      "; limits must be in ascending order");
    }
  }
  LoggedHistogram data;
  data.moments = {histogram.min, histogram.max, histogram.sum, histogram.sum_squares};
  data.left_edges = HasLeftEdges(histogram);
  if (data.left_edges) data.moments->max = EndOfLastBin(histogram);
  data.bins.reserve(limits.size());
  for (std::size_t i = 0; i < limits.size(); ++i) {
    HistogramBin bin;
    bin.count = counts[i];
    if (data.left_edges) {
      bin.left = limits[i];
      bin.right = i + 1 < limits.size() ? limits[i + 1] : EndOfLastBin(histogram);
    } else {
      if (i == 0 && bin.count == 0) continue;  // A histogram without values has no left edge.
      bin.right = limits[i];
      bin.left = i > 0 ? limits[i - 1] : histogram.min <= limits[i] ? histogram.min : limits[i];
    }
    // If the values include NaN, min and max are NaN and cannot be edges. The comparisons are then
    // false.
    if (IsOpenEnd(bin.left) && histogram.min <= bin.right) bin.left = histogram.min;
    if (IsOpenEnd(bin.right) && histogram.max >= bin.left) bin.right = histogram.max;
    data.bins.push_back(bin);
  }
  DropEmptyEnds(data.bins);
  EndAtExtremes(data.bins, *data.moments);
  return data;
}

// Converts a double to a float and back, like NumPy.
double Narrow(double value) { return static_cast<double>(static_cast<float>(value)); }

std::vector<HistogramBin> PythonRows(const ParsedHistogram& histogram) {
  const auto& counts = histogram.bucket_counts;
  const auto is_filled = [](double count) { return count > 0; };
  const auto first = std::ranges::find_if(counts, is_filled);
  if (first == counts.end()) return {};
  const auto start = static_cast<std::size_t>(first - counts.begin());
  std::size_t end = counts.size() - 1;
  while (!is_filled(counts[end])) --end;
  std::vector<HistogramBin> rows;
  for (std::size_t i = start; i <= end; ++i) {
    const double left = i == start ? histogram.min : histogram.bucket_limits[i - 1];
    const double right = i == end ? histogram.max : histogram.bucket_limits[i];
    rows.push_back({Narrow(left), Narrow(right), Narrow(counts[i])});
  }
  return rows;
}

std::vector<HistogramBin> RustRows(const ParsedHistogram& histogram) {
  std::vector<HistogramBin> rows;
  const std::size_t size = histogram.bucket_counts.size();
  for (std::size_t i = 0; i < size; ++i) {
    rows.push_back({i == 0 ? histogram.min : histogram.bucket_limits[i - 1],
                    i + 1 == size ? histogram.max : histogram.bucket_limits[i],
                    histogram.bucket_counts[i]});
  }
  return rows;
}

}  // namespace

Result<LoggedHistogram> ParseHistogramValue(std::string_view bytes) {
  CBOARD_ASSIGN_OR_RETURN(const proto::SummaryValue value, ParseValue(bytes));
  LoggedHistogram data;
  if (value.kind == proto::ValueKind::kHistogram) {
    CBOARD_ASSIGN_OR_RETURN(const ParsedHistogram histogram, ParseProto(value.payload));
    CBOARD_ASSIGN_OR_RETURN(data, FromProto(histogram));
  } else {
    CBOARD_ASSIGN_OR_RETURN(const proto::Tensor tensor, TensorOf(value, "a histogram"));
    CBOARD_ASSIGN_OR_RETURN(data.bins, BinsOfTensor(tensor));
    for (const HistogramBin& bin : data.bins) {
      if (std::isnan(bin.left) || std::isnan(bin.right)) {
        return Fail(ErrorCode::kDataLoss,
                    "the logged tensor of a histogram has a bin whose edge is NaN");
      }
    }
    DropEmptyEnds(data.bins);
  }
  MakeFinite(data);
  data.count = data.unplaced;
  for (const HistogramBin& bin : data.bins) data.count += bin.count;
  return data;
}

Result<std::vector<HistogramBin>> TensorBoardBins(std::string_view bytes,
                                                  TensorBoardLoader loader) {
  CBOARD_ASSIGN_OR_RETURN(const proto::SummaryValue value, ParseValue(bytes));
  if (value.kind == proto::ValueKind::kHistogram) {
    CBOARD_ASSIGN_OR_RETURN(const ParsedHistogram histogram, ParseProto(value.payload));
    return loader == TensorBoardLoader::kPython ? PythonRows(histogram) : RustRows(histogram);
  }
  CBOARD_ASSIGN_OR_RETURN(const proto::Tensor tensor, TensorOf(value, "a histogram"));
  return BinsOfTensor(tensor);
}

}  // namespace cboard::reader
