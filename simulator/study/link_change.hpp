#pragma once

/// \file Changes of a machine's links: the values of --link, --without and --background.

#include "simulator/prediction/simulation.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// One change. "xbus x2" doubles the bandwidth of all link kinds whose name contains that; "rail =
/// 100 GB/s" sets it. "add nvswitch 300 GB/s" connects all GPUs to a new switch, "add bridges 100
/// GB/s" connects GPU 0 to 1, 2 to 3 and so on. "without gpu3" removes a link, or all links of a
/// GPU, a switch or a cluster node. "busy xbus 20 GB/s" subtracts other traffic, that much each
/// way, from a link or from all links of a kind.
struct LinkChange {
    enum class Kind { factor, bandwidth, add_switch, add_bridges, missing, traffic };
    Kind kind = Kind::factor;
    std::string pattern; ///< part of a kind's name, for factor and bandwidth; full name for missing
                         ///< and traffic
    double factor = 1.0; ///< of Kind::factor
    std::uint64_t bandwidth_Bps = 0; ///< each way, of other kinds
    std::string given_by = "link";   ///< setting that errors name
    friend bool operator==(LinkChange const&, LinkChange const&) = default;
};

/// Changes that are applied together, with their text; empty = none.
struct LinkChanges {
    std::string text; ///< "xbus x2 + nvlink x2"
    std::vector<LinkChange> changes;
    friend bool operator==(LinkChanges const&, LinkChanges const&) = default;
};

/// Parses changes separated by " + ".
/// \return an error for an unknown form, a factor of 0, or an impossible bandwidth
[[nodiscard]] Expected<LinkChanges> parse_link_changes(std::string_view text);

/// Change for the value of --without ("gpu3"), and of --background ("xbus 20 GB/s").
[[nodiscard]] LinkChange missing_part(std::string_view name);
/// \return an error unless the text is a name and a bandwidth
[[nodiscard]] Expected<LinkChange> parse_background(std::string_view text);

/// Applies the changes, traffic last and summed by link. GPUs keep their numbers, even those left
/// without links. Traffic slows copies, but diverts none.
/// \return an error if a pattern matches no link kind, a name no part, or traffic leaves nothing of
/// a link
[[nodiscard]] Expected<Machine> with_link_changes(Machine const& machine,
                                                  LinkChanges const& changes);

} // namespace keyswap::simulator
