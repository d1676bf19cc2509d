#pragma once

/// \file Changes of a machine's links, as --link, --without and --background name them.

#include "simulator/study/simulation.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// One change. "xbus x2" gives every kind of link with that in its name twice its bandwidth,
/// "rail = 100 GB/s" that bandwidth; "add nvswitch 300 GB/s" joins all GPUs to a new switch, "add
/// bridges 100 GB/s" GPU 0 to 1, 2 to 3 and so on. "without gpu3" takes away a link, or all links
/// of a GPU, a switch or a node of a cluster; "busy xbus 20 GB/s" leaves a link, or every link of a
/// kind, what other traffic of so much each way does not take.
struct LinkChange {
    enum class Kind { factor, bandwidth, add_switch, add_bridges, missing, traffic };
    Kind kind = Kind::factor;
    std::string pattern; ///< of the names of kinds, where these are changed; of missing and busy
                         ///< parts the name
    double factor = 1.0; ///< of Kind::factor
    std::uint64_t bandwidth_Bps = 0; ///< each way, of the others
    std::string option = "--link";   ///< what asked for it, for messages
    friend bool operator==(LinkChange const&, LinkChange const&) = default;
};

/// Changes that are made together, with the text that asked for them; none = as it is.
struct LinkChanges {
    std::string text; ///< "xbus x2 + nvlink x2"
    std::vector<LinkChange> changes;
    friend bool operator==(LinkChanges const&, LinkChanges const&) = default;
};

/// Reads changes with " + " between them.
/// \return an error for what is not a change, has a factor of 0 or a bandwidth that no link has
[[nodiscard]] Expected<LinkChanges> parse_link_changes(std::string_view text);

/// What --without and --background ask for: "gpu3", "xbus 20 GB/s".
[[nodiscard]] LinkChange missing_part(std::string_view name);
/// \return an error for what has no bandwidth behind a name
[[nodiscard]] Expected<LinkChange> parse_background(std::string_view text);

/// The machine with its links changed. GPUs keep their numbers, those without links as well.
/// \return an error where no link's kind contains a pattern, no part has a name, or traffic leaves
///         nothing of a link
[[nodiscard]] Expected<Machine> with_link_changes(Machine const& machine,
                                                  LinkChanges const& changes);

} // namespace keyswap::simulator
