#include "compare/layers/weight_rows.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "cboard/base/strings.h"
#include "compare/layers/attention_heads.h"

namespace cboard::compare {
namespace {

// Maximum number of elements that a file of this size can have: at least two bits per element in
// most formats. A single stored value may stand for any number of elements.
std::size_t MaxElements(const model::ModelGraph& model) { return 8 * model.file_bytes(); }

std::size_t DirectionsOf(const model::ModelGraph& model, const ModelLayer& layer) {
  const auto axis = layer.layout.direction_axis;
  return axis ? static_cast<std::size_t>(model.tensor(layer.weight).shape[*axis]) : 1;
}

// The dimensions of a row in the order of comparison: input channels first, then all other
// dimensions.
std::vector<std::size_t> RowAxesOf(const WeightLayout& layout, std::size_t rank) {
  std::vector<std::size_t> axes;
  if (layout.input_axis) axes.push_back(*layout.input_axis);
  for (std::size_t i = 0; i < rank; ++i) {
    if (i == layout.channel_axis || i == layout.input_axis || i == layout.direction_axis) continue;
    axes.push_back(i);
  }
  return axes;
}

// The position of each output channel in the file. The channels of a second direction follow the
// channels of the first direction.
std::vector<std::size_t> StoredChannels(const model::ModelGraph& model, const ModelLayer& layer) {
  const std::size_t channels = SizeOf(model, layer).channels;
  std::vector<std::size_t> stored;
  stored.reserve(channels);
  const std::size_t directions = DirectionsOf(model, layer);
  for (std::size_t direction = 0; direction < directions; ++direction) {
    for (const ChannelRun& run : layer.layout.channel_order) {
      for (std::size_t i = 0; i < run.count; ++i) {
        stored.push_back(direction * (channels / directions) + run.first + i);
      }
    }
  }
  if (!stored.empty()) return stored;
  for (std::size_t c = 0; c < channels; ++c) {
    stored.push_back(layer.paired_heads == 0 ? c : PairedPlace(layer.paired_heads, channels, c));
  }
  return stored;
}

// Reads as many rows as fit into `rows`, from row `first` on. Each row must be contiguous in the
// file.
void ReadContiguousRows(const model::WeightReader& reader, RowReader::ReadElements read,
                        const StoredPlaces& places, std::size_t first, std::span<float> rows) {
  const std::size_t row = places.elements.size();
  while (!rows.empty()) {
    // Rows that are adjacent in the file are read with one call.
    const std::size_t begin = places.channels[first];
    std::size_t end = begin;
    do {
      end += row;
      ++first;
    } while (end - begin < rows.size() && places.channels[first] == end);
    (reader.*read)(begin, rows.first(end - begin));
    rows = rows.subspan(end - begin);
  }
}

// Returns true if the file stores all channels of an element side by side.
bool AreColumns(const StoredPlaces& places) {
  const std::size_t channels = places.channels.size();
  for (std::size_t i = 0; i < places.elements.size(); ++i) {
    if (places.elements[i] != i * channels) return false;
  }
  return std::ranges::all_of(places.channels, [&](std::size_t place) { return place < channels; });
}

// Transposes elements [first, first + count) of all channels from the file's order (`stored`, which
// starts at position `begin` of the file) into `rows`. Works on tiles that are small enough to stay
// in the CPU cache.
void TurnTiles(std::span<const float> stored, std::size_t begin, const StoredPlaces& places,
               std::size_t first, std::size_t count, std::span<float> rows) {
  constexpr std::size_t kTileRows = 16, kTileElements = 256;
  const std::size_t row = places.elements.size(), all = places.channels.size();
  std::array<std::array<float, kTileElements>, kTileRows> tile;
  for (std::size_t e = first; e < first + count; e += kTileElements) {
    const auto elements =
        std::span(places.elements).subspan(e, std::min(kTileElements, first + count - e));
    for (std::size_t c = 0; c < all; c += kTileRows) {
      const auto channels = std::span(places.channels).subspan(c, std::min(kTileRows, all - c));
      for (std::size_t i = 0; i < elements.size(); ++i) {
        const float* const element = stored.data() + (elements[i] - begin);
        for (std::size_t j = 0; j < channels.size(); ++j) tile[j][i] = element[channels[j]];
      }
      for (std::size_t j = 0; j < channels.size(); ++j) {
        std::ranges::copy(std::span(tile[j]).first(elements.size()),
                          rows.subspan((c + j) * row + e).begin());
      }
    }
  }
}

std::vector<float> ReadAll(const model::WeightReader& reader, RowReader::ReadElements read,
                           const StoredPlaces& places) {
  std::vector<float> rows(reader.element_count());
  if (places.AreRowsContiguous()) {
    ReadContiguousRows(reader, read, places, 0, rows);
    return rows;
  }
  // Reads only a few elements of all channels at a time, so that they stay in the CPU cache.
  constexpr std::size_t kElements = 256;
  const std::size_t row = places.elements.size(), channels = places.channels.size();
  const std::size_t most = AreColumns(places) ? kElements : row;
  std::vector<float> stored(most < row ? most * channels : rows.size());
  for (std::size_t first = 0; first < row; first += most) {
    const std::size_t count = std::min(most, row - first);
    (reader.*read)(first * channels, std::span(stored).first(count * channels));
    TurnTiles(stored, first * channels, places, first, count, rows);
  }
  return rows;
}

// Returns the weights in the mapped file; empty if they are not aligned float32.
std::span<const float> FloatsOf(const model::ModelGraph& model, const ModelLayer& layer) {
  const std::optional<TensorView> view = model.ViewOf(layer.weight);
  const model::ModelTensor& stored = model.tensor(model.tensor(layer.weight).source);
  if (!view || view->quantization || view->dtype != DType::kFloat32 ||
      reinterpret_cast<std::uintptr_t>(view->data) % alignof(float) != 0 ||
      stored.data.size() < view->element_count() * sizeof(float)) {
    return {};
  }
  return {static_cast<const float*>(view->data), view->element_count()};
}

}  // namespace

WeightSize SizeOf(const model::ModelGraph& model, const ModelLayer& layer) {
  const std::vector<std::int64_t>& shape = model.tensor(layer.weight).shape;
  WeightSize size{.channels = static_cast<std::size_t>(shape[layer.layout.channel_axis]) *
                              DirectionsOf(model, layer),
                  .elements = 1};
  for (const std::int64_t length : shape) size.elements *= static_cast<std::size_t>(length);
  return size;
}

bool StoredPlaces::AreRowsContiguous() const {
  return elements.empty() ||
         (std::ranges::is_sorted(elements) && elements.back() == elements.size() - 1);
}

bool StoredPlaces::AreRowsInOrder() const {
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (channels[c] != c * elements.size()) return false;
  }
  return true;
}

