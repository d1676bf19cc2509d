#pragma once

/// \file Agreement among all ranks of a sort: identical start parameters, and no local error on any
/// rank.

#include "model/ranks/communicator.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// Ranks whose value differs from that of rank 0.
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

/// Hash of a text; with `before`, of the text hashed so far followed by this one.
[[nodiscard]] std::uint64_t text_hash(std::string_view text, std::uint64_t before = 0);

/// Returns an error on all ranks if any start differs from rank 0's; it quotes the first such one.
/// \param start program, version and configuration in one line
/// \throws RankFailure
[[nodiscard]] Expected<void>
expect_same_start(Communicator& ranks, std::string_view step, std::string_view start);

/// Ends a step that may have failed on some ranks: if any failed, all ranks get an error, failed
/// ranks their own. \throws RankFailure
[[nodiscard]] Expected<void>
agree(Communicator& ranks, std::string_view step, Expected<void> const& own);

/// Like the above for a result with a value.
template <class T>
[[nodiscard]] Expected<void>
agree(Communicator& ranks, std::string_view step, Expected<T> const& own) {
    return agree(ranks, step, own ? Expected<void>() : tl::unexpected(own.error()));
}

/// Converts a failure of ranks to an InputError.
[[nodiscard]] InputError error_of(RankFailure const& failure);

} // namespace keyswap::model
