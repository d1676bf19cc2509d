#pragma once

#include "simulator/platform/platform.hpp"

#include <vector>

namespace keyswap::tools {

enum class NodeKind { cpu, gpu, forwarder };

/// Position of a platform's node in a drawing; x grows rightwards, y downwards, in node spacings.
struct PlacedNode {
    std::string name;
    NodeKind kind = NodeKind::cpu;
    std::string label; ///< device of a GPU, socket of a CPU
    double x = 0.0;
    double y = 0.0;
};

/// CPUs, GPUs and switches in the platform's order. Uses the positions of the platform file if it
/// has all; else CPUs on top, GPUs in rows below, forwarders between their neighbours.
[[nodiscard]] std::vector<PlacedNode> layout_of(simulator::Platform const& platform);

} // namespace keyswap::tools
