#pragma once

/// \file RapidCheck generators of keys that break sorts: ties, few distinct values, extreme and
/// special values, narrow ranges, presorted input. They shrink to few and small keys.
///
///     rc::check("sorts", [] {
///         auto const input = *keyswap::testing::hard_keys<float>();
///         RC_ASSERT(is_sorted_permutation(my_sort(input), input));
///     });

#include "proptests/testing/sorted_permutation.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace keyswap::testing {

/// Values at which the behaviour of keys, digits or comparisons changes.
template <class Key>
[[nodiscard]] std::vector<Key> special_keys() {
    using Limits = std::numeric_limits<Key>;
    std::vector<Key> keys{Key{0}, Key{1}, Limits::lowest(), Limits::max()};
    if constexpr (std::is_floating_point_v<Key>) {
        keys.insert(
            keys.end(),
            {-Key{0},
             Key{-1},
             Limits::min(),
             -Limits::min(),
             Limits::denorm_min(),
             -Limits::denorm_min(),
             Limits::infinity(),
             -Limits::infinity(),
             Limits::quiet_NaN(),
             -Limits::quiet_NaN(),
             std::bit_cast<Key>(std::bit_cast<model::ImageOf<Key>>(Limits::quiet_NaN()) + 1)});
    } else {
        constexpr int bits = 8 * sizeof(Key);
        for (int bit = 8; bit < bits; bit += 8) { // both sides of digit borders
            auto const border = model::ImageOf<Key>{1} << bit;
            keys.push_back(static_cast<Key>(border - 1));
            keys.push_back(static_cast<Key>(border));
        }
        keys.push_back(static_cast<Key>(Limits::max() - 1));
        if constexpr (model::SignedKey<Key>) {
            keys.push_back(Key{-1});
        }
    }
    return keys;
}

/// A word with random bits, of any width.
template <class Word>
[[nodiscard]] rc::Gen<Word> any_word() {
    if constexpr (sizeof(Word) <= sizeof(std::uint64_t)) {
        return rc::gen::arbitrary<Word>();
    } else {
        using Halves = std::pair<std::uint64_t, std::uint64_t>;
        return rc::gen::map(rc::gen::arbitrary<Halves>(), [](Halves const& halves) {
            return model::wide({halves.first, halves.second});
        });
    }
}

/// One key: random bits, a special value, or a small integer.
template <class Key>
[[nodiscard]] rc::Gen<Key> hard_key() {
    return rc::gen::oneOf(
        rc::gen::map(any_word<model::ImageOf<Key>>(),
                     [](model::ImageOf<Key> word) { return std::bit_cast<Key>(word); }),
        rc::gen::elementOf(special_keys<Key>()),
        rc::gen::map(rc::gen::inRange<int>(0, 11),
                     [](int whole) { return static_cast<Key>(whole); }));
}

/// Arrays of at most `count_max` keys, in random order or presorted, with a random number of
/// duplicates.
template <class Key>
[[nodiscard]] rc::Gen<std::vector<Key>> hard_keys(std::size_t count_max = 5'000) {
    using Keys = std::vector<Key>;
    // RapidCheck sizes end at 100, which is smaller than a sort's tile.
    auto const many = [count_max](rc::Gen<Keys> const& gen) {
        return rc::gen::withSize([=](int size) {
            return rc::gen::resize(
                static_cast<int>(static_cast<std::size_t>(size) * count_max / 100), gen);
        });
    };
    auto const plain = many(rc::gen::container<Keys>(hard_key<Key>()));
    // Few values in long runs: ties across tiles, and buckets across GPUs.
    using Row = std::pair<Key, std::size_t>;
    auto const rows = rc::gen::map(
        rc::gen::container<std::vector<Row>>(rc::gen::pair(
            hard_key<Key>(),
            rc::gen::inRange<std::size_t>(1, std::max<std::size_t>(2, count_max / 10)))),
        [count_max](std::vector<Row> const& drawn) {
            Keys keys;
            for (auto const& [key, count] : drawn) {
                keys.insert(keys.end(), std::min(count, count_max - keys.size()), key);
            }
            return keys;
        });
    auto const image = [](Key key) { return model::image_of(key); };
    auto const ascending = rc::gen::map(plain, [image](Keys keys) {
        std::ranges::sort(keys, {}, image);
        return keys;
    });
    auto const descending = rc::gen::map(plain, [image](Keys keys) {
        std::ranges::sort(keys, std::ranges::greater{}, image);
        return keys;
    });
    auto const few = many(
        rc::gen::mapcat(rc::gen::container<Keys>(3, hard_key<Key>()), [](Keys const& alphabet) {
            return rc::gen::container<Keys>(rc::gen::elementOf(alphabet));
        }));
    return rc::gen::oneOf(plain, rows, few, ascending, descending);
}

/// Like the matcher, for RC_ASSERT; logs the problem through RapidCheck.
template <class Key>
[[nodiscard]] bool is_sorted_permutation(std::vector<Key> const& output,
                                         std::vector<Key> const& input,
                                         SortedHow const& how = {}) {
    auto const check = check_sorted<Key>(input, output, how);
    if (!check.holds()) {
        for (std::string const& sentence : model::sentences(check)) {
            RC_LOG(sentence);
        }
    }
    return check.holds();
}

} // namespace keyswap::testing
