#include "kernels/multisplit.hpp"

#include "kernels/device/gpu_test.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace keyswap::kernels {
namespace {

__extension__ using Wide = unsigned __int128;

using gpu_test::make_keys;
using gpu_test::pattern_count;
using gpu_test::TestRandom;

/// Follows the definition of each rule, independently of the kernels.
template <class Key>
std::uint32_t bucket_of(BucketFunction const& function, Key image) {
    auto const m = function.buckets;
    if (auto const* const digit = std::get_if<DigitBuckets>(&function.rule)) {
        return static_cast<std::uint32_t>(image >> digit->shift) % m;
    }
    if (auto const* const delta = std::get_if<DeltaBuckets>(&function.rule)) {
        if (image < delta->origin.low || delta->width.high != 0) {
            return 0;
        }
        return static_cast<std::uint32_t>(
            std::min<std::uint64_t>((image - delta->origin.low) / delta->width.low, m - 1));
    }
    if (auto const* const splitters = std::get_if<SplitterBuckets>(&function.rule)) {
        KeyImage const searched{0, image};
        auto const& list = splitters->splitters;
        auto const place = splitters->tie == Tie::right ? std::ranges::upper_bound(list, searched)
                                                        : std::ranges::lower_bound(list, searched);
        auto const rank = place - list.begin();
        auto const& flags = splitters->equality;
        auto const flagged = std::count(flags.begin(), flags.begin() + rank, true);
        bool const equal =
            place != list.end() && flags[static_cast<std::size_t>(rank)] && *place == searched;
        return static_cast<std::uint32_t>(rank + flagged) + (equal ? 1 : 0);
    }
    if (std::holds_alternative<PrimeBuckets>(function.rule)) {
        if (image < 2) {
            return 1;
        }
        for (std::uint64_t divisor = 2; divisor * divisor <= image && divisor < 100'000;
             ++divisor) {
            if (image % divisor == 0) {
                return 1;
            }
        }
        return 0;
    }
    auto const& hash = std::get<HashBuckets>(function.rule);
    auto const mixed = mix_bits(static_cast<std::uint64_t>(image) ^ mix_bits(hash.seed));
    return static_cast<std::uint32_t>((static_cast<Wide>(mixed) * m) >> 64);
}

template <class Key>
BucketFunction
splitter_function(std::uint32_t buckets, bool equality, Tie tie, std::uint64_t seed) {
    TestRandom random{seed};
    SplitterBuckets rule;
    rule.tie = tie;
    std::vector<std::uint64_t> values;
    for (std::uint32_t i = 0; i + 1 < buckets; ++i) {
        values.push_back(static_cast<Key>(random.next()));
    }
    if (!values.empty()) {
        values[0] = 0; // limits of the range
        values.back() = static_cast<Key>(~Key{0});
    }
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (std::uint64_t const value : values) {
        rule.splitters.push_back({0, value});
        rule.equality.push_back(equality && rule.splitters.size() % 3 == 0);
    }
    auto const flagged = static_cast<std::uint32_t>(std::ranges::count(rule.equality, true));
    auto const count = static_cast<std::uint32_t>(rule.splitters.size());
    return {count + 1 + flagged, rule};
}

template <class Key>
std::vector<BucketFunction> functions_of(std::uint32_t buckets) {
    constexpr int bits = sizeof(Key) * 8;
    std::vector<BucketFunction> functions;
    std::uint64_t const whole = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    std::uint64_t const width = buckets == 1 ? whole : whole / buckets + 1;
    functions.push_back({buckets, DeltaBuckets{{}, {0, width}}});
    functions.push_back({buckets, DeltaBuckets{{0, 1000}, {0, 7}}});
    functions.push_back({buckets, DeltaBuckets{{0, 5}, {0, width}}});
    functions.push_back({buckets, DeltaBuckets{{}, {0, 1}}});
    functions.push_back({buckets, HashBuckets{buckets}});
    if ((buckets & (buckets - 1)) == 0) {
        int const digit_bits = std::bit_width(buckets) - 1;
        functions.push_back({buckets, DigitBuckets{bits - digit_bits, digit_bits}});
        functions.push_back({buckets, DigitBuckets{3, digit_bits}});
    }
    if (buckets > 1) {
        functions.push_back(splitter_function<Key>(buckets, false, Tie::right, buckets));
        functions.push_back(splitter_function<Key>(buckets * 3 / 4 + 1, true, Tie::left, buckets));
    }
    return functions;
}

template <class Key, class Value>
struct Elements {
    std::vector<Key> keys;
    std::vector<Value> values;
};

/// Runs one method and compares the result with std::stable_sort by bucket.
template <class Key, class Value>
void check(MultisplitMethod method,
           KeyType key_type,
           Direction direction,
           BucketFunction const& function,
           std::vector<Key> const& keys,
           std::uint64_t slice_count = fused_slice_max) {
    MultisplitMethodInfo const& info = info_of(method);
    bool const stores_labels =
        !std::holds_alternative<DigitBuckets>(function.rule) &&
        (sizeof(Key) == 8 || !std::holds_alternative<DeltaBuckets>(function.rule));
    if (function.buckets > info.buckets_max ||
        (method == MultisplitMethod::atomic && stores_labels && function.buckets > 256)) {
        return;
    }
    MultisplitOptions options;
    options.key_type = key_type;
    options.direction = direction;
    options.value_type = sizeof(Value) == 1   ? ValueType::none
                         : sizeof(Value) == 4 ? ValueType::bits32
                                              : ValueType::bits64;
    options.function = function;
    options.method = method;
    options.slice_count = slice_count;
    auto splitter = Multisplitter::create(options, keys.size());
    ASSERT_TRUE(splitter) << splitter.error().message;

    std::size_t const n = keys.size();
    std::vector<Value> values(sizeof(Value) == 1 ? 0 : n);
    std::iota(values.begin(), values.end(), Value{0});
    Elements<Key, Value> out{std::vector<Key>(n), std::vector<Value>(values.size())};
    std::vector<std::uint64_t> starts(function.buckets, 77);
    MultisplitArrays arrays;
    arrays.keys_in = keys.data();
    arrays.keys_out = out.keys.data();
    arrays.values_in = values.data();
    arrays.values_out = out.values.data();
    arrays.starts = starts.data();
    auto const done = splitter->split_host(arrays, n);
    ASSERT_TRUE(done) << done.error().message;

    ImageCode const code = image_code(key_type, direction);
    auto const bucket = [&](Key key) { return bucket_of(function, encode_image(key, code)); };
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    std::vector<std::uint32_t> buckets(n);
    std::ranges::transform(keys, buckets.begin(), bucket);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return buckets[i]; });
    std::vector<std::uint64_t> expected_starts(function.buckets);
    for (std::uint32_t b = 0; b < function.buckets; ++b) {
        expected_starts[b] = static_cast<std::uint64_t>(
            std::ranges::lower_bound(order, b, {}, [&](std::uint32_t i) { return buckets[i]; }) -
            order.begin());
    }
    std::string const what = std::string(info.name) + ", " + std::to_string(function.buckets) +
                             " buckets, rule " + std::to_string(function.rule.index()) + ", n " +
                             std::to_string(n);
    ASSERT_EQ(starts, expected_starts) << what;
    std::vector<Key> expected(n);
    std::ranges::transform(order, expected.begin(), [&](std::uint32_t i) { return keys[i]; });
    if (info.stability == Stability::unstable) {
        for (std::uint32_t b = 0; b < function.buckets; ++b) {
            auto const begin = static_cast<std::ptrdiff_t>(starts[b]);
            auto const end =
                static_cast<std::ptrdiff_t>(b + 1 < function.buckets ? starts[b + 1] : n);
            std::sort(out.keys.begin() + begin, out.keys.begin() + end);
            std::sort(expected.begin() + begin, expected.begin() + end);
        }
    }
    ASSERT_TRUE(out.keys == expected) << what;
    if (!values.empty()) {
        ASSERT_TRUE(std::ranges::equal(out.values, order)) << what;
    }
}

