#include "traces/format/trace_names.hpp"

#include <array>
#include <string>

namespace keyswap {

namespace {

constexpr std::array placement_states{
    PlacementState::placed, PlacementState::spanning, PlacementState::cut};
constexpr std::array digest_stages{
    DigestStage::before_swap, DigestStage::after_swap, DigestStage::after_sort};

template <class Enums>
Expected<typename Enums::value_type>
parse(Enums const& values, std::string_view text, std::string const& what) {
    std::string known;
    for (auto const value : values) {
        if (to_string(value) == text) {
            return value;
        }
        known += known.empty() ? "" : ", ";
        known += to_string(value);
    }
    return tl::unexpected(
        InputError{what, "'" + std::string(text) + "' is not known", "known: " + known});
}

} // namespace

std::string_view to_string(PlacementState state) {
    switch (state) {
    case PlacementState::placed:
        return "placed";
    case PlacementState::spanning:
        return "spanning";
    case PlacementState::cut:
        return "cut";
    }
    return "";
}

std::string_view to_string(DigestStage stage) {
    switch (stage) {
    case DigestStage::before_swap:
        return "before_swap";
    case DigestStage::after_swap:
        return "after_swap";
    case DigestStage::after_sort:
        return "after_sort";
    }
    return "";
}

Expected<PlacementState> parse_placement_state(std::string_view text) {
    return parse(placement_states, text, "state");
}

Expected<DigestStage> parse_digest_stage(std::string_view text) {
    return parse(digest_stages, text, "stage");
}

} // namespace keyswap
