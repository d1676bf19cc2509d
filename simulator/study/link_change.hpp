#pragma once

/// \file Changes of a machine's links, as --link names them.

#include "simulator/study/simulation.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// One change. "xbus x2" gives every kind of link with that in its name twice its bandwidth,
/// "rail = 100 GB/s" that bandwidth; "add nvswitch 300 GB/s" joins all GPUs to a new switch, "add
/// bridges 100 GB/s" GPU 0 to 1, 2 to 3 and so on.
struct LinkChange {
    enum class Kind { factor, bandwidth, add_switch, add_bridges };
    Kind kind = Kind::factor;
    std::string pattern;             ///< of the names of kinds, where links are changed
    double factor = 1.0;             ///< of Kind::factor
    std::uint64_t bandwidth_Bps = 0; ///< each way, of the others
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

/// The machine with its links changed.
/// \return an error where no link's kind contains a pattern
[[nodiscard]] Expected<Machine> with_link_changes(Machine const& machine,
                                                  LinkChanges const& changes);

} // namespace keyswap::simulator
