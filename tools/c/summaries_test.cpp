#include "tools/c/handles_test.hpp"

#include <cmath>
#include <cstdint>

namespace keyswap::c_test {
namespace {

template <class Key>
keyswap_part part(std::vector<Key> const& keys,
                  std::vector<std::uint64_t> const* values = nullptr) {
    return {KEYSWAP_HOST, keys.data(), values != nullptr ? values->data() : nullptr, keys.size()};
}

keyswap_summary summary(std::vector<keyswap_part> const& parts,
                        keyswap_type type,
                        keyswap_summary_options const* options = nullptr) {
    keyswap_summary made{};
    Error const error(keyswap_summarize(parts.data(), parts.size(), type, options, &made));
    EXPECT_EQ(message(error), "");
    return made;
}

Result compare(keyswap_summary const* before, keyswap_summary const& after) {
    keyswap_result* result = nullptr;
    Error const error(keyswap_compare(before, &after, &result));
    EXPECT_EQ(message(error), "");
    return Result(result);
}

std::string refusal(keyswap_part const& part,
                    keyswap_type type,
                    keyswap_summary_options const* options = nullptr) {
    keyswap_summary made{};
    return message(Error(keyswap_summarize(&part, 1, type, options, &made)));
}

TEST(Summaries, SayWhetherAnArrayIsASortedPermutation) {
    std::vector<std::uint32_t> const keys{5, 3, 9, 3};
    std::vector<std::uint32_t> const sorted{3, 3, 5, 9};
    auto const before = summary({part(keys)}, KEYSWAP_U32);
    auto const after = summary({part(sorted)}, KEYSWAP_U32);
    auto const found = compare(&before, after);
    EXPECT_EQ(keyswap_result_verdict(found.get()), KEYSWAP_FINE);
    EXPECT_STREQ(keyswap_result_text(found.get()),
                 "The output is a sorted permutation of the input: 4 keys.\n");
    auto const unsorted = compare(&before, before);
    EXPECT_EQ(keyswap_result_verdict(unsorted.get()), KEYSWAP_VIOLATION);
    EXPECT_STREQ(keyswap_result_text(unsorted.get()),
                 "2 pairs of neighbours are out of order, the first at indices 0 and 1.\n");
    std::vector<std::uint32_t> const other{3, 4, 5, 9};
    auto const differs = compare(&before, summary({part(other)}, KEYSWAP_U32));
    EXPECT_STREQ(keyswap_result_text(differs.get()),
                 "The output does not hold the keys and values of the input.\n");
    auto const fewer =
        compare(&before, summary({part(std::vector<std::uint32_t>{3})}, KEYSWAP_U32));
    EXPECT_STREQ(keyswap_result_text(fewer.get()), "The output has 1 key, and the input 4.\n");
    EXPECT_STREQ(keyswap_result_text(compare(nullptr, after).get()),
                 "The keys are in order: 4 keys.\n");
}

TEST(Summaries, AreJoinedInOrder) {
    std::vector<std::int64_t> const low{-7, 2};
    std::vector<std::int64_t> const high{2, 8};
    auto const first = summary({part(low)}, KEYSWAP_I64);
    auto const second = summary({part(high)}, KEYSWAP_I64);
    auto const both = summary({part(low), part(high)}, KEYSWAP_I64);
    auto const joined = keyswap_summary_joined(&first, &second);
    EXPECT_EQ(joined.violations, 0U);
    EXPECT_EQ(joined.digest[0], both.digest[0]);
    EXPECT_EQ(joined.digest[1], both.digest[1]);
    auto const wrong = keyswap_summary_joined(&second, &first);
    EXPECT_EQ(wrong.violations, 1U);
    EXPECT_EQ(wrong.first_violation, 1U);
}

std::string refused_comparison(keyswap_summary const& before, keyswap_summary const& after) {
    keyswap_result* result = nullptr;
    std::string text = message(Error(keyswap_compare(&before, &after, &result)));
    EXPECT_EQ(result, nullptr);
    return text;
}

TEST(Summaries, CompareOnlyDigestsOfTheSameSeedTypeAndValues) {
    std::vector<std::uint32_t> const keys{3, 5};
    std::vector<std::uint64_t> const values{0, 1};
    keyswap_summary_options options{};
    options.struct_size = sizeof options;
    auto const before = summary({part(keys)}, KEYSWAP_U32, &options);
    auto const as_signed = summary({part(keys)}, KEYSWAP_I32, &options);
    options.seed = 7;
    auto const seeded = summary({part(keys)}, KEYSWAP_U32, &options);
    options.value_bits = 64;
    auto const paired = summary({part(keys, &values)}, KEYSWAP_U32, &options);
    auto const mixed = keyswap_summary_joined(&before, &seeded);
    EXPECT_NE(refused_comparison(before, seeded).find("hash seeds 1 and 7"), std::string::npos);
    EXPECT_NE(refused_comparison(seeded, paired).find("values of 0 and 64 bits"),
              std::string::npos);
    EXPECT_NE(refused_comparison(before, as_signed).find("u32 and i32 keys"), std::string::npos);
    EXPECT_NE(refused_comparison(before, mixed).find("no key type"), std::string::npos);
    EXPECT_NE(refused_comparison(mixed, mixed).find("no key type"), std::string::npos);
    auto const empty = summary({part(std::vector<std::uint32_t>{})}, KEYSWAP_U32);
    EXPECT_STREQ(keyswap_result_text(compare(&empty, seeded).get()),
                 "The output has 2 keys, and the input 0.\n");
    auto const joined = keyswap_summary_joined(&empty, &seeded);
    EXPECT_EQ(keyswap_result_verdict(compare(&seeded, joined).get()), KEYSWAP_FINE);
    auto const alone = keyswap_summary_joined(&seeded, nullptr);
    EXPECT_EQ(keyswap_result_verdict(compare(&seeded, alone).get()), KEYSWAP_FINE);
}

TEST(Summaries, TakeOrdersAndValues) {
    std::vector<double> const keys{1, -0.0, 0.0, -0.0, std::nan("")};
    keyswap_summary_options options{};
    options.struct_size = sizeof options;
    options.direction = KEYSWAP_DESCENDING;
    options.zero_order = KEYSWAP_ZEROS_EQUAL;
    options.nan_order = KEYSWAP_NANS_LAST;
    EXPECT_EQ(summary({part(keys)}, KEYSWAP_F64, &options).violations, 0U);
    options.nan_order = KEYSWAP_NANS_FIRST;
    EXPECT_EQ(summary({part(keys)}, KEYSWAP_F64, &options).violations, 1U);
    options.zero_order = KEYSWAP_ZEROS_TOTAL;
    EXPECT_EQ(summary({part(keys)}, KEYSWAP_F64, &options).violations, 2U);
    options.value_bits = 64;
    std::vector<std::uint64_t> const values{1, 2, 3, 4, 5};
    std::vector<std::uint64_t> const others{1, 2, 3, 5, 4};
    EXPECT_NE(summary({part(keys, &values)}, KEYSWAP_F64, &options).digest[0],
              summary({part(keys, &others)}, KEYSWAP_F64, &options).digest[0]);
}

TEST(Summaries, RefuseWhatTheyCannotRead) {
    std::vector<std::uint32_t> const keys{1, 2, 3};
    keyswap_summary_options options{};
    options.struct_size = sizeof options;
    options.value_bits = 32;
    EXPECT_NE(refusal(part(keys), KEYSWAP_U32, &options).find("part 1 of 1 has no values."),
              std::string::npos);
    options.value_bits = 16;
    EXPECT_NE(refusal(part(keys), KEYSWAP_U32, &options).find("value_bits: is 16"),
              std::string::npos);
    EXPECT_NE(refusal(part(keys), KEYSWAP_F16).find("f16"), std::string::npos);
    EXPECT_NE(refusal({KEYSWAP_HOST, nullptr, nullptr, 3}, KEYSWAP_U32).find("has no keys"),
              std::string::npos);
    EXPECT_NE(refusal({1'000, keys.data(), nullptr, 3}, KEYSWAP_U32), "");
    EXPECT_NE(refusal({-3, keys.data(), nullptr, 3}, KEYSWAP_U32).find("device -3, which is none"),
              std::string::npos);
    for (std::size_t const count : {SIZE_MAX, SIZE_MAX / 16 + 1}) { // these were read to their end
        EXPECT_NE(refusal({KEYSWAP_HOST, keys.data(), nullptr, count}, KEYSWAP_U32)
                      .find("parts[0]: has more bytes than memory can hold"),
                  std::string::npos);
    }
    keyswap_part const whole{KEYSWAP_HOST, keys.data(), nullptr, keys.size()};
    keyswap_summary made{};
    EXPECT_NE(message(Error(keyswap_summarize(&whole, SIZE_MAX, KEYSWAP_U32, nullptr, &made)))
                  .find("part_count: has more bytes than memory can hold"),
              std::string::npos);
}

} // namespace
} // namespace keyswap::c_test
