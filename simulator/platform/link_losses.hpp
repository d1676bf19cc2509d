#pragma once

/// \file Parts of the bandwidth that only some kinds of links lose anything of: 1 on all others.

#include "simulator/platform/platform.hpp"

#include <array>
#include <utility>

namespace keyswap::simulator {

/// With their keys in platform files, in the files' order.
inline constexpr std::array link_losses{
    std::pair{"efficiency_pieces", &LinkKind::efficiency_pieces},
    std::pair{"efficiency_whole_write", &LinkKind::efficiency_whole_write},
    std::pair{"efficiency_single_peer", &LinkKind::efficiency_single_peer},
    std::pair{"efficiency_single_read", &LinkKind::efficiency_single_read},
    std::pair{"efficiency_lone_read", &LinkKind::efficiency_lone_read},
    std::pair{"efficiency_shared_read", &LinkKind::efficiency_shared_read},
    std::pair{"efficiency_shared_write", &LinkKind::efficiency_shared_write}};

} // namespace keyswap::simulator
