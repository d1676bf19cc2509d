#include "model/partition/bucket_rule.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/records/digest.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace keyswap::model {

namespace {

template <class... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

constexpr int function_bits_max = 20;
static_assert(std::uint32_t{1} << function_bits_max == bucket_count_max);

InputError refused(std::string problem, std::string remedy) {
    return {"bucket function", std::move(problem), std::move(remedy)};
}

using Refusal = std::optional<InputError>;

Refusal wrong_count(BucketFunction const& function, std::uint64_t right) {
    if (function.buckets == right) {
        return std::nullopt;
    }
    return refused("a rule with " + std::to_string(right) + " buckets is declared with " +
                       std::to_string(function.buckets),
                   "leave the number of buckets out, or correct it");
}

Refusal wrong_digit(BucketFunction const& function, DigitBuckets const& rule, int key_bits) {
    if (rule.bits < 1 || rule.bits > function_bits_max) {
        return refused("a digit of " + std::to_string(rule.bits) + " bits",
                       "give 1 to " + std::to_string(function_bits_max));
    }
    if (rule.shift < 0 || rule.shift > key_bits - rule.bits) {
        return refused("bits " + std::to_string(rule.shift) + " to " +
                           std::to_string(std::int64_t{rule.shift} + rule.bits) + " of keys of " +
                           std::to_string(key_bits) + " bits",
                       "give digit:SHIFT:BITS with SHIFT + BITS of at most " +
                           std::to_string(key_bits));
    }
    return wrong_count(function, std::uint64_t{1} << rule.bits);
}

Refusal wrong_splitters(BucketFunction const& function, SplitterBuckets const& rule, int key_bits) {
    uint128 const largest = largest_image_of_bits(key_bits);
    for (std::size_t i = 0; i < rule.splitters.size(); ++i) {
        std::string const name = "splitter " + std::to_string(i + 1);
        if (wide(rule.splitters[i]) > largest) {
            return refused(name + " is not a key of " + std::to_string(key_bits) + " bits",
                           "give splitters of the keys' type");
        }
        if (i > 0 && !(rule.splitters[i - 1] < rule.splitters[i])) {
            return refused(name + " is not larger than the one before",
                           "sort the splitters and leave out duplicates");
        }
    }
    if (rule.equality.size() != rule.splitters.size()) {
        return refused(std::to_string(rule.equality.size()) + " equality flags for " +
                           std::to_string(rule.splitters.size()) + " splitters",
                       "give one flag per splitter");
    }
    auto const flagged = std::ranges::count(rule.equality, true);
    if (rule.tie == Tie::right && flagged > 0) {
        return refused("equality buckets and ties to the right exclude each other",
                       "flag no splitter, or send ties left");
    }
    return wrong_count(function, rule.splitters.size() + 1 + static_cast<std::size_t>(flagged));
}

Refusal wrong_rule(BucketFunction const& function, int key_bits) {
    uint128 const largest = largest_image_of_bits(key_bits);
    return std::visit(
        Overloaded{
            [&](DigitBuckets const& rule) { return wrong_digit(function, rule, key_bits); },
            [&](DeltaBuckets const& rule) -> Refusal {
                if (rule.width == KeyImage{}) {
                    return refused("ranges of width 0", "give a width of at least 1");
                }
                if (wide(rule.origin) > largest) {
                    return refused("the origin is not a key of " + std::to_string(key_bits) +
                                       " bits",
                                   "give an origin of the keys' type");
                }
                return std::nullopt;
            },
            [&](SplitterBuckets const& rule) { return wrong_splitters(function, rule, key_bits); },
            [&](PrimeBuckets const&) -> Refusal {
                if (key_bits > 64) {
                    return refused("primes among keys of " + std::to_string(key_bits) + " bits",
                                   "use keys of at most 64 bits");
                }
                return wrong_count(function, 2);
            },
            [](auto const&) -> Refusal { return std::nullopt; }},
        function.rule);
}

std::vector<uint128> delta_edges(DeltaBuckets const& rule, std::uint32_t buckets, uint128 largest) {
    std::vector<uint128> edges;
    uint128 edge = wide(rule.origin);
    for (std::uint32_t bucket = 1; bucket < buckets; ++bucket) {
        if (largest - edge < wide(rule.width)) {
            break;
        }
        edge += wide(rule.width);
        edges.push_back(edge);
    }
    return edges;
}

std::vector<uint128> splitter_edges(SplitterBuckets const& rule, uint128 largest) {
    std::vector<uint128> edges;
    for (std::size_t i = 0; i < rule.splitters.size(); ++i) {
        uint128 const splitter = wide(rule.splitters[i]);
        // An equality bucket begins at its splitter and ends just above it.
        if (rule.tie == Tie::right || rule.equality[i]) {
            edges.push_back(splitter);
        }
        if (rule.tie == Tie::left && splitter < largest) {
            edges.push_back(splitter + 1);
        }
    }
    return edges;
}

std::vector<uint128> digit_edges_of(DigitBuckets const& rule) {
    std::vector<uint128> edges;
    for (std::uint32_t digit = 1; digit < std::uint32_t{1} << rule.bits; ++digit) {
        edges.push_back(uint128{digit} << rule.shift);
    }
    return edges;
}

std::uint64_t multiply_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) {
    return static_cast<std::uint64_t>(uint128{a} * b % modulus);
}

