#pragma once

#include "tools/report/profile.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::tools {

/// Gives everything that lasted a row of its stream or thread in which nothing overlaps it: ranges
/// nest, and work of graphs runs side by side in one stream.
class ProfileTracks {
  public:
    /// What runs one after the other: a stream of a GPU, or a thread of the program.
    struct Place {
        std::optional<std::uint32_t> gpu; ///< none of a thread
        std::int64_t process = 0;
        std::int64_t context = 0;
        std::int64_t number = 0; ///< of the stream or thread
        friend auto operator<=>(Place const&, Place const&) = default;
    };

    /// \param span its track and name are set here
    void add(Place const& place, std::string const& name, ProfileSpan span);

    /// Sets tracks, names, GPUs and spans; the first span then begins at 0.
    void move_to(Profile& profile);

  private:
    std::map<Place, std::vector<ProfileSpan>> places_;
    /// A range may be called as a kernel is.
    std::map<std::pair<SpanKind, std::string>, std::uint32_t> names_;
};

} // namespace keyswap::tools
