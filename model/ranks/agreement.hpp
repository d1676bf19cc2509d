#pragma once

/// \file What all ranks of a sort agree on: that they were started alike, and that none has met an
/// error of its own.

#include "model/ranks/communicator.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// Ranks whose value is not that of rank 0.
/// \param of_rank [rank]
template <class T>
[[nodiscard]] std::vector<std::uint32_t> differing(std::vector<T> const& of_rank) {
    std::vector<std::uint32_t> ranks;
    for (std::uint32_t rank = 0; rank < of_rank.size(); ++rank) {
        if (of_rank[rank] != of_rank.front()) {
            ranks.push_back(rank);
        }
    }
    return ranks;
}

/// A hash of a text, or of what was hashed before and this text.
[[nodiscard]] std::uint64_t text_hash(std::string_view text, std::uint64_t before = 0);

/// Refuses ranks that were started otherwise than rank 0, and says how each was.
/// \param start program, version and configuration in a line
/// \throws RankFailure
[[nodiscard]] Expected<void>
expect_same_start(Communicator& ranks, std::string_view step, std::string_view start);

/// Ends a step at which a rank may have met an error of its own: if one has, all ranks get it, each
/// its own first. \throws RankFailure
[[nodiscard]] Expected<void>
agree(Communicator& ranks, std::string_view step, Expected<void> const& own);

/// The same for a rank that has something where it met no error.
template <class T>
[[nodiscard]] Expected<void>
agree(Communicator& ranks, std::string_view step, Expected<T> const& own) {
    return agree(ranks, step, own ? Expected<void>() : tl::unexpected(own.error()));
}

/// A failure of ranks in the words of every other error.
[[nodiscard]] InputError error_of(RankFailure const& failure);

} // namespace keyswap::model
