#include "tools/record/failing_keys.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace keyswap::conformance {

namespace {

using Keys = std::vector<std::uint64_t>;

/// Limits on tries of one size: pieces in sequence, single keys, values. Bounds the search if all
/// of, say, 65,537 keys are needed.
constexpr std::size_t pieces_tried_max = 48;
constexpr std::size_t keys_tried_max = 128;
constexpr std::size_t values_tried_max = 48;
/// Up to this many keys, tries to remove every pair: 190 tries.
constexpr std::size_t keys_of_pairs_max = 20;

class Search {
  public:
    Search(Keys keys, KeySearch const& asked) : asked_(asked), keys_(std::move(keys)) {}

    FailingKeys result() {
        // Tries short stretches first, since they are fast: at the beginning, then around the
        // middle.
        std::size_t const count = keys_.size();
        std::size_t const passing = find_short_stretch(0);
        leave_values_out();
        narrow_stretch(0, keys_.size() == count ? passing : 0);
        narrow_stretch(1, find_short_stretch(1));
        constexpr int rounds_max = 3; // simpler values may need fewer keys
        for (int round = 0; round < rounds_max; ++round) {
            leave_pieces_out();
            std::size_t const before = values().size();
            bool const changed = simplify_values();
            minimal_ = minimal_ && !changed;
            if (values().size() == before) {
                if (changed) {
                    leave_out(1);
                }
                break;
            }
        }
        return {keys_, minimal_};
    }

  private:
    /// True if the given keys fail; they then become the current keys.
    bool take_if_failing(Keys keys) {
        if (!asked_.time_left() || !asked_.fails(keys)) {
            return false;
        }
        keys_ = std::move(keys);
        return true;
    }

    /// Consecutive keys. \param before of two halves removed, how many precede the stretch (0 to 2)
    [[nodiscard]] Keys stretch(std::size_t size, std::size_t before) const {
        return keys_from((keys_.size() - size) * before / 2, size);
    }

    /// Tries stretches of 0, 1, 2, 4 ... keys. \return longest one that passed before one failed
    std::size_t find_short_stretch(std::size_t before) {
        std::size_t passing = 0;
        std::size_t const count = keys_.size();
        for (std::size_t size = 0; size < count; size = size == 0 ? 1 : 2 * size) {
            if (take_if_failing(stretch(size, before))) {
                break;
            }
            passing = size;
        }
        return passing;
    }

    /// Binary search for a failing stretch shorter than all keys and longer than `passing`.
    void narrow_stretch(std::size_t before, std::size_t passing) {
        while (keys_.size() > passing + 1 && asked_.time_left()) {
            std::size_t const middle = passing + (keys_.size() - passing) / 2;
            if (!take_if_failing(stretch(middle, before))) {
                passing = middle;
            }
        }
    }

    /// Removes ranges of values, from half down to a sixteenth of the keys, at any position: a
    /// failure within one bucket does not need the others.
    void leave_values_out() {
        constexpr std::size_t ranges_max = 16;
        for (std::size_t ranges = 2; ranges <= ranges_max; ranges *= 2) {
            bool left_out = false;
            for (std::size_t i = ranges; i-- > 0 && asked_.time_left();) {
                left_out = leave_range_out(i, ranges) || left_out;
            }
            if (left_out) {
                ranges = 1; // restart with halves of the remaining keys
            }
        }
    }

    bool leave_range_out(std::size_t i, std::size_t ranges) {
        if (keys_.size() < 2 * ranges) {
            return false;
        }
        Keys sorted = keys_;
        std::ranges::sort(sorted);
        std::uint64_t const lowest = sorted[i * sorted.size() / ranges];
        bool const is_last = i + 1 == ranges;
        std::uint64_t const above = is_last ? 0 : sorted[(i + 1) * sorted.size() / ranges];
        Keys rest;
        std::ranges::copy_if(keys_, std::back_inserter(rest), [&](std::uint64_t key) {
            return key < lowest || (!is_last && key >= above);
        });
        return rest.size() < keys_.size() && take_if_failing(std::move(rest));
    }

