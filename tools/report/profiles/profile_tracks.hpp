#pragma once

#include "tools/report/profiles/profile.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::tools {

/// Splits each stream or thread into rows without overlaps: ranges nest, and work of CUDA graphs
/// overlaps within a stream.
class ProfileTracks {
  public:
    /// A stream of a GPU, or a thread of the program.
    struct Place {
        std::optional<std::uint32_t> gpu; ///< nullopt for a thread
        std::int64_t process = 0;
        std::int64_t context = 0;
        std::int64_t number = 0; ///< of the stream or thread
        friend auto operator<=>(Place const&, Place const&) = default;
    };

    /// \param span without track and name, which add() sets
    void add(Place const& place, std::string const& name, ProfileSpan span);

    /// Sets tracks, names, GPUs and spans; shifts times so that the first span begins at 0.
    void move_to(Profile& profile);

  private:
    std::map<Place, std::vector<ProfileSpan>> places_;
    /// Key includes the kind, since a range may have the name of a kernel.
    std::map<std::pair<SpanKind, std::string>, std::uint32_t> names_;
};

} // namespace keyswap::tools