StoredPlaces PlacesOf(const model::ModelGraph& model, const ModelLayer& layer) {
  const std::vector<std::int64_t>& shape = model.tensor(layer.weight).shape;
  const auto length = [&](std::size_t axis) { return static_cast<std::size_t>(shape[axis]); };
  std::vector<std::size_t> strides(shape.size());
  std::size_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0; stride *= length(axis)) strides[axis] = stride;

  StoredPlaces places{.channels = StoredChannels(model, layer), .elements = {0}};
  const std::size_t channel_axis = layer.layout.channel_axis;
  for (std::size_t& place : places.channels) {
    const std::size_t direction = place / length(channel_axis);
    place = place % length(channel_axis) * strides[channel_axis];
    if (direction > 0) place += direction * strides[*layer.layout.direction_axis];
  }
  for (const std::size_t axis : RowAxesOf(layer.layout, shape.size())) {
    std::vector<std::size_t> outer = std::exchange(places.elements, {});
    places.elements.reserve(outer.size() * length(axis));
    for (const std::size_t place : outer) {
      for (std::size_t i = 0; i < length(axis); ++i) {
        places.elements.push_back(place + i * strides[axis]);
      }
    }
  }
  return places;
}

Result<model::WeightReader> OpenRows(const model::ModelGraph& model, const ModelLayer& layer) {
  CBOARD_ASSIGN_OR_RETURN(model::WeightReader reader, model.OpenWeights(layer.weight));
  const std::size_t elements = SizeOf(model, layer).elements;
  const auto weights = [&] { return "the weights of " + Quoted(NameOf(model, layer)); };
  if (reader.element_count() != elements) {
    return Fail(ErrorCode::kDataLoss, "the model file is damaged: " + weights() + " have " +
                                          std::to_string(reader.element_count()) +
                                          " elements, but their shape needs " +
                                          std::to_string(elements));
  }
  if (elements > MaxElements(model)) {
    return Fail(ErrorCode::kResourceExhausted, "the model file is damaged: " + weights() +
                                                   " have " + std::to_string(elements) +
                                                   " elements, which do not fit in a file of " +
                                                   std::to_string(model.file_bytes()) + " bytes");
  }
  return reader;
}

Result<WeightRows> ReadRows(const model::ModelGraph& model, const ModelLayer& layer) {
  CBOARD_ASSIGN_OR_RETURN(const model::WeightReader reader, OpenRows(model, layer));
  const StoredPlaces places = PlacesOf(model, layer);
  return WeightRows{.channels = places.channels.size(),
                    .row = places.elements.size(),
                    .values = ReadAll(reader, &model::WeightReader::Read, places)};
}