    [[nodiscard]] Keys keys_from(std::size_t first, std::size_t size) const {
        auto const begin = keys_.begin() + static_cast<std::ptrdiff_t>(first);
        return {begin, begin + static_cast<std::ptrdiff_t>(size)};
    }
    [[nodiscard]] Keys without(std::size_t begin, std::size_t end) const {
        Keys rest = keys_from(0, begin);
        rest.insert(rest.end(), keys_.begin() + static_cast<std::ptrdiff_t>(end), keys_.end());
        return rest;
    }

    void leave_pieces_out() {
        minimal_ = false;
        for (std::size_t size = std::max<std::size_t>(keys_.size() / 2, 1); size > 0; size /= 2) {
            while (leave_out(size) && asked_.time_left()) {
            }
        }
        if (keys_.size() <= keys_of_pairs_max) {
            while (leave_pair_out() && asked_.time_left()) {
            }
            leave_out(1);
        }
    }

    /// Tries to remove any two keys, as needed for a sort whose splitter is the median.
    bool leave_pair_out() {
        for (std::size_t last = keys_.size(); last-- > 1;) {
            for (std::size_t first = last; first-- > 0;) {
                Keys rest = without(last, last + 1);
                rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(first));
                if (take_if_failing(std::move(rest))) {
                    return true;
                }
            }
        }
        return false;
    }

    /// Tries to remove pieces of one size, from the last to the first, so that earlier keys keep
    /// their positions. \return true if a piece was removed
    bool leave_out(std::size_t size) {
        std::size_t const pieces = (keys_.size() + size - 1) / size;
        std::size_t const tried = std::min(pieces, size == 1 ? keys_tried_max : pieces_tried_max);
        bool left_out = false;
        for (std::size_t i = tried; i-- > 0 && asked_.time_left();) {
            std::size_t const begin = i * pieces / tried * size;
            if (begin < keys_.size()) {
                bool const gone =
                    take_if_failing(without(begin, std::min(begin + size, keys_.size())));
                left_out = left_out || gone;
            }
        }
        minimal_ = size == 1 && !left_out && tried == pieces && asked_.time_left();
        return left_out;
    }

    [[nodiscard]] Keys values() const {
        Keys sorted = keys_;
        std::ranges::sort(sorted);
        sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
        return sorted;
    }

    [[nodiscard]] Keys with(std::uint64_t value, std::uint64_t other) const {
        Keys changed = keys_;
        std::ranges::replace(changed, value, other);
        return changed;
    }

    /// Replaces every value by the simple key of its rank.
    [[nodiscard]] Keys ranked() const {
        Keys const sorted = values();
        Keys changed = keys_;
        for (std::uint64_t& key : changed) {
            auto const rank = std::ranges::lower_bound(sorted, key) - sorted.begin();
            key = asked_.simple(static_cast<std::uint64_t>(rank));
        }
        return changed;
    }

    bool simplify_values() {
        Keys const before = keys_;
        take_if_other(Keys(keys_.size(), asked_.simple(0)));
        take_if_other(ranked());
        Keys const sorted = values();
        std::size_t const tried = std::min(sorted.size(), values_tried_max);
        for (std::size_t i = tried; i-- > 1 && asked_.time_left();) { // by the preceding value
            std::size_t const at = i * sorted.size() / tried;
            take_if_other(with(sorted[at], sorted[at - 1]));
        }
        take_if_other(ranked());
        Keys const rest = values();
        for (std::size_t i = 0; i < std::min(rest.size(), values_tried_max); ++i) {
            std::uint64_t const simple = asked_.simple(i);
            if (!std::ranges::binary_search(rest, simple)) {
                take_if_other(with(rest[i], simple));
            }
        }
        return keys_ != before;
    }

    void take_if_other(Keys keys) {
        if (keys != keys_) {
            take_if_failing(std::move(keys));
        }
    }

    KeySearch const& asked_;
    Keys keys_;
    bool minimal_ = false;
};

} // namespace

FailingKeys smallest_failing_keys(std::vector<std::uint64_t> keys, KeySearch const& search) {
    return Search(std::move(keys), search).result();
}

} // namespace keyswap::conformance
