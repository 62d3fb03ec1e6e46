// Shows the loss around the trained weights as a surface, before and after quantization: the depth
// and width of the minimum in which training ended.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "cboard/writer/summary_writer.h"
#include "demo/variants.h"

namespace cboard::demo {

// The loss on a square of weights around those of a network. Both directions of the square have, in
// every filter, the same length as the filter (Li et al., "Visualizing the Loss Landscape of Neural
// Nets").
struct LossSurface {
  std::size_t side = 0;        // Points per edge; odd, so that the network is the middle.
  std::vector<double> losses;  // [row][column]
};

// Computes the loss on `digits`; with a scheme, of the quantized weights.
LossSurface SurfaceAround(const Network& network, std::span<const ActivationRange> ranges,
                          const std::optional<QuantizationScheme>& scheme, const Digits& digits,
                          std::size_t side);

// Computes the surfaces of the first variant and of the variants that were made from its weights
// alone, by name: fp32, int8 and w4a8. Uses some of the pictures, which takes about a second per
// surface.
std::map<std::string, LossSurface> LossSurfaces(const DemoVariants& made, const Digits& test);

// Logs loss/around_the_weights. The height is the logarithm of the loss, scaled from the minimum to
// the maximum of all `surfaces`, so that variants can be compared.
Result<void> LogLossSurface(const LossSurface& surface,
                            const std::map<std::string, LossSurface>& surfaces,
                            SummaryWriter& writer);

}  // namespace cboard::demo
