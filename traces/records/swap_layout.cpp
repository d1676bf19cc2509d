#include "traces/records/swap_layout.hpp"

#include "traces/records/enum_names.hpp"

#include <array>

namespace keyswap {

namespace {

constexpr std::array<EnumName<SwapLayout>, 3> swap_layout_names{
    {{"by_bucket", SwapLayout::by_bucket},
     {"by_source", SwapLayout::by_source},
     {"by_round", SwapLayout::by_round}}};

} // namespace

std::string_view to_string(SwapLayout layout) {
    return name_of<SwapLayout>(swap_layout_names, layout);
}

Expected<SwapLayout> parse_swap_layout(std::string_view text) {
    return parse<SwapLayout>(swap_layout_names, text, "layout");
}

} // namespace keyswap
