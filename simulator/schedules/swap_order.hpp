#pragma once

#include "traces/errors/input_error.hpp"

#include <optional>
#include <string_view>

namespace keyswap::simulator {

/// The way of a key swap's bytes between GPUs of different nodes.
enum class SwapOrder {
    flat,   ///< every copy goes straight from its source to its destination
    by_node ///< gathered inside the node, one message, spread at its destination: node_exchange()
};

/// Which orders a schedule knows.
enum class SwapOrders { flat_only, flat_or_by_node };

/// "flat", "by-node"
[[nodiscard]] std::string_view to_string(SwapOrder order);

/// The same of what was asked for. \param order nothing = whichever is faster: "best"
[[nodiscard]] std::string_view to_string(std::optional<SwapOrder> order);

/// The inverse.
[[nodiscard]] Expected<std::optional<SwapOrder>> parse_swap(std::string_view text);

} // namespace keyswap::simulator