std::uint64_t power_modulo(std::uint64_t base, std::uint64_t exponent, std::uint64_t modulus) {
    std::uint64_t result = 1;
    for (base %= modulus; exponent > 0; exponent >>= 1) {
        if ((exponent & 1) != 0) {
            result = multiply_modulo(result, base, modulus);
        }
        base = multiply_modulo(base, base, modulus);
    }
    return result;
}

} // namespace

Expected<BucketFunction> validated(BucketFunction const& function, int key_bits) {
    KEYSWAP_EXPECTS(key_bits >= 1 && key_bits <= 128);
    if (function.buckets < 1 || function.buckets > bucket_count_max) {
        return tl::unexpected(refused(std::to_string(function.buckets) + " buckets",
                                      "give 1 to " + std::to_string(bucket_count_max)));
    }
    if (auto refusal = wrong_rule(function, key_bits)) {
        return tl::unexpected(std::move(*refusal));
    }
    return function;
}

BucketFunction delta_function(int key_bits, std::uint32_t buckets) {
    KEYSWAP_EXPECTS(buckets >= 1);
    uint128 const largest = largest_image_of_bits(key_bits);
    // ceil(2^k / m) = floor((2^k - 1) / m) + 1; a single bucket takes every key of any width.
    uint128 const width = buckets == 1 ? largest : largest / buckets + 1;
    return {buckets, DeltaBuckets{{}, key_image(width)}};
}

BucketFunction splitter_function(SplitterBuckets splitters) {
    auto const flagged = std::ranges::count(splitters.equality, true);
    auto const buckets = static_cast<std::uint32_t>(splitters.splitters.size() + 1 +
                                                    static_cast<std::size_t>(flagged));
    return {buckets, std::move(splitters)};
}

BucketFunction digit_function(int shift, int bits) {
    KEYSWAP_EXPECTS(bits >= 1 && bits <= function_bits_max);
    return {std::uint32_t{1} << bits, DigitBuckets{shift, bits}};
}

std::string rule_name(BucketRule const& rule) {
    return std::visit(
        Overloaded{[](DigitBuckets const& digit) {
                       return "digit:" + std::to_string(digit.shift) + ":" +
                              std::to_string(digit.bits);
                   },
                   [](DeltaBuckets const&) { return std::string("delta"); },
                   [](SplitterBuckets const&) { return std::string("splitters"); },
                   [](PrimeBuckets const&) { return std::string("prime"); },
                   [](HashBuckets const& hash) { return "hash:" + std::to_string(hash.seed); },
                   [](LabelBuckets const&) { return std::string("labels"); },
                   [](ForeignBuckets const& foreign) { return "foreign " + foreign.name; }},
        rule);
}

std::optional<std::vector<uint128>> lower_edges(BucketFunction const& function, int key_bits) {
    uint128 const largest = largest_image_of_bits(key_bits);
    if (auto const* const delta = std::get_if<DeltaBuckets>(&function.rule)) {
        return delta_edges(*delta, function.buckets, largest);
    }
    if (auto const* const splitters = std::get_if<SplitterBuckets>(&function.rule)) {
        return splitter_edges(*splitters, largest);
    }
    auto const* const digit = std::get_if<DigitBuckets>(&function.rule);
    if (digit != nullptr && digit->shift + digit->bits == key_bits) {
        return digit_edges_of(*digit);
    }
    return std::nullopt;
}

BucketEvaluator::BucketEvaluator(BucketFunction const& function,
                                 int key_bits,
                                 std::span<std::uint32_t const> labels)
    : bucket_count_(function.buckets), rule_(function.rule),
      edges_(lower_edges(function, key_bits)), labels_(labels) {
    KEYSWAP_EXPECTS(validated(function, key_bits).has_value());
    KEYSWAP_EXPECTS(!std::holds_alternative<ForeignBuckets>(rule_));
}

std::uint32_t BucketEvaluator::bucket_of(uint128 image, std::uint64_t index) const {
    if (auto const* const digit = std::get_if<DigitBuckets>(&rule_)) {
        return static_cast<std::uint32_t>(image >> digit->shift) & (bucket_count_ - 1);
    }
    if (edges_) {
        return static_cast<std::uint32_t>(std::ranges::upper_bound(*edges_, image) -
                                          edges_->begin());
    }
    if (std::holds_alternative<PrimeBuckets>(rule_)) {
        return is_prime(static_cast<std::uint64_t>(image)) ? 0 : 1;
    }
    if (auto const* const hash = std::get_if<HashBuckets>(&rule_)) {
        KeyImage const words = key_image(image);
        return static_cast<std::uint32_t>(
            multiply_high(mix_bits(words.low ^ mix_bits(words.high + hash->seed)), bucket_count_));
    }
    KEYSWAP_EXPECTS(index < labels_.size() && labels_[index] < bucket_count_);
    return labels_[index];
}

bool is_prime(std::uint64_t number) {
    constexpr std::array<std::uint64_t, 12> bases{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    if (number < 2) {
        return false;
    }
    for (std::uint64_t const prime : bases) {
        if (number % prime == 0) {
            return number == prime;
        }
    }
    int const twos = std::countr_zero(number - 1);
    return std::ranges::all_of(bases, [&](std::uint64_t base) {
        std::uint64_t power = power_modulo(base, (number - 1) >> twos, number);
        if (power == 1) {
            return true;
        }
        for (int i = 0; i < twos; ++i) {
            if (power == number - 1) {
                return true;
            }
            power = multiply_modulo(power, power, number);
        }
        return false;
    });
}

} // namespace keyswap::model
