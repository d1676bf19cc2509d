#pragma once

/// \file Shrinks a failing input to few keys. Independent of the sort under test.

#include <cstdint>
#include <functional>
#include <vector>

namespace keyswap::conformance {

/// Callbacks of the search.
struct KeySearch {
    /// True if the keys fail. May return false for an intermittent failure, never true for a pass.
    std::function<bool(std::vector<std::uint64_t> const&)> fails;
    std::function<bool()> time_left;
    /// Simple key of a rank; ascends with the rank: 0, 1, 2 ...
    std::function<std::uint64_t(std::uint64_t rank)> simple;
};

struct FailingKeys {
    std::vector<std::uint64_t> keys;
    bool minimal = false; ///< no single key can be removed
};

/// Removes and simplifies keys while they still fail: keeps a short stretch, removes ranges of
/// values, then removes smaller and smaller pieces, then replaces distinct values. Tries only a
/// sample of many pieces.
/// \param keys failing keys, as images in ascending order
/// Source: pieces as in Zeller, Hildebrandt: Simplifying and isolating failure-inducing input, IEEE
/// Transactions on Software Engineering 28 (2002).
[[nodiscard]] FailingKeys smallest_failing_keys(std::vector<std::uint64_t> keys,
                                                KeySearch const& search);

} // namespace keyswap::conformance
