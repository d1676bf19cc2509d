#pragma once

/// \file A GoogleTest matcher: the output is the sorted input; if not, it explains why.
///
///     EXPECT_THAT(output, SortedPermutationOf(input));
///     EXPECT_THAT(output, SortedPermutationOf(input, {.direction = Direction::descending}));

#include "model/check/output_check.hpp"
#include "model/keys/key_order.hpp"
#include "traces/errors/grouped_count.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <type_traits>
#include <vector>

namespace keyswap::testing {

/// The required order.
struct SortedHow {
    Direction direction = Direction::ascending;
    ZeroOrder zero_order = ZeroOrder::total;               ///< order of -0.0 and +0.0
    NanOrder nan_order = NanOrder::total;                  ///< total: by sign and bits, both ends
    std::optional<std::uint32_t> gpu_count = std::nullopt; ///< explains faults at chunk borders
};

/// Checks arrays as `keyswap check` does for files: reports the first fault, lost and duplicated
/// keys, and a likely cause.
template <class Key>
[[nodiscard]] model::OutputCheck
check_sorted(std::span<Key const> input, std::span<Key const> output, SortedHow const& how = {}) {
    model::OutputCheckOptions options;
    options.direction = how.direction;
    options.zero_order = how.zero_order;
    options.nan_order = how.nan_order;
    options.gpu_count = how.gpu_count;
    constexpr KeyType type = model::key_type_of<Key>;
    // Reading from memory cannot fail.
    return model::check_keys(model::StoredKeys::view(std::as_bytes(input), type),
                             model::StoredKeys::view(std::as_bytes(output), type),
                             options)
        .value();
}

/// Matches contiguous ranges of Key.
template <class Key>
class SortedPermutationMatcher {
  public:
    using is_gtest_matcher = void;

    SortedPermutationMatcher(std::vector<Key> input, SortedHow how)
        : input_(std::move(input)), how_(how) {}

    template <class Output>
    bool MatchAndExplain(Output const& output, std::ostream* explanation) const {
        auto const check = check_sorted<Key>(
            input_, std::span<Key const>(std::data(output), std::size(output)), how_);
        if (explanation != nullptr && !check.holds()) {
            for (char const* gap = ""; std::string const& sentence : model::sentences(check)) {
                *explanation << gap << sentence;
                gap = " ";
            }
        }
        return check.holds();
    }
    void DescribeTo(std::ostream* out) const {
        *out << "is a sorted permutation of the " << grouped_count(input_.size())
             << " keys of the input";
    }
    void DescribeNegationTo(std::ostream* out) const {
        *out << "is not a sorted permutation of the " << grouped_count(input_.size())
             << " keys of the input";
    }

  private:
    std::vector<Key> input_;
    SortedHow how_;
};

/// \param input keys before the sort: a contiguous range, which is copied
template <class Input>
[[nodiscard]] auto SortedPermutationOf(Input const& input, SortedHow how = {}) {
    using Key = std::remove_cvref_t<decltype(*std::data(input))>;
    return SortedPermutationMatcher<Key>(
        std::vector<Key>(std::data(input), std::data(input) + std::size(input)), how);
}

} // namespace keyswap::testing
