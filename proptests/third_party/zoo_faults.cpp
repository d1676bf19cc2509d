// Sorts with one fault each, of kinds that real sorts have had; the inputs of the zoo
// (model/distributions/key_zoo.hpp) must find them. proptests/testing/ZOO.md lists sorts and
// inputs.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace {

template <class Key>
using WordOf = std::conditional_t<sizeof(Key) == 4, std::uint32_t, std::uint64_t>;

template <class Key>
bool is_less(Key a, Key b) {
    if constexpr (std::is_floating_point_v<Key>) {
        return std::strong_order(a, b) < 0;
    } else {
        return a < b;
    }
}

/// Maps a key to an unsigned word with the same order.
template <class Key>
WordOf<Key> image_of(Key key) {
    auto const word = std::bit_cast<WordOf<Key>>(key);
    constexpr auto sign = WordOf<Key>{1} << (8 * sizeof(Key) - 1);
    if constexpr (std::is_floating_point_v<Key>) {
        return (word & sign) != 0 ? static_cast<WordOf<Key>>(~word) : word ^ sign;
    } else {
        return std::is_signed_v<Key> ? word ^ sign : word;
    }
}

template <class Key>
void sort_correctly(std::span<Key> keys) {
    std::sort(keys.begin(), keys.end(), is_less<Key>);
}

template <class Key, class Projection>
void sort_by(std::span<Key> keys, Projection projection) {
    std::ranges::stable_sort(keys, {}, projection);
}

template <class Key>
bool is_nan([[maybe_unused]] Key key) {
    if constexpr (std::is_floating_point_v<Key>) {
        return std::isnan(key);
    } else {
        return false;
    }
}

template <class Use>
int with_type(std::string_view type, void* keys, std::uint64_t count, Use use) {
    auto const as = [&]<class Key>(Key) { return use(std::span(static_cast<Key*>(keys), count)); };
    return type == "u32"   ? as(std::uint32_t{})
           : type == "u64" ? as(std::uint64_t{})
           : type == "i32" ? as(std::int32_t{})
           : type == "i64" ? as(std::int64_t{})
           : type == "f32" ? as(float{})
                           : as(double{});
}

/// Sorts stably by key and moves the values with the keys.
template <class Key>
std::vector<std::uint32_t> stable_order(std::span<Key> keys) {
    std::vector<std::uint32_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, is_less<Key>, [&](std::uint32_t i) { return keys[i]; });
    return order;
}

constexpr std::size_t tile = 1'024;
constexpr std::size_t gpu_count = 4;

} // namespace

