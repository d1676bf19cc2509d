#pragma once

#include "traces/errors/input_error.hpp"

#include <optional>
#include <string_view>

namespace keyswap::simulator {

/// Path of a key swap's bytes between GPUs of different nodes.
enum class SwapOrder {
    flat,   ///< each copy goes directly from source to destination
    by_node ///< gathered in the node, sent as one message, then spread: node_exchange()
};

/// Orders that a schedule supports.
enum class SwapOrders { flat_only, flat_or_by_node };

/// "flat" or "by-node".
[[nodiscard]] std::string_view to_string(SwapOrder order);

/// The requested order. \param order nullopt: "best", i.e. the faster one
[[nodiscard]] std::string_view to_string(std::optional<SwapOrder> order);

/// Inverse of to_string() for requested orders.
[[nodiscard]] Expected<std::optional<SwapOrder>> parse_swap(std::string_view text);

} // namespace keyswap::simulator