Result<WeightRows> ReadSubset(const model::ModelGraph& model, const ModelLayer& layer,
                              std::span<const std::size_t> channels,
                              std::span<const std::size_t> elements) {
  CBOARD_ASSIGN_OR_RETURN(const model::WeightReader reader, OpenRows(model, layer));
  const StoredPlaces places = PlacesOf(model, layer);
  WeightRows rows{.channels = channels.size(),
                  .row = elements.size(),
                  .values = std::vector<float>(channels.size() * elements.size())};
  std::span<float> rest = rows.values;
  const auto place = [&](std::size_t i) { return places.elements[elements[i]]; };
  for (const std::size_t channel : channels) {
    // Elements that are adjacent in the file are read with one call.
    for (std::size_t i = 0; i < elements.size();) {
      std::size_t end = i + 1;
      while (end < elements.size() && place(end) == place(i) + (end - i)) ++end;
      reader.Read(places.channels[channel] + place(i), rest.first(end - i));
      rest = rest.subspan(end - i);
      i = end;
    }
  }
  return rows;
}

std::vector<std::size_t> SamplePositions(std::size_t count, std::size_t stretches,
                                         std::size_t stretch) {
  std::vector<std::size_t> some;
  const bool are_all = count <= stretches * stretch;
  for (std::size_t i = 0; i < (are_all ? 1 : stretches); ++i) {
    const std::size_t begin = are_all ? 0 : i * (count / stretches);
    for (std::size_t j = 0; j < (are_all ? count : stretch); ++j) some.push_back(begin + j);
  }
  return some;
}

Result<RowReader> RowReader::Open(const model::ModelGraph& model, const ModelLayer& layer,
                                  std::span<const double> factors, const InputFactors& inputs,
                                  ReadElements read) {
  CBOARD_ASSIGN_OR_RETURN(const model::WeightReader reader, OpenRows(model, layer));
  RowReader rows(reader, read, PlacesOf(model, layer), factors, inputs);
  if (!rows.places_.AreRowsContiguous()) {
    rows.ReadAll();
  } else if (factors.empty() && inputs.factors.empty() && rows.places_.AreRowsInOrder()) {
    rows.mapped_ = FloatsOf(model, layer);
  }
  return rows;
}

std::span<const float> RowReader::ReadAll() {
  if (!mapped_.empty()) return mapped_;
  if (all_.empty()) {
    all_ = compare::ReadAll(reader_, read_, places_);
    Scale(0, channels(), all_);
  }
  return all_;
}

std::span<const float> RowReader::Read(std::size_t first, std::size_t count) {
  const std::span<const float> all = mapped_.empty() ? std::span<const float>(all_) : mapped_;
  if (!all.empty()) return all.subspan(first * row(), count * row());
  part_.resize(count * row());
  ReadContiguousRows(reader_, read_, places_, first, part_);
  Scale(first, count, part_);
  return part_;
}

void RowReader::Scale(std::size_t first, std::size_t count, std::span<float> rows) const {
  if (!factors_.empty()) ScaleRows(factors_.subspan(first, count), rows);
  ScaleInputs(inputs_, first, channels(), rows);
}

void ScaleRows(std::span<const double> factors, std::span<float> rows) {
  if (factors.empty()) return;
  const std::size_t row = rows.size() / factors.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = static_cast<float>(rows[i] * factors[i / row]);
  }
}

std::vector<float> ToStoredOrder(const model::ModelGraph& model, const ModelLayer& layer,
                                 const WeightRows& rows) {
  const StoredPlaces places = PlacesOf(model, layer);
  std::vector<float> stored(rows.values.size());
  auto value = rows.values.begin();
  for (const std::size_t channel : places.channels) {
    for (const std::size_t element : places.elements) stored[channel + element] = *value++;
  }
  return stored;
}

Result<std::vector<float>> ReadBias(const model::ModelGraph& model, const ModelLayer& layer) {
  CBOARD_ASSIGN_OR_RETURN(std::vector<float> bias,
                          model.ReadWeights(layer.bias, MaxElements(model)));
  const std::size_t channels = SizeOf(model, layer).channels;
  if (layer.bias_half && bias.size() == 2 * channels) {
    const std::size_t each = channels / DirectionsOf(model, layer);
    for (std::size_t c = 0; c < channels; ++c) {
      const std::size_t first = 2 * (c / each) * each + c % each;
      bias[c] = layer.has_summed_bias ? bias[first] + bias[first + each]
                                      : bias[first + *layer.bias_half * each];
    }
    bias.resize(channels);
  }
  // The bias is reordered like the rows if it belongs to gates. For other layers whose channels are
  // reordered, the order of the bias is unknown.
  const bool is_of_gates = !layer.part.empty() && !layer.bias_half;
  const bool is_like_rows = is_of_gates || layer.layout.channel_order.empty();
  if (is_like_rows && bias.size() == channels) {
    const std::vector<float> stored = bias;
    const std::vector<std::size_t> places = StoredChannels(model, layer);
    for (std::size_t c = 0; c < channels; ++c) bias[c] = stored[places[c]];
  }
  return bias;
}

}  // namespace cboard::compare
