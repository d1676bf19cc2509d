// Sorts with one fault each, for `keyswap record --shrink`. Comments give the minimum input.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace {

using Key = std::uint32_t;

} // namespace

/// 5 keys: keys equal to the splitter but behind it in the input are counted right of it and
/// written left of it, where they displace other keys.
extern "C" int exchanges_keys_at_a_splitter(Key* keys, std::uint64_t count) {
    if (count == 0) {
        return 0;
    }
    std::vector<Key> const before(keys, keys + count);
    std::uint64_t const place = count / 2;
    Key const splitter = before[place];
    std::uint64_t left_count = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        left_count += before[i] < splitter || (before[i] == splitter && i <= place) ? 1 : 0;
    }
    std::uint64_t left = 0;
    std::uint64_t right = left_count;
    for (Key const key : before) {
        bool const goes_left = right == count || (key <= splitter && left < left_count);
        keys[goes_left ? left++ : right++] = key;
    }
    std::sort(keys, keys + left_count);
    std::sort(keys + left_count, keys + count);
    return 0;
}

/// 257 keys: merges only pairs of full tiles and leaves a tile without a partner unmerged.
extern "C" int leaves_a_tile_unmerged(Key* keys, std::uint64_t count) {
    constexpr std::uint64_t tile = 256;
    for (std::uint64_t begin = 0; begin < count; begin += tile) {
        std::sort(keys + begin, keys + std::min(begin + tile, count));
    }
    for (std::uint64_t width = tile; width < count; width *= 2) {
        for (std::uint64_t begin = 0; begin + 2 * width <= count; begin += 2 * width) {
            Key* const run = keys + begin;
            std::inplace_merge(run, run + width, run + 2 * width);
        }
    }
    return 0;
}

/// 65,536 keys: stores their count in 16 bits.
extern "C" int counts_to_65535(Key* keys, std::uint64_t count) {
    std::sort(keys, keys + static_cast<std::uint16_t>(count));
    return 0;
}

/// 1 key: turns every NaN into the positive quiet NaN.
extern "C" int makes_nans_alike(float* keys, std::uint64_t count) {
    std::replace_if(
        keys,
        keys + count,
        [](float key) { return std::isnan(key); },
        std::numeric_limits<float>::quiet_NaN());
    std::sort(keys, keys + count, [](float a, float b) {
        return std::isnan(b) ? !std::isnan(a)
                             : a < b || (a == b && std::signbit(a) > std::signbit(b));
    });
    return 0;
}

/// 100 keys, in one run of 20: simulates a race in which two blocks exchange their first keys.
extern "C" int races_now_and_then(Key* keys, std::uint64_t count) {
    std::sort(keys, keys + count);
    if (count >= 100 && std::random_device{}() % 20 == 0) {
        std::swap(keys[0], keys[count / 2]);
    }
    return 0;
}

/// 1 key: sorts one key too many.
extern "C" int sorts_one_past_the_end(Key* keys, std::uint64_t count) {
    std::sort(keys, keys + count + 1);
    return 0;
}
