// Shows the loss around the trained weights as a surface, before and after quantization. The
// surface shows how deep and how wide the minimum is in which the training has ended.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "cboard/writer/summary_writer.h"
#include "demo/variants.h"

namespace cboard::demo {

// The loss on a square in the space of weights, with the weights of a network in the middle. In
// each filter, both directions of the square have the same norm as the filter (Li et al.,
// "Visualizing the Loss Landscape of Neural Nets").
struct LossSurface {
  std::size_t side = 0;        // Points per edge; odd, so that the network is the middle.
  std::vector<double> losses;  // [row][column]
};

// Computes the loss on `digits` at each point of the square. If `scheme` is given, the weights are
// quantized at each point.
LossSurface SurfaceAround(const Network& network, std::span<const ActivationRange> ranges,
                          const std::optional<QuantizationScheme>& scheme, const Digits& digits,
                          std::size_t side);

// Computes the surfaces of the first variant, and of the variants that were made from its weights
// without training. The keys are their names: fp32, int8 and w4a8. Uses only some of the images,
// and takes about a second per surface.
std::map<std::string, LossSurface> LossSurfaces(const DemoVariants& made, const Digits& test);

// Logs the surface with the tag loss/around_the_weights. The height is the logarithm of the loss.
// It is scaled from the minimum to the maximum of all `surfaces`, so that variants can be compared.
Result<void> LogLossSurface(const LossSurface& surface,
                            const std::map<std::string, LossSurface>& surfaces,
                            SummaryWriter& writer);

}  // namespace cboard::demo
