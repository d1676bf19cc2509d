#pragma once

/// \file Efficiencies that are below 1 for some kinds of links only.

#include "simulator/platform/platform.hpp"

#include <array>
#include <utility>

namespace keyswap::simulator {

/// Keys in platform files, in the files' order, with the fields that they set.
inline constexpr std::array link_losses{
    std::pair{"efficiency_pieces", &LinkKind::efficiency_pieces},
    std::pair{"efficiency_whole_write", &LinkKind::efficiency_whole_write},
    std::pair{"efficiency_single_peer", &LinkKind::efficiency_single_peer},
    std::pair{"efficiency_single_read", &LinkKind::efficiency_single_read},
    std::pair{"efficiency_lone_read", &LinkKind::efficiency_lone_read},
    std::pair{"efficiency_shared_read", &LinkKind::efficiency_shared_read},
    std::pair{"efficiency_shared_write", &LinkKind::efficiency_shared_write}};

} // namespace keyswap::simulator
