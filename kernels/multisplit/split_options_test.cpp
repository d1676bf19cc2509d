#include "kernels/multisplit/split_options.hpp"

#include <gtest/gtest.h>

namespace keyswap::kernels {
namespace {

MultisplitOptions options_of(BucketFunction function, std::optional<MultisplitMethod> method = {}) {
    MultisplitOptions options;
    options.function = std::move(function);
    options.method = method;
    return options;
}

std::string refusal_of(MultisplitOptions const& options, std::uint64_t count = 100) {
    auto const method = method_of(options, count);
    return method ? "accepted" : method.error();
}

TEST(MultisplitOptions, TwoBucketsTakeTheirOwnMethodAndManyTheReducedBitSort) {
    EXPECT_EQ(method_of(options_of({2, PrimeBuckets{}}), 10), MultisplitMethod::split1);
    EXPECT_EQ(method_of(options_of({256, HashBuckets{7}}), 10), MultisplitMethod::fused);
    EXPECT_EQ(method_of(options_of({257, HashBuckets{7}}), 10), MultisplitMethod::reduced_bit);
}

TEST(MultisplitOptions, MoreBucketsThanAMethodTakesNamesThoseThatDo) {
    EXPECT_EQ(refusal_of(options_of({33, HashBuckets{}}, MultisplitMethod::warp)),
              "method warp takes at most 32 buckets, not 33 (take block, reduced-bit, "
              "recursive-split, bit-split, fused, atomic)");
    EXPECT_EQ(
        refusal_of(options_of({65537, HashBuckets{}})),
        "method reduced-bit takes at most 65536 buckets, not 65537 (no method supports so many)");
}

TEST(MultisplitOptions, MethodsThatTakeOptionsAreThoseThatAreAcceptedByName) {
    MultisplitOptions options = options_of({33, HashBuckets{}});
    using enum MultisplitMethod;
    EXPECT_EQ(supported_methods(options),
              (std::vector{block, reduced_bit, recursive_split, bit_split, fused, atomic}));
    options.value_type = ValueType::bits32;
    EXPECT_EQ(supported_methods(options),
              (std::vector{block, reduced_bit, recursive_split, bit_split, fused}));
}

TEST(MultisplitOptions, SplittersMustAscend) {
    SplitterBuckets splitters;
    splitters.splitters = {{0, 5}, {0, 9}, {0, 9}};
    EXPECT_EQ(refusal_of(options_of({4, splitters})),
              "splitters 2 and 3 do not ascend (sort them, and remove duplicates)");
    splitters.splitters.pop_back();
    EXPECT_EQ(refusal_of(options_of({3, splitters})), "accepted");
    EXPECT_EQ(refusal_of(options_of({4, splitters})), "the rule makes 3 buckets, not 4");
    splitters.splitters[1] = {0, std::uint64_t{1} << 32};
    EXPECT_EQ(refusal_of(options_of({3, splitters})), "splitter 2 is not an image of 32 bits");
}

TEST(MultisplitOptions, ADigitLiesInsideTheKey) {
    EXPECT_EQ(refusal_of(options_of({256, DigitBuckets{24, 8}})), "accepted");
    EXPECT_EQ(refusal_of(options_of({256, DigitBuckets{25, 8}})),
              "a digit of 8 bits from bit 25 does not fit into a key of 32 bits (use 0 to 16 bits "
              "inside the key)");
}

TEST(MultisplitOptions, AWidthMayBeTheWholeRangeButNotNothing) {
    EXPECT_EQ(refusal_of(options_of({1, DeltaBuckets{{}, {0, std::uint64_t{1} << 32}}})),
              "accepted");
    EXPECT_EQ(refusal_of(options_of({1, DeltaBuckets{{}, {0, 0}}})),
              "the width of a bucket must lie between 1 and 2^32");
}

TEST(MultisplitOptions, ASliceIsAMultipleOfALoadAndFitsALookBackWord) {
    MultisplitOptions options = options_of({256, HashBuckets{}});
    options.slice_count = 4096;
    EXPECT_EQ(refusal_of(options), "accepted");
    for (std::uint64_t const count : {std::uint64_t{0}, std::uint64_t{8}, fused_slice_max + 16}) {
        options.slice_count = count;
        EXPECT_EQ(refusal_of(options),
                  "a slice has a multiple of 16 elements, at most 1073676288, not " +
                      std::to_string(count));
    }
}

TEST(MultisplitOptions, OutputMayNotOverlapInput) {
    MultisplitOptions const options = options_of({2, PrimeBuckets{}});
    std::uint32_t keys[20] = {};
    std::uint64_t starts[2] = {};
    MultisplitArrays arrays;
    arrays.keys_in = keys;
    arrays.keys_out = keys + 9;
    arrays.starts = starts;
    EXPECT_TRUE(problem_of(options, arrays, 10, 10).has_value());
    arrays.keys_out = keys + 10;
    EXPECT_FALSE(problem_of(options, arrays, 10, 10).has_value());
    EXPECT_TRUE(problem_of(options, arrays, 10, 9).has_value());
}

} // namespace
} // namespace keyswap::kernels
