#include "traces/format/trace_names.hpp"

#include "traces/records/enum_names.hpp"

#include <algorithm>
#include <array>

namespace keyswap {

namespace {

constexpr std::array<EnumName<PlacementState>, 3> placement_states{
    {{"placed", PlacementState::placed},
     {"spanning", PlacementState::spanning},
     {"cut", PlacementState::cut}}};

constexpr std::array<EnumName<DigestStage>, 4> digest_stages{
    {{"before_swap", DigestStage::before_swap},
     {"after_swap", DigestStage::after_swap},
     {"after_sort", DigestStage::after_sort},
     {"after_step", DigestStage::after_step}}};

constexpr std::array<EnumName<Tie>, 2> ties{{{"left", Tie::left}, {"right", Tie::right}}};

} // namespace

std::string_view to_string(PlacementState state) {
    return name_of<PlacementState>(placement_states, state);
}

std::string_view to_string(DigestStage stage) {
    return name_of<DigestStage>(digest_stages, stage);
}

std::string_view to_string(Tie tie) {
    return name_of<Tie>(ties, tie);
}

Expected<PlacementState> parse_placement_state(std::string_view text) {
    return parse<PlacementState>(placement_states, text, "state");
}

Expected<DigestStage> parse_digest_stage(std::string_view text, int version) {
    auto const later = std::ranges::find_if(digest_stages, [&](EnumName<DigestStage> const& name) {
        return first_version(name.value) > version;
    });
    return parse<DigestStage>({digest_stages.begin(), later}, text, "stage");
}

Expected<Tie> parse_tie(std::string_view text) {
    return parse<Tie>(ties, text, "tie");
}

} // namespace keyswap