// Defines a sort of keys of any type: FAULTY(name) { ... keys ... return 0; }
#define FAULTY(name)                                                                               \
    template <class Key>                                                                           \
    static int name##_of(std::span<Key> keys);                                                     \
    extern "C" int name(void* keys, std::uint64_t count, char const* type) {                       \
        return with_type(                                                                          \
            type, keys, count, []<class Key>(std::span<Key> all) { return name##_of(all); });      \
    }                                                                                              \
    template <class Key>                                                                           \
    static int name##_of([[maybe_unused]] std::span<Key> keys)

// Like FAULTY, with 32-bit values.
#define FAULTY_PAIRS(name)                                                                         \
    template <class Key>                                                                           \
    static int name##_of(std::span<Key> keys, std::uint32_t* values);                              \
    extern "C" int name(void* keys, std::uint64_t count, char const* type, void* values) {         \
        return with_type(type, keys, count, [&]<class Key>(std::span<Key> all) {                   \
            return name##_of(all, static_cast<std::uint32_t*>(values));                            \
        });                                                                                        \
    }                                                                                              \
    template <class Key>                                                                           \
    static int name##_of(std::span<Key> keys, std::uint32_t* values)

FAULTY(right) {
    sort_correctly(keys);
    return 0;
}

// Faults for certain sizes.

FAULTY(counts_in_16_bits) {
    sort_correctly(keys.first(static_cast<std::uint16_t>(keys.size())));
    return 0;
}

FAULTY(leaves_the_partial_tile) {
    sort_correctly(keys.first(keys.size() / tile * tile));
    return 0;
}

FAULTY(divides_by_the_count) {
    if (keys.empty()) {
        std::abort(); // stands for a division by zero
    }
    sort_correctly(keys);
    return 0;
}

FAULTY(touches_a_second_key) {
    sort_correctly(keys);
    if (keys.size() == 1) {
        keys.data()[1] = keys[0];
    }
    return 0;
}

FAULTY(takes_few_keys_for_a_size_query) {
    if (keys.size() > 8) {
        sort_correctly(keys);
    }
    return 0;
}

FAULTY(starts_no_kernel_for_many) {
    if (keys.size() <= 4'864) {
        sort_correctly(keys);
    }
    return 0;
}

FAULTY(writes_a_whole_warp) {
    sort_correctly(keys);
    if (keys.size() % 32 == 1) {
        keys.data()[keys.size()] = keys.back();
    }
    return 0;
}

FAULTY(merges_full_tiles_only) {
    constexpr std::size_t leaf = 256;
    for (std::size_t begin = 0; begin < keys.size(); begin += leaf) {
        sort_correctly(keys.subspan(begin, std::min(leaf, keys.size() - begin)));
    }
    for (std::size_t width = leaf; width < keys.size(); width *= 2) {
        for (std::size_t begin = 0; begin + 2 * width <= keys.size(); begin += 2 * width) {
            auto const run = keys.subspan(begin, 2 * width);
            std::inplace_merge(run.begin(), run.begin() + width, run.end(), is_less<Key>);
        }
    }
    return 0;
}

// Faults in bits and digits.

FAULTY(leaves_the_first_bit) {
    sort_by(keys, [](Key key) { return static_cast<WordOf<Key>>(image_of(key) << 1); });
    return 0;
}

FAULTY(leaves_the_last_bit) {
    sort_by(keys, [](Key key) { return image_of(key) >> 1; });
    return 0;
}

FAULTY(leaves_digits_that_the_width_does_not_fill) {
    constexpr int digit_bits = 7; // does not divide 32 or 64
    constexpr int sorted_bits = 8 * sizeof(Key) / digit_bits * digit_bits;
    sort_by(keys, [](Key key) { return image_of(key) & ((WordOf<Key>{1} << sorted_bits) - 1); });
    return 0;
}

FAULTY_PAIRS(lets_pads_come_out) {
    auto const order = stable_order(keys);
    std::vector<Key> const before(keys.begin(), keys.end());
    std::size_t const pads = (tile - keys.size() % tile) % tile;
    std::size_t first_largest = keys.size();
    for (std::size_t i = 0; i < keys.size(); ++i) {
        keys[i] = before[order[i]];
        values[i] = order[i];
        if (keys[i] == std::numeric_limits<Key>::max()) {
            first_largest = std::min(first_largest, i);
        }
    }
    for (std::size_t i = first_largest; i < std::min(keys.size(), first_largest + pads); ++i) {
        values[i] = std::numeric_limits<std::uint32_t>::max();
    }
    return 0;
}

// Faults for certain key types.

FAULTY(takes_zeros_as_equal) {
    sort_by(keys, [](Key key) { return key == Key{0} ? image_of(Key{0}) : image_of(key); });
    return 0;
}

FAULTY(compares_nans_by_less) {
    std::stable_sort(keys.begin(), keys.end(), [](Key a, Key b) { return a < b; });
    return 0;
}

FAULTY(puts_every_nan_last) {
    sort_by(keys, [](Key key) {
        return is_nan(key) ? std::numeric_limits<WordOf<Key>>::max() : image_of(key);
    });
    return 0;
}

FAULTY(pads_with_infinity) {
    sort_correctly(keys);
    using Limits = std::numeric_limits<Key>;
    std::ranges::replace(keys, Limits::infinity(), Limits::max());
    return 0;
}

FAULTY(makes_nans_infinite) {
    std::ranges::replace_if(keys, is_nan<Key>, std::numeric_limits<Key>::infinity());
    sort_correctly(keys);
    return 0;
}

FAULTY(flushes_denormals) {
    if constexpr (std::is_floating_point_v<Key>) {
        for (Key& key : keys) {
            key = std::fpclassify(key) == FP_SUBNORMAL ? std::copysign(Key{0}, key) : key;
        }
    }
    sort_correctly(keys);
    return 0;
}

FAULTY(sorts_signed_keys_as_unsigned) {
    sort_by(keys, [](Key key) { return std::bit_cast<WordOf<Key>>(key); });
    return 0;
}

FAULTY(descends_by_negation) {
    sort_by(keys, [](Key key) {
        if constexpr (std::is_floating_point_v<Key>) {
            return image_of(-key);
        } else { // negating the smallest key gives itself
            return image_of(static_cast<Key>(WordOf<Key>{0} - static_cast<WordOf<Key>>(key)));
        }
    });
    return 0;
}

FAULTY(compares_in_floats) {
    sort_by(keys, [](Key key) { return image_of(static_cast<float>(key)); });
    return 0;
}

FAULTY(gives_up_on_equal_halves) {
    constexpr int half = 4 * sizeof(Key);
    auto const is_even = [](Key key) {
        auto const word = std::bit_cast<WordOf<Key>>(key);
        return word >> half == (word & ((WordOf<Key>{1} << half) - 1));
    };
    if (keys.size() > 100 && std::ranges::all_of(keys, is_even)) {
        std::abort(); // stands for a failed choice of pivot
    }
    sort_correctly(keys);
    return 0;
}

FAULTY_PAIRS(loses_values_of_duplicates) {
    auto const order = stable_order(keys);
    std::vector<Key> const before(keys.begin(), keys.end());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        keys[i] = before[order[i]];
        values[i] = i > 0 && keys[i] == keys[i - 1] ? values[i - 1] : order[i];
    }
    return 0;
}

FAULTY_PAIRS(is_not_stable) {
    auto const order = stable_order(keys);
    std::vector<Key> const before(keys.begin(), keys.end());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        keys[i] = before[order[i]];
        values[i] = order[i];
        if (i > 0 && keys[i] == keys[i - 1]) {
            std::swap(values[i], values[i - 1]);
        }
    }
    return 0;
}

