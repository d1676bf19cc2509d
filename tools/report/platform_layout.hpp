#pragma once

#include "simulator/platform/platform.hpp"

#include <vector>

namespace keyswap::tools {

enum class NodeKind { cpu, gpu, forwarder };

/// A node of a platform on a drawing; x grows to the right, y downwards, both in steps of a node.
struct PlacedNode {
    std::string name;
    NodeKind kind = NodeKind::cpu;
    std::string label; ///< device of a GPU, socket of a CPU
    double x = 0.0;
    double y = 0.0;
};

/// CPUs, GPUs and switches in the platform's order: where its file says, if it says so for every
/// node; otherwise CPUs on top, GPUs below in rows, and what forwards between its neighbours.
[[nodiscard]] std::vector<PlacedNode> layout_of(simulator::Platform const& platform);

} // namespace keyswap::tools
