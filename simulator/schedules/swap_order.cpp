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
    auto const name_of = [](std::optional<SwapOrder> order) { return to_string(order); };
    auto const* const found = std::ranges::find(known, text, name_of);
    if (found != known.end()) {
        return *found;
    }
    return input_error("swap",
                       "'" + std::string(text) + "' is not an order of a key swap",
                       KnownNames(known, name_of).remedy(text));
}

} // namespace keyswap::simulator
