#include "simulator/schedules/swap_order.hpp"

#include "traces/errors/known_names.hpp"
#include "traces/errors/try.hpp"

#include <array>
#include <string>

namespace keyswap::simulator {

std::string_view to_string(SwapOrder order) {
    return order == SwapOrder::flat ? "flat" : "by-node";
}

std::string_view to_string(std::optional<SwapOrder> order) {
    return order ? to_string(*order) : "best";
}

Expected<std::optional<SwapOrder>> parse_swap(std::string_view text) {
    constexpr std::array<std::optional<SwapOrder>, 3> known{
        SwapOrder::flat, SwapOrder::by_node, std::nullopt};
    KnownNames names;
    for (std::optional<SwapOrder> const order : known) {
        if (text == to_string(order)) {
            return order;
        }
        names.add(to_string(order));
    }
    return input_error(
        "swap", "'" + std::string(text) + "' is not an order of a key swap", names.remedy(text));
}

} // namespace keyswap::simulator
