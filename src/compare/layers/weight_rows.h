// The weights of a layer as rows: [channels, elements per channel]. Channels are in the operator's
// order, direction by direction; the elements of a convolution are [input channels, height, width],
// however the file orders them.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/model/model_graph.h"
#include "compare/layers/input_layout.h"
#include "compare/layers/model_layers.h"

namespace cboard::compare {

// Positions of weights in the file: element i of channel c is at channels[c] + elements[i].
struct StoredPlaces {
  std::vector<std::size_t> channels;
  std::vector<std::size_t> elements;

  bool AreRowsContiguous() const;  // The elements of a row, one behind the other.
  bool AreRowsInOrder() const;     // If they are together: also the rows.
};
StoredPlaces PlacesOf(const model::ModelGraph& model, const ModelLayer& layer);

// All rows.
struct WeightRows {
  std::size_t channels = 0;
  std::size_t row = 0;
  std::vector<float> values;
};

// Fails as ModelGraph::OpenWeights does, and where a file holds less than its shapes say.
Result<model::WeightReader> OpenRows(const model::ModelGraph& model, const ModelLayer& layer);
Result<WeightRows> ReadRows(const model::ModelGraph& model, const ModelLayer& layer);

// Reads some elements of some channels, given by their positions in ascending order.
Result<WeightRows> ReadSubset(const model::ModelGraph& model, const ModelLayer& layer,
                              std::span<const std::size_t> channels,
                              std::span<const std::size_t> elements);

// At most this many ranges of positions below `count`, evenly spaced.
std::vector<std::size_t> SamplePositions(std::size_t count, std::size_t stretches,
                                         std::size_t stretch);

// Values of a layer in the order in which its file would store them: the inverse of ReadRows, for
// rows of as many channels and elements.
std::vector<float> ToStoredOrder(const model::ModelGraph& model, const ModelLayer& layer,
                                 const WeightRows& rows);

// Multiplies each row by the factor of its channel; does nothing without factors.
void ScaleRows(std::span<const double> factors, std::span<float> rows);

// Rows a few at a time, times the factors of channels and of inputs, if there are any. Where the
// file has rows together, no more than these are in memory; where it has them as they are wanted,
// none.
class RowReader {
 public:
  using ReadElements = void (model::WeightReader::*)(std::size_t, std::span<float>) const;

  // Fails as ReadRows does. Borrows the model and the factors.
  static Result<RowReader> Open(const model::ModelGraph& model, const ModelLayer& layer,
                                std::span<const double> factors, const InputFactors& inputs = {},
                                ReadElements read = &model::WeightReader::Read);

  const model::WeightReader& reader() const { return reader_; }
  const StoredPlaces& places() const { return places_; }

  std::size_t channels() const { return places_.channels.size(); }
  std::size_t row() const { return places_.elements.size(); }

  // Rows [first, first + count), which must exist; valid until the next call.
  std::span<const float> Read(std::size_t first, std::size_t count);

  // All rows; valid as long as the reader.
  std::span<const float> ReadAll();

 private:
  RowReader(const model::WeightReader& reader, ReadElements read, StoredPlaces places,
            std::span<const double> factors, const InputFactors& inputs)
      : reader_(reader),
        read_(read),
        places_(std::move(places)),
        factors_(factors),
        inputs_(inputs) {}

  void Scale(std::size_t first, std::size_t count, std::span<float> rows) const;

  model::WeightReader reader_;
  ReadElements read_;
  StoredPlaces places_;
  std::span<const double> factors_;
  InputFactors inputs_;
  std::span<const float> mapped_;  // The file's own, where they are float32 in order.
  std::vector<float> all_;         // Where rows are not together; then times their factors.
  std::vector<float> part_;
};

// The bias of a layer that has one, in the order of rows.
Result<std::vector<float>> ReadBias(const model::ModelGraph& model, const ModelLayer& layer);

}  // namespace cboard::compare
