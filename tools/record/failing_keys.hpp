#pragma once

/// \file The search for few keys that still make a sort fail. It knows nothing of sorts.

#include <cstdint>
#include <functional>
#include <vector>

namespace keyswap::conformance {

/// What the search may ask.
struct KeySearch {
    /// Whether the keys fail. May say no of keys that fail sometimes, and never yes of right ones.
    std::function<bool(std::vector<std::uint64_t> const&)> fails;
    std::function<bool()> time_left;
    /// The key of a rank among simple keys, which ascend: 0, 1, 2 ...
    std::function<std::uint64_t(std::uint64_t rank)> simple;
};

struct FailingKeys {
    std::vector<std::uint64_t> keys;
    bool minimal = false; ///< every key was left out once, and the others did not fail
};

/// Leaves keys out and makes the others simpler for as long as they fail: first all but a short
/// stretch of them, then ranges of values, then ever smaller pieces, then different values.
/// Of many pieces only some are tried.
/// \param keys that fail, as images in ascending order
/// Source: the pieces are those of Zeller, Hildebrandt: Simplifying and isolating failure-inducing
/// input, IEEE Transactions on Software Engineering 28 (2002).
[[nodiscard]] FailingKeys smallest_failing_keys(std::vector<std::uint64_t> keys,
                                                KeySearch const& search);

} // namespace keyswap::conformance
