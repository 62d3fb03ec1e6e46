// The loss around the trained weights, as a landscape: how deep and how wide the valley is in which
// training ended, and what quantization makes of it.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "cboard/writer/summary_writer.h"
#include "demo/variants.h"

namespace cboard::demo {

// The loss on a square of weights around a network's: two directions, each as long in every filter
// as the filter itself (Li et al., "Visualizing the Loss Landscape of Neural Nets").
struct LossSurface {
  std::size_t side = 0;        // Points along an edge, an odd number: the network is in the middle.
  std::vector<double> losses;  // [row][column]
};

// Over `digits`; with a scheme, of the weights as they are after quantization.
LossSurface SurfaceAround(const Network& network, std::span<const ActivationRange> ranges,
                          const std::optional<QuantizationScheme>& scheme, const Digits& digits,
                          std::size_t side);

// Surfaces of the first variant and of the variants made from its weights alone, by name: fp32,
// int8 and w4a8. Evaluated on some of the pictures, which takes about a second each.
std::map<std::string, LossSurface> LossSurfaces(const DemoVariants& made, const Digits& test);

// loss/around_the_weights: the height is the logarithm of the loss, from the least of all
// `surfaces` to the greatest, so that those of several variants can be compared.
Result<void> LogLossSurface(const LossSurface& surface,
                            const std::map<std::string, LossSurface>& surfaces,
                            SummaryWriter& writer);

}  // namespace cboard::demo