// Memory errors and races.

FAULTY(reads_what_it_has_overwritten) {
    auto const order = stable_order(keys);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        keys[i] = keys[order[i]];
    }
    return 0;
}

FAULTY(starts_at_the_second_key) {
    sort_correctly(keys.empty() ? keys : keys.subspan(1));
    return 0;
}

FAULTY(takes_a_stale_sum_now_and_then) {
    sort_correctly(keys);
    if (keys.size() > tile && std::random_device{}() % 5 < 2) {
        std::swap(keys[tile - 1], keys[0]);
    }
    return 0;
}

// Faults on several GPUs.

namespace {

/// Sorted keys divided into equal ranges of values, one per GPU.
template <class Key>
std::vector<std::vector<Key>> ranges_of(std::span<Key> keys, std::size_t count) {
    sort_correctly(keys);
    std::vector<std::vector<Key>> ranges(count);
    auto const least = image_of(keys.front());
    auto const width = (image_of(keys.back()) - least) / count + 1;
    for (Key const key : keys) {
        ranges[std::min<std::size_t>((image_of(key) - least) / width, count - 1)].push_back(key);
    }
    return ranges;
}

} // namespace

FAULTY(counts_empty_parts_as_the_next) {
    if (keys.empty()) {
        return 0;
    }
    auto const ranges = ranges_of(keys, gpu_count);
    std::size_t at = 0;
    for (std::size_t gpu = 0; gpu < gpu_count; ++gpu) {
        bool const after_nothing = gpu > 0 && ranges[gpu - 1].empty();
        std::size_t const begin = after_nothing ? at - std::min<std::size_t>(at, 1) : at;
        std::ranges::copy(ranges[gpu], keys.subspan(begin).begin());
        at += ranges[gpu].size();
    }
    return 0;
}

FAULTY(leaves_shares_of_nothing) {
    if (keys.size() >= gpu_count) {
        sort_correctly(keys);
    }
    return 0;
}

FAULTY(sends_equal_keys_to_one_gpu) {
    sort_correctly(keys);
    std::size_t run = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        run = i > 0 && !is_less(keys[i - 1], keys[i]) ? run + 1 : 1;
        if (run > 100 && run > 3 * keys.size() / gpu_count) {
            return 2; // out of memory
        }
    }
    return 0;
}

FAULTY(forgets_the_parent_bucket) {
    constexpr int first_digit = 8 * sizeof(Key) - 8;
    std::array<std::size_t, 256> sizes{};
    for (Key const key : keys) {
        ++sizes[image_of(key) >> first_digit];
    }
    sort_by(keys, [&](Key key) {
        WordOf<Key> const image = image_of(key);
        bool const is_refined = 4 * sizes[image >> first_digit] > keys.size();
        return is_refined ? static_cast<WordOf<Key>>(image << 8) >> 8 : image;
    });
    return 0;
}

FAULTY(orders_gpus_as_text) {
    constexpr std::array in_text_order{0, 1, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9};
    sort_correctly(keys);
    std::size_t const share = keys.size() / in_text_order.size();
    std::vector<Key> const before(keys.begin(), keys.end());
    for (std::size_t i = 0; i < in_text_order.size(); ++i) {
        auto const from = before.begin() + static_cast<std::ptrdiff_t>(share) * in_text_order[i];
        std::copy_n(from, share, keys.subspan(i * share).begin());
    }
    return 0;
}
