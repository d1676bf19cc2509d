#include "kernels/sorts/whole_sort_test.hpp"

#include <algorithm>

namespace keyswap::kernels {
namespace {

using gpu_test::expect_host_sort_is_right_for_all_patterns;
using gpu_test::make_keys;
using gpu_test::MemorySink;

constexpr KeyType key_types[] = {
    KeyType::u32, KeyType::u64, KeyType::i32, KeyType::i64, KeyType::f32, KeyType::f64};
constexpr char const* variant_names[] = {"fast", "published"};

SortOptions multisplit_sort(std::string const& variant) {
    SortOptions options;
    options.choice = choose("multisplit-sort", variant).value();
    return options;
}

TEST(MultisplitSort, EqualsAStableSortForEveryTypeAndWidthOfDigits) {
    KEYSWAP_NEEDS_GPUS(1);
    for (char const* const variant : variant_names) {
        SortOptions options = multisplit_sort(variant);
        options.stability = Stability::stable;
        for (KeyType const type : key_types) {
            options.key_type = type;
            options.direction = type == KeyType::i32 || type == KeyType::f64 ? Direction::descending
                                                                             : Direction::ascending;
            options.value_type = type == KeyType::u32   ? ValueType::none
                                 : type == KeyType::u64 ? ValueType::bits32
                                                        : ValueType::bits64;
            for (int const digit_bits : {8, 5, 1}) {
                options.digit_bits = digit_bits;
                expect_host_sort_is_right_for_all_patterns(options, {0, 1, 7'681, 100'003});
            }
        }
    }
}

TEST(MultisplitSort, RecordsEveryStepOfItsPlan) {
    KEYSWAP_NEEDS_GPUS(1);
    for (char const* const variant : variant_names) {
        SortOptions options = multisplit_sort(variant);
        options.digit_bits = 7;
        auto keys = make_keys<std::uint32_t>(0, 10'007, 1);
        auto sorter = Sorter::create(options, keys.size(), ChunkBuffers::sorter);
        ASSERT_TRUE(sorter) << sorter.error().message;
        MemorySink sink;
        ASSERT_TRUE(sorter->sort(keys.data(), nullptr, keys.size(), PhaseTiming::off, &sink));
        auto const functions = sink.all<BucketFunctionRecord>();
        auto const partitions = sink.all<PartitionRecord>();
        ASSERT_EQ(functions.size(), 5U) << "4 digits of 7 bits, and one of 4";
        ASSERT_EQ(partitions.size(), 5U);
        EXPECT_EQ(functions.back().function, (BucketFunction{16, DigitBuckets{28, 4}}));
        EXPECT_EQ(partitions.back().step, 5);
        EXPECT_EQ(partitions.back().table.has_value(), std::string(variant) == "published");
        SequenceDigest sorted;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            sorted += digest_at(i, digest_of(keys[i]));
        }
        EXPECT_EQ(partitions.back().output, sorted);
    }
}

TEST(MultisplitSort, RefusesWhatItsStepsCannotDo) {
    KEYSWAP_NEEDS_GPUS(1);
    auto const refusal = [](auto const& change, std::uint64_t count) {
        SortOptions options = multisplit_sort("fast");
        change(options);
        auto const sorter = Sorter::create(options, count, ChunkBuffers::sorter);
        return sorter ? std::string("accepted") : sorter.error().message;
    };
    EXPECT_EQ(refusal([](SortOptions& options) { options.digit_bits = 9; }, 10),
              "a digit of multisplit-sort-fast has at most 8 bits, not 9.");
    EXPECT_EQ(refusal(
                  [](SortOptions& options) {
                      options.devices = {0, 0};
                  },
                  10),
              "multisplit-sort-fast does not run on 2 GPUs. Name one.");
    EXPECT_EQ(refusal([](SortOptions& /*options*/) {}, std::uint64_t{1} << 32),
              "multisplit-sort-fast takes at most 4294967295 keys, not 4294967296. Use rmg.");
}

} // namespace
} // namespace keyswap::kernels
