#include "traces/format/trace_names.hpp"
#include "traces/errors/known_names.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

namespace keyswap {

namespace {

constexpr std::array placement_states{
    PlacementState::placed, PlacementState::spanning, PlacementState::cut};
constexpr std::array digest_stages{DigestStage::before_swap,
                                   DigestStage::after_swap,
                                   DigestStage::after_sort,
                                   DigestStage::after_step};
constexpr std::array ties{Tie::left, Tie::right};

template <class Enum>
Expected<Enum> parse(std::span<Enum const> values, std::string_view text, std::string const& what) {
    for (auto const value : values) {
        if (to_string(value) == text) {
            return value;
        }
    }
    KnownNames known;
    for (auto const value : values) {
        known.add(to_string(value));
    }
    return known.not_known(what, text);
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
    case DigestStage::after_step:
        return "after_step";
    }
    return "";
}

std::string_view to_string(Tie tie) {
    return tie == Tie::left ? "left" : "right";
}

Expected<PlacementState> parse_placement_state(std::string_view text) {
    return parse<PlacementState>(placement_states, text, "state");
}

Expected<DigestStage> parse_digest_stage(std::string_view text, int version) {
    auto const later = std::ranges::find_if(
        digest_stages, [&](DigestStage stage) { return stage_version(stage) > version; });
    return parse<DigestStage>({digest_stages.begin(), later}, text, "stage");
}

Expected<Tie> parse_tie(std::string_view text) {
    return parse<Tie>(ties, text, "tie");
}

} // namespace keyswap