constexpr std::uint32_t bucket_counts[] = {1, 2, 3, 10, 32, 33, 100, 256, 257, 4096};

std::vector<std::size_t> sizes() {
    return {0,
            1,
            31,
            32,
            33,
            255,
            256,
            257,
            1023,
            1025,
            1663,
            1664,
            1665,
            7679,
            7681,
            8192,
            8193,
            12289,
            100'003};
}

class MultisplitOnGpu : public ::testing::TestWithParam<MultisplitMethod> {
  protected:
    void SetUp() override { KEYSWAP_NEEDS_GPUS(1); }
};

TEST_P(MultisplitOnGpu, AgreesWithAStableSortByBucketForEveryRule) {
    for (std::uint32_t const buckets : bucket_counts) {
        auto const keys = make_keys<std::uint32_t>(0, 20'011, buckets);
        for (BucketFunction const& function : functions_of<std::uint32_t>(buckets)) {
            check<std::uint32_t, char>(
                GetParam(), KeyType::u32, Direction::ascending, function, keys);
        }
        auto const wide = make_keys<std::uint64_t>(0, 20'011, buckets);
        for (BucketFunction const& function : functions_of<std::uint64_t>(buckets)) {
            check<std::uint64_t, char>(
                GetParam(), KeyType::u64, Direction::ascending, function, wide);
        }
    }
}

TEST_P(MultisplitOnGpu, AgreesAtEverySizeAroundTilesAndForEveryPattern) {
    for (std::size_t const n : sizes()) {
        for (std::uint32_t const buckets : {2U, 200U}) {
            for (BucketFunction const& function : functions_of<std::uint32_t>(buckets)) {
                check<std::uint32_t, char>(GetParam(),
                                           KeyType::u32,
                                           Direction::ascending,
                                           function,
                                           make_keys<std::uint32_t>(0, n, n));
            }
        }
    }
    for (int pattern = 0; pattern < pattern_count; ++pattern) {
        for (std::uint32_t const buckets : {2U, 256U}) {
            for (BucketFunction const& function : functions_of<std::uint32_t>(buckets)) {
                check<std::uint32_t, char>(GetParam(),
                                           KeyType::f32,
                                           Direction::descending,
                                           function,
                                           make_keys<std::uint32_t>(pattern, 20'021, 5));
            }
        }
    }
}

TEST_P(MultisplitOnGpu, ValuesStayWithTheirKeys) {
    if (GetParam() == MultisplitMethod::atomic) {
        GTEST_SKIP() << "skipped because method atomic moves keys only";
    }
    for (std::uint32_t const buckets : {2U, 10U, 32U, 256U}) {
        auto const narrow = make_keys<std::uint32_t>(7, 30'011, buckets);
        for (BucketFunction const& function : functions_of<std::uint32_t>(buckets)) {
            check<std::uint32_t, std::uint32_t>(
                GetParam(), KeyType::i32, Direction::ascending, function, narrow);
            check<std::uint32_t, std::uint64_t>(
                GetParam(), KeyType::i32, Direction::ascending, function, narrow);
        }
        auto const wide = make_keys<std::uint64_t>(7, 30'011, buckets);
        for (BucketFunction const& function : functions_of<std::uint64_t>(buckets)) {
            check<std::uint64_t, std::uint32_t>(
                GetParam(), KeyType::f64, Direction::ascending, function, wide);
            check<std::uint64_t, std::uint64_t>(
                GetParam(), KeyType::f64, Direction::ascending, function, wide);
        }
    }
}

TEST_P(MultisplitOnGpu, SlicesGoOnWhereTheOneBeforeEnded) {
    if (GetParam() != MultisplitMethod::fused) {
        GTEST_SKIP() << "skipped because method fused alone takes slices";
    }
    for (std::uint64_t const slice_count : {16U, 4'096U, 7'680U}) {
        for (BucketFunction const& function : functions_of<std::uint32_t>(200)) {
            check<std::uint32_t, std::uint32_t>(GetParam(),
                                                KeyType::u32,
                                                Direction::ascending,
                                                function,
                                                make_keys<std::uint32_t>(0, 20'011, 1),
                                                slice_count);
        }
    }
}

TEST_P(MultisplitOnGpu, DistinguishesPrimes) {
    std::vector<std::uint32_t> keys(20'011);
    std::iota(keys.begin(), keys.end(), 0U);
    keys.push_back(4'294'967'291U); // the largest 32-bit prime
    keys.push_back(4'294'836'225U); // 65,535 squared
    check<std::uint32_t, char>(
        GetParam(), KeyType::u32, Direction::ascending, {2, PrimeBuckets{}}, keys);
}

TEST_P(MultisplitOnGpu, LabelsOfEveryWidthAreTaken) {
    std::size_t const n = 25'013;
    std::uint32_t const buckets = std::min<std::uint32_t>(200, info_of(GetParam()).buckets_max);
    auto const keys = make_keys<std::uint32_t>(0, n, 3);
    for (int const label_bytes : {1, 2, 4}) {
        TestRandom random{9};
        std::vector<std::uint32_t> labels(n);
        std::ranges::generate(labels,
                              [&] { return static_cast<std::uint32_t>(random.next() % buckets); });
        std::vector<unsigned char> bytes(n * static_cast<std::size_t>(label_bytes));
        for (std::size_t i = 0; i < n; ++i) {
            std::memcpy(&bytes[i * static_cast<std::size_t>(label_bytes)],
                        &labels[i],
                        static_cast<std::size_t>(label_bytes));
        }
        MultisplitOptions options;
        options.function = {buckets, LabelBuckets{}};
        options.method = GetParam();
        auto splitter = Multisplitter::create(options, n);
        ASSERT_TRUE(splitter) << splitter.error().message;
        std::vector<std::uint32_t> out(n);
        std::vector<std::uint64_t> starts(buckets);
        MultisplitArrays arrays;
        arrays.keys_in = keys.data();
        arrays.keys_out = out.data();
        arrays.labels = bytes.data();
        arrays.label_bytes = label_bytes;
        arrays.starts = starts.data();
        ASSERT_TRUE(splitter->split_host(arrays, n));
        std::vector<std::uint32_t> order(n);
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return labels[i]; });
        std::vector<std::uint32_t> expected(n);
        std::ranges::transform(order, expected.begin(), [&](std::uint32_t i) { return keys[i]; });
        if (GetParam() == MultisplitMethod::atomic) {
            for (std::uint32_t b = 0; b < buckets; ++b) {
                auto const begin = static_cast<std::ptrdiff_t>(starts[b]);
                auto const end = static_cast<std::ptrdiff_t>(b + 1 < buckets ? starts[b + 1] : n);
                std::sort(out.begin() + begin, out.begin() + end);
                std::sort(expected.begin() + begin, expected.begin() + end);
            }
        }
        ASSERT_TRUE(out == expected) << label_bytes;
    }
}

INSTANTIATE_TEST_SUITE_P(Methods,
                         MultisplitOnGpu,
                         ::testing::Values(MultisplitMethod::direct,
                                           MultisplitMethod::warp,
                                           MultisplitMethod::block,
                                           MultisplitMethod::reduced_bit,
                                           MultisplitMethod::scan_split,
                                           MultisplitMethod::recursive_split,
                                           MultisplitMethod::bit_split,
                                           MultisplitMethod::fused,
                                           MultisplitMethod::atomic,
                                           MultisplitMethod::split1),
                         [](auto const& each) {
                             std::string name(info_of(each.param).name);
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

} // namespace
} // namespace keyswap::kernels
