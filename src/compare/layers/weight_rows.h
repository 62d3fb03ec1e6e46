// The weights of a layer as rows [channels, elements per channel], independent of the order in the
// file. Channels are in the operator's order, direction by direction. The elements of a convolution
// are [input channels, height, width].
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

  bool AreRowsContiguous() const;  // The elements of each row are adjacent.
  bool AreRowsInOrder() const;     // If rows are contiguous: they are also adjacent.
};
StoredPlaces PlacesOf(const model::ModelGraph& model, const ModelLayer& layer);

// All weights of a layer as a matrix [channels, row].
struct WeightRows {
  std::size_t channels = 0;
  std::size_t row = 0;
  std::vector<float> values;
};

// The following functions open or read the weights. They fail if ModelGraph::OpenWeights fails, and
// if a file has fewer values than its shapes require.
Result<model::WeightReader> OpenRows(const model::ModelGraph& model, const ModelLayer& layer);
Result<WeightRows> ReadRows(const model::ModelGraph& model, const ModelLayer& layer);

// Reads some elements of some channels. Both lists of positions must be ascending.
Result<WeightRows> ReadSubset(const model::ModelGraph& model, const ModelLayer& layer,
                              std::span<const std::size_t> channels,
                              std::span<const std::size_t> elements);

// Returns positions below `count` for a sample: at most `stretches` evenly spaced ranges of
// `stretch` consecutive positions.
std::vector<std::size_t> SamplePositions(std::size_t count, std::size_t stretches,
                                         std::size_t stretch);

// Returns the values of `rows` in the order of the layer's file: the inverse of ReadRows. `rows`
// must have the layer's size.
std::vector<float> ToStoredOrder(const model::ModelGraph& model, const ModelLayer& layer,
                                 const WeightRows& rows);

// Multiplies each row by the factor of its channel; does nothing if `factors` is empty.
void ScaleRows(std::span<const double> factors, std::span<float> rows);

// Reads a few rows at a time and multiplies them by the factors of output and input channels. Needs
// memory only for the current rows if each row is contiguous in the file, and none if the file has
// float32 rows in order and there are no factors.
class RowReader {
 public:
  using ReadElements = void (model::WeightReader::*)(std::size_t, std::span<float>) const;

  // Opens a reader of the layer's weights. Borrows the model and the factors. Fails if ReadRows
  // fails.
  static Result<RowReader> Open(const model::ModelGraph& model, const ModelLayer& layer,
                                std::span<const double> factors, const InputFactors& inputs = {},
                                ReadElements read = &model::WeightReader::Read);

  const model::WeightReader& reader() const { return reader_; }
  const StoredPlaces& places() const { return places_; }

  std::size_t channels() const { return places_.channels.size(); }
  std::size_t row() const { return places_.elements.size(); }

  // Returns rows [first, first + count); valid until the next call. The rows must exist.
  std::span<const float> Read(std::size_t first, std::size_t count);

  // Returns all rows. They are valid as long as the reader.
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
  std::span<const float> mapped_;  // Rows in the mapped file, if they are float32 in order.
  std::vector<float> all_;         // All rows, times their factors, if rows are not contiguous.
  std::vector<float> part_;
};

// Reads the bias of a layer that has one, in the order of the rows.
Result<std::vector<float>> ReadBias(const model::ModelGraph& model, const ModelLayer& layer);

}  // namespace cboard::compare
