#include "proptests/properties/case_generators.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace keyswap::proptests {

namespace {

std::uint64_t image_mask(KeyType type) {
    return key_bits(type) == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << key_bits(type)) - 1;
}

/// Image of a positive integer as a float of the type's width: its bits with the sign bit set.
std::uint64_t float_image(KeyType type, int whole) {
    if (key_bits(type) == 32) {
        return std::bit_cast<std::uint32_t>(static_cast<float>(whole)) ^ 0x80000000U;
    }
    return std::bit_cast<std::uint64_t>(static_cast<double>(whole)) ^ (std::uint64_t{1} << 63);
}

/// One image of the given shape. \param base prefix or value shared by all keys of a case
rc::Gen<std::uint64_t> image_of_shape(KeyShape shape, KeyType type, std::uint64_t base) {
    using rc::gen::inRange;
    using rc::gen::map;
    std::uint64_t const mask = image_mask(type);
    switch (shape) {
    case KeyShape::any:
        return map(rc::gen::arbitrary<std::uint64_t>(),
                   [mask](std::uint64_t word) { return word & mask; });
    case KeyShape::few_distinct:
        return map(inRange<std::uint64_t>(0, 10),
                   [mask, base](std::uint64_t which) { return mix_bits(base + which) & mask; });
    case KeyShape::whole_floats:
        return map(inRange(1, base % 2 == 0 ? 11 : 101),
                   [type](int whole) { return float_image(type, whole); });
    case KeyShape::shifted_codes:
        return map(inRange<std::uint64_t>(0, 200), [](std::uint64_t code) { return code << 16; });
    case KeyShape::prices:
        return map(inRange<std::uint64_t>(0, 1000),
                   [](std::uint64_t price) { return price * price / 1000 * 100 + 99; });
    case KeyShape::dates:
        return map(inRange<std::uint64_t>(0, 3 * 365),
                   [](std::uint64_t day) { return 20'000 + day; });
    case KeyShape::long_prefix:
        return map(inRange<std::uint64_t>(0, 16), [mask, base](std::uint64_t low) {
            return ((base & mask) & ~std::uint64_t{15}) | low;
        });
    case KeyShape::runs:
        return map(inRange<std::uint64_t>(0, 4), [mask, base](std::uint64_t which) {
            return (mix_bits(base) + which * (base % 3 == 0 ? 1 : 0x1000000)) & mask;
        });
    }
    return rc::gen::just<std::uint64_t>(0);
}

rc::Gen<std::vector<std::uint64_t>>
images_of_shape(KeyShape shape, KeyType type, std::uint64_t base, std::size_t count_max) {
    // RapidCheck's size ranges from 0 to 100; scale it to count_max keys.
    auto const images = rc::gen::scale(
        static_cast<double>(count_max) / 100.0,
        rc::gen::container<std::vector<std::uint64_t>>(image_of_shape(shape, type, base)));
    if (shape != KeyShape::runs) {
        return images;
    }
    return rc::gen::map(images, [](std::vector<std::uint64_t> unordered) {
        std::ranges::sort(unordered);
        return unordered;
    });
}

rc::Gen<SortCase> case_of(rc::Gen<KeyShape> const& shapes,
                          rc::Gen<std::uint32_t> const& gpu_counts,
                          rc::Gen<int> const& digit_bits,
                          rc::Gen<std::uint32_t> const& tolerances,
                          std::size_t key_count_max) {
    return rc::gen::exec([=] {
        SortCase sort_case;
        sort_case.config.key_type = *rc::gen::element(
            KeyType::u32, KeyType::u64, KeyType::i32, KeyType::i64, KeyType::f32, KeyType::f64);
        sort_case.config.gpu_count = *gpu_counts;
        sort_case.config.digit_bits = *digit_bits;
        sort_case.config.tolerance_ppm = *tolerances;
        sort_case.config.fuse_ppm = *rc::gen::element<std::uint32_t>(10'000, 0, 200'000);
        KeyShape const shape = *shapes;
        auto const base = *rc::gen::arbitrary<std::uint64_t>();
        sort_case.images = *images_of_shape(shape, sort_case.config.key_type, base, key_count_max);
        sort_case.config.key_count = sort_case.images.size();
        return sort_case;
    });
}

} // namespace

rc::Gen<SortCase> any_sort_case(std::size_t key_count_max) {
    return case_of(rc::gen::element(KeyShape::any,
                                    KeyShape::few_distinct,
                                    KeyShape::whole_floats,
                                    KeyShape::shifted_codes,
                                    KeyShape::prices,
                                    KeyShape::dates,
                                    KeyShape::long_prefix,
                                    KeyShape::runs),
                   rc::gen::inRange<std::uint32_t>(1, 17),
                   rc::gen::element(8, 8, 8, 1, 3, 4, 5, 7, 11, 16),
                   rc::gen::element<std::uint32_t>(5'000, 5'000, 0, 100'000, 500'000),
                   key_count_max);
}

rc::Gen<SortCase> low_cardinality_case(std::size_t key_count_max) {
    return case_of(rc::gen::element(KeyShape::whole_floats,
                                    KeyShape::shifted_codes,
                                    KeyShape::prices,
                                    KeyShape::dates,
                                    KeyShape::few_distinct),
                   rc::gen::inRange<std::uint32_t>(2, 17),
                   rc::gen::just(8),
                   rc::gen::just<std::uint32_t>(5'000),
                   key_count_max);
}

} // namespace keyswap::proptests
