#pragma once

/// \file Inputs that broke real sorts, each with the bug report or release that describes it.

#include "model/keys/key_order.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

namespace keyswap::model {

template <class Key>
struct ZooCase {
    std::string name;   ///< "TileOfZerosAndOneMore"
    std::string source; ///< project and issue or version: "cub 43"
    std::vector<Key> keys;

    friend void PrintTo(ZooCase const& shown, std::ostream* out) {
        *out << shown.name << " (" << shown.source << "), " << shown.keys.size() << " keys";
    }
};

namespace zoo {

/// Pseudo-random keys of a linear congruential generator, identical in every build.
template <class Key>
[[nodiscard]] std::vector<Key> scattered(std::size_t count) {
    std::vector<Key> keys(count);
    std::uint64_t state = 1;
    for (Key& key : keys) {
        state = state * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U; // Knuth's MMIX
        if constexpr (std::is_floating_point_v<Key>) {
            key = static_cast<Key>(static_cast<std::int64_t>(state)) / Key{1U << 20};
        } else {
            key = static_cast<Key>(state >> 24);
        }
    }
    return keys;
}

/// `count` keys, key i being `of(i)`.
template <class Key, class Of>
[[nodiscard]] std::vector<Key> made(std::size_t count, Of of) {
    std::vector<Key> keys(count);
    for (std::size_t i = 0; i < count; ++i) {
        keys[i] = static_cast<Key>(of(i));
    }
    return keys;
}

/// A large key to which small integers can be added exactly.
template <class Key>
[[nodiscard]] constexpr Key quarter_of_keys() {
    if constexpr (std::is_floating_point_v<Key>) {
        return Key{1U << 22};
    } else {
        return static_cast<Key>(ImageOf<Key>{1} << (8 * sizeof(Key) - 2));
    }
}

template <class Key>
void add_floats(std::vector<ZooCase<Key>>& cases) {
    using Limits = std::numeric_limits<Key>;
    constexpr Key infinity = Limits::infinity();
    constexpr Key nan = Limits::quiet_NaN();
    auto const with_nans = [&](std::size_t count) {
        auto keys = scattered<Key>(count);
        keys[count / 2] = keys[count / 3] = nan;
        return keys;
    };
    cases.push_back({"NansInsideATile", "rocPRIM 283", with_nans(2'049)});
    cases.push_back({"NansInManyTiles", "rocPRIM 283", with_nans(8'196)});
    cases.push_back({"NanAmongFew", "arkouda 2703", {infinity, -9, -3, 0, 3, nan}});
    cases.push_back({"NansBesideInfinities", "highway 3129", made<Key>(1'000, [&](std::size_t i) {
                         return i % 7 == 0   ? nan
                                : i % 5 == 0 ? infinity
                                : i % 3 == 0 ? -infinity
                                             : static_cast<Key>(i);
                     })});
    cases.push_back({"NegativeNans", "cudf 7212", {-nan, 1, nan, -nan, -infinity, 0, infinity}});
    cases.push_back({"ZerosOfBothSigns", "cub 218", {Key{0}, -Key{0}, Key{0}, -Key{0}, Key{0}}});
    cases.push_back({"SeveralInfinities", "highway 1486", made<Key>(300, [&](std::size_t i) {
                         return i % 3 == 0 ? infinity : static_cast<Key>(i);
                     })});
    cases.push_back(
        {"InfinityAfterADescent", "x86-simd-sort 39", {8, 7, 6, 5, 4, 3, 2, 1, infinity}});
    cases.push_back({"EvenOnesNegated", "boost sort 4", made<Key>(100'000, [](std::size_t i) {
                         auto const value = static_cast<double>(i);
                         return i % 2 == 0 ? -value : value;
                     })});
    cases.push_back({"DenormalsAndZero", "highway 3098", made<Key>(1'000, [](std::size_t i) {
                         return Limits::denorm_min() * static_cast<Key>(i % 7) *
                                (i % 2 == 0 ? Key{1} : Key{-1});
                     })});
    for (int const most : {10, 100}) {
        cases.push_back({"WholeNumbersTo" + std::to_string(most),
                         "rmg-sort",
                         made<Key>(20'000, [most](std::size_t i) {
                             return 1 +
                                    static_cast<int>(i * 7'919 % static_cast<std::size_t>(most));
                         })});
    }
    if constexpr (sizeof(Key) == 4) {
        cases.push_back(
            {"WholeNumbersBeyondTheMantissa", "cutorch 339", made<Key>(5'000, [](std::size_t i) {
                 return (1U << 24) + i * 37 % 5'000;
             })});
    }
}

template <class Key>
void add_whole_numbers(std::vector<ZooCase<Key>>& cases) {
    constexpr int bits = 8 * sizeof(Key);
    cases.push_back({"CodesShiftedLeftBy16", "rmg-sort", made<Key>(20'000, [](std::size_t i) {
                         return (i * 31 % 1'000) << 16;
                     })});
    cases.push_back({"DifferInTheLastBitOnly", "cub 1.3.1", made<Key>(5'000, [](std::size_t i) {
                         return static_cast<Key>((ImageOf<Key>{0x5a} << (bits - 8)) |
                                                 (i * i % 3 & 1));
                     })});
    cases.push_back({"DifferInTheFirstBitOnly", "cub 564", made<Key>(5'000, [](std::size_t i) {
                         return static_cast<Key>(static_cast<ImageOf<Key>>(i * i % 3 & 1)
                                                 << (bits - 1));
                     })});
    cases.push_back({"EqualHalves", "highway 1643", made<Key>(3'000, [](std::size_t i) {
                         auto const half = static_cast<ImageOf<Key>>(i * 7'919 % 3'001);
                         return static_cast<Key>((half << (bits / 2)) | half);
                     })});
    if constexpr (SignedKey<Key>) {
        cases.push_back({"OneZeroAndNegatives", "cccl 4921", {1, 0, -1, -2, -3}});
        cases.push_back({"LeastValueAmongOthers",
                         "pytorch xla 865",
                         {-128, std::numeric_limits<Key>::lowest(), 127, 0, -1}});
        cases.push_back({"ThreeThousand", "cub 310", scattered<Key>(3'000)});
    }
}

} // namespace zoo

/// All cases for a type of 32, 64 or 128 bits, most of a few thousand keys.
template <class Key>
[[nodiscard]] std::vector<ZooCase<Key>> key_zoo() {
    constexpr Key largest = std::numeric_limits<Key>::max();
    constexpr Key least = std::numeric_limits<Key>::lowest();
    std::vector<ZooCase<Key>> cases{
        {"Nothing", "cub 25", {}},
        {"OneKey", "thrust 998", {Key{7}}},
        {"TwoEqualKeys", "dask-cuda 57", {Key{7}, Key{7}}},
        {"AllEqual", "cudax sort", std::vector<Key>(10'000, Key{3})},
        {"TwoDistinct",
         "dask-cuda 57",
         zoo::made<Key>(10'000, [](std::size_t i) { return i * i % 3 & 1; })},
        {"Sorted", "mlx 882", zoo::made<Key>(10'000, [](std::size_t i) { return i; })},
        {"Reversed",
         "oneDPL 2022.2",
         zoo::made<Key>(10'000, [](std::size_t i) { return 10'000 - i; })},
        {"LargestInAPartialTile", "cub 2015", std::vector<Key>(1'000, largest)},
        {"LeastInAPartialTile", "cub 2015", std::vector<Key>(1'000, least)},
        {"LargestAmongOthers",
         "cub 2015",
         zoo::made<Key>(1'000,
                        [](std::size_t i) { return i % 5 == 0 ? largest : static_cast<Key>(i); })},
        {"FewerKeysThanGpus", "heat 417", {Key{3}, Key{1}, Key{2}}},
        {"NothingInTheMiddle",
         "cupynumeric 1174",
         zoo::made<Key>(10'000,
                        [](std::size_t i) {
                            auto const near = static_cast<Key>(i * 31 % 97);
                            return i % 2 == 0 ? static_cast<Key>(zoo::quarter_of_keys<Key>() + near)
                                              : near;
                        })},
    };
    for (std::size_t const zeros : {1'792, 1'793}) {
        cases.push_back(
            {"Zeros" + std::to_string(zeros), "cub 43", std::vector<Key>(zeros, Key{0})});
    }
    // Sizes around typical tile sizes: powers of two and small multiples of them.
    for (std::size_t const tile : {32, 256, 1'024, 4'096, 7'680}) {
        for (int const beyond : {-1, 0, 1}) {
            std::size_t const count = tile + static_cast<std::size_t>(beyond + 1) - 1;
            cases.push_back(
                {"ScatteredKeys" + std::to_string(count), "cub 43", zoo::scattered<Key>(count)});
        }
    }
    cases.push_back({"MoreThanOneBlockOfTiles", "cccl 655", zoo::scattered<Key>(65'537)});
    if constexpr (std::is_floating_point_v<Key>) {
        zoo::add_floats(cases);
    } else {
        zoo::add_whole_numbers(cases);
    }
    return cases;
}

} // namespace keyswap::model
