#include "model/check/image_scan.hpp"

#include "traces/errors/contracts.hpp"

#include <string>

// The loops are compiled for several instruction sets; the best one is selected at start-up.
// Measured on an EPYC with AVX2: about 4 GB/s per core for 32-bit keys; MultisetDigest, with eight
// 64-bit multiplications per key, reached 1.5 GB/s, slower than the files can be read.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define KEYSWAP_VECTOR_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define KEYSWAP_VECTOR_CLONES
#endif

namespace keyswap::model {

namespace {

template <class Word>
[[gnu::always_inline]] inline Fingerprint
sum_hashes(Word const* keys, std::size_t count, ImageRule<Word> rule, HashSeed seed) {
    std::uint64_t sum = 0;
    std::uint64_t hash = 0;
    std::uint64_t wide_hash = 0;
    for (std::size_t i = 0; i < count; ++i) {
        Fingerprint const one =
            fingerprint_of_image(SearchWord<Word>{image_by(rule, keys[i])}, seed);
        sum += one.sum;
        hash += one.hash;
        wide_hash += one.wide_hash;
    }
    return {count, sum, hash, wide_hash};
}

/// As order_by() for NanOrder::total, without the test for NaN.
template <class Word>
[[gnu::always_inline]] inline Word order_without_nan(ImageRule<Word> const& rule, Word key) {
    constexpr Word minus_zero = static_cast<Word>(~Word{0}) >> 1;
    Word const image = image_by(rule, key);
    Word const step = image == minus_zero ? rule.zero_step : Word{0};
    return static_cast<Word>(image + step) ^ rule.order_flip;
}

template <class Word>
[[gnu::always_inline]] inline Steps
count_steps_with_nan(Word const* keys, std::size_t count, ImageRule<Word> rule) {
    Word rising = 0; // cannot overflow: a block is shorter than 2^32 keys
    Word falling = 0;
    for (std::size_t i = 1; i < count; ++i) {
        Word const before = order_by(rule, keys[i - 1]);
        Word const after = order_by(rule, keys[i]);
        rising += before < after ? Word{1} : Word{0};
        falling += before > after ? Word{1} : Word{0};
    }
    return {static_cast<std::uint64_t>(rising), static_cast<std::uint64_t>(falling)};
}

template <class Word>
[[gnu::always_inline]] inline Steps
count_steps(Word const* keys, std::size_t count, ImageRule<Word> rule) {
    if (rule.number_span != static_cast<Word>(~Word{0})) {
        return count_steps_with_nan(keys, count, rule);
    }
    Word rising = 0; // cannot overflow: a block is shorter than 2^32 keys
    Word falling = 0;
    for (std::size_t i = 1; i < count; ++i) {
        Word const before = order_without_nan(rule, keys[i - 1]);
        Word const after = order_without_nan(rule, keys[i]);
        rising += before < after ? Word{1} : Word{0};
        falling += before > after ? Word{1} : Word{0};
    }
    return {static_cast<std::uint64_t>(rising), static_cast<std::uint64_t>(falling)};
}

constexpr std::size_t counted_keys_max = std::size_t{1} << 31; ///< so that 32-bit counters suffice

} // namespace

template <class Word>
ImageRule<Word>
image_rule(KeyType type, Direction direction, ZeroOrder zero_order, NanOrder nan_order) {
    KEYSWAP_EXPECTS(key_size_bytes(type) == sizeof(Word));
    constexpr Word all = static_cast<Word>(~Word{0});
    constexpr Word sign = static_cast<Word>(all - (all >> 1));
    bool const is_signed = kind_of(type) == KeyKind::signed_integer;
    bool const is_float = is_floating(type);
    bool const zeros_equal = is_float && zero_order == ZeroOrder::equal;
    ImageRule<Word> rule;
    rule.negative_mask = is_float ? all : Word{0};
    rule.flip = is_signed || is_float ? sign : Word{0};
    rule.order_flip = direction == Direction::descending ? all : Word{0};
    rule.zero_step = zeros_equal ? Word{1} : Word{0};
    if (is_float && nan_order != NanOrder::total) {
        // Infinity: all exponent bits set, all fraction bits clear.
        Word const infinity =
            sizeof(Word) == 4 ? Word{0x7f800000U} : static_cast<Word>(0x7ff0000000000000ULL);
        rule.lowest_number = static_cast<Word>(~(infinity | sign));
        rule.number_span = static_cast<Word>((infinity | sign) - rule.lowest_number);
        rule.nan_order = nan_order == NanOrder::last ? all : Word{0};
    }
    return rule;
}

template ImageRule<std::uint32_t> image_rule(KeyType, Direction, ZeroOrder, NanOrder);
template ImageRule<std::uint64_t> image_rule(KeyType, Direction, ZeroOrder, NanOrder);
template ImageRule<uint128> image_rule(KeyType, Direction, ZeroOrder, NanOrder);

KEYSWAP_VECTOR_CLONES Fingerprint fingerprint_of_keys(std::span<std::uint32_t const> keys,
                                                      ImageRule<std::uint32_t> const& rule,
                                                      HashSeed const& seed) {
    return sum_hashes(keys.data(), keys.size(), rule, seed);
}

KEYSWAP_VECTOR_CLONES Fingerprint fingerprint_of_keys(std::span<std::uint64_t const> keys,
                                                      ImageRule<std::uint64_t> const& rule,
                                                      HashSeed const& seed) {
    return sum_hashes(keys.data(), keys.size(), rule, seed);
}

Fingerprint fingerprint_of_keys(std::span<uint128 const> keys,
                                ImageRule<uint128> const& rule,
                                HashSeed const& seed) {
    return sum_hashes(keys.data(), keys.size(), rule, seed);
}

KEYSWAP_VECTOR_CLONES Steps steps_of_keys(std::span<std::uint32_t const> keys,
                                          ImageRule<std::uint32_t> const& rule) {
    KEYSWAP_EXPECTS(keys.size() < counted_keys_max);
    return count_steps(keys.data(), keys.size(), rule);
}

KEYSWAP_VECTOR_CLONES Steps steps_of_keys(std::span<std::uint64_t const> keys,
                                          ImageRule<std::uint64_t> const& rule) {
    KEYSWAP_EXPECTS(keys.size() < counted_keys_max);
    return count_steps(keys.data(), keys.size(), rule);
}

Steps steps_of_keys(std::span<uint128 const> keys, ImageRule<uint128> const& rule) {
    KEYSWAP_EXPECTS(keys.size() < counted_keys_max);
    return count_steps(keys.data(), keys.size(), rule);
}

} // namespace keyswap::model
