#include "tools/c/handles_test.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace keyswap::c_test {
namespace {

TEST(KeyswapC, HasTheVersionOfItsHeader) {
    EXPECT_EQ(keyswap_abi(), KEYSWAP_ABI);
    EXPECT_STREQ(keyswap_version(), "0.1.0");
}

TEST(KeyswapC, RefusesAStructSizeThatWasNotSet) {
    std::vector<std::uint32_t> const keys{1, 2};
    keyswap_check_options options{};
    for (std::size_t const size : {std::size_t{0}, std::size_t{1} << 48, SIZE_MAX}) {
        options.struct_size = size; // the largest two were read to their end
        keyswap_result* result = nullptr;
        Error const error(keyswap_check_order(array(keys, KEYSWAP_U32), &options, &result));
        EXPECT_NE(message(error).find("struct_size is " + std::to_string(size)), std::string::npos);
    }
}

TEST(KeyswapC, AnEmptyArrayMayHaveAnyAddress) {
    std::uint64_t word = 0;
    EXPECT_EQ(
        message(Error(keyswap_sort(reinterpret_cast<char*>(&word) + 1, 0, KEYSWAP_U64, nullptr))),
        "");
}

TEST(KeyswapC, NullIsNoErrorAndNoGoodResult) {
    EXPECT_EQ(keyswap_error_kind(nullptr), KEYSWAP_NO_ERROR);
    for (auto const text : {keyswap_error_subject,
                            keyswap_error_problem,
                            keyswap_error_remedy,
                            keyswap_error_message}) {
        EXPECT_STREQ(text(nullptr), "");
    }
    keyswap_error_free(nullptr);
    EXPECT_EQ(keyswap_result_verdict(nullptr), KEYSWAP_VIOLATION);
    EXPECT_STREQ(keyswap_result_text(nullptr), "");
    EXPECT_STREQ(keyswap_result_json(nullptr), "{}");
    keyswap_result_free(nullptr);
    keyswap_request_free(nullptr);
}

TEST(KeyswapC, NamesEveryType) {
    for (int number = KEYSWAP_U8; number <= KEYSWAP_B128; ++number) {
        auto const type = static_cast<keyswap_type>(number);
        keyswap_type again{};
        ASSERT_NE(keyswap_type_name(type), nullptr);
        EXPECT_EQ(message(Error(keyswap_type_of(keyswap_type_name(type), &again))), "");
        EXPECT_EQ(again, type);
        EXPECT_GT(keyswap_type_size(type), 0U);
    }
    keyswap_type type{};
    EXPECT_EQ(message(Error(keyswap_type_of("float16", &type))), "");
    EXPECT_EQ(type, KEYSWAP_F16);
    EXPECT_EQ(keyswap_type_name(static_cast<keyswap_type>(0)), nullptr);
    EXPECT_EQ(keyswap_type_size(static_cast<keyswap_type>(0)), 0U);
    Error const error(keyswap_type_of("flaot64", &type));
    EXPECT_STREQ(keyswap_error_problem(error.get()), "'flaot64' is not known");
    EXPECT_NE(std::string(keyswap_error_remedy(error.get())).find("f64"), std::string::npos);
    EXPECT_EQ(keyswap_error_kind(error.get()), KEYSWAP_COULD_NOT_RUN);
}

TEST(KeyswapC, ChecksKeysOfEveryWidth) {
    std::vector<std::uint8_t> const bytes{3, 1, 2};
    std::vector<std::uint8_t> const sorted{1, 2, 3};
    EXPECT_TRUE(holds(check(array(bytes, KEYSWAP_U8), array(sorted, KEYSWAP_U8))));
    EXPECT_FALSE(holds(check(array(sorted, KEYSWAP_U8), array(bytes, KEYSWAP_U8))));
    std::vector<std::uint16_t> const halves{0x3c00, 0xbc00, 0}; // 1, -1, 0 as f16
    std::vector<std::uint16_t> const sorted_halves{0xbc00, 0, 0x3c00};
    EXPECT_TRUE(holds(check(array(halves, KEYSWAP_F16), array(sorted_halves, KEYSWAP_F16))));
    EXPECT_FALSE(holds(check(array(halves, KEYSWAP_U16), array(sorted_halves, KEYSWAP_U16))));
    std::vector<double> const doubles{2.5, -1.0};
    std::vector<double> const sorted_doubles{-1.0, 2.5};
    EXPECT_TRUE(holds(check(array(doubles, KEYSWAP_F64), array(sorted_doubles, KEYSWAP_F64))));
    // Two b128 keys whose order would be reversed as little-endian numbers.
    std::vector<std::uint64_t> uuids{0x01, 0, 0x0100, 0};
    keyswap_array const both{uuids.data(), 2, KEYSWAP_B128};
    std::vector<std::uint64_t> swapped{0x0100, 0, 0x01, 0};
    keyswap_array const other{swapped.data(), 2, KEYSWAP_B128};
    EXPECT_TRUE(holds(check(both, other)));
    EXPECT_FALSE(holds(check(both, both)));
    EXPECT_TRUE(holds(check({uuids.data(), 2, KEYSWAP_U128}, {uuids.data(), 2, KEYSWAP_U128})));
    EXPECT_TRUE(holds(check({nullptr, 0, KEYSWAP_I64}, {nullptr, 0, KEYSWAP_I64})));
}

TEST(KeyswapC, SaysWhatIsWrong) {
    std::vector<std::int32_t> const before{5, 5, 7};
    std::vector<std::int32_t> const after{5, 7, 7};
    Result const result = check(array(before, KEYSWAP_I32), array(after, KEYSWAP_I32));
    EXPECT_FALSE(holds(result));
    EXPECT_NE(std::string(keyswap_result_text(result.get())).find("The output lacks 1 key"),
              std::string::npos);
    EXPECT_TRUE(json(result)["sorted"]);
    EXPECT_FALSE(json(result)["permutation"]);
    EXPECT_EQ(json(result)["config"]["type"], "i32");
}

TEST(KeyswapC, ChecksInTheOrderThatIsAskedFor) {
    std::vector<float> const before{1.0F, std::nanf(""), 2.0F};
    std::vector<float> const after{std::nanf(""), 2.0F, 1.0F};
    keyswap_check_options options{};
    options.struct_size = sizeof options;
    options.direction = KEYSWAP_DESCENDING;
    options.nan_order = KEYSWAP_NANS_LAST;
    EXPECT_FALSE(holds(check(array(before, KEYSWAP_F32), array(after, KEYSWAP_F32), &options)));
    options.nan_order = KEYSWAP_NANS_FIRST;
    EXPECT_TRUE(holds(check(array(before, KEYSWAP_F32), array(after, KEYSWAP_F32), &options)));
}

TEST(KeyswapC, RefusesToSortValuesThatOverlapTheKeys) {
    std::vector<std::uint32_t> words{5, 3, 1, 4, 2, 6};
    keyswap_sort_options options{};
    options.struct_size = sizeof options;
    options.value_bits = 32;
    for (std::size_t const first : {0, 2}) {
        options.values = words.data() + first;
        EXPECT_NE(message(Error(keyswap_sort(words.data(), 3, KEYSWAP_U32, &options)))
                      .find("values: overlap the keys"),
                  std::string::npos);
    }
    options.values = words.data() + 3;
    EXPECT_EQ(message(Error(keyswap_sort(words.data(), 3, KEYSWAP_U32, &options))), "");
    EXPECT_EQ(words, (std::vector<std::uint32_t>{1, 3, 5, 6, 2, 4}));
}

TEST(KeyswapC, NamesTheSortsOfTheCpuAlone) {
    std::vector<std::uint32_t> words{2, 1};
    keyswap_sort_options options{};
    options.struct_size = sizeof options;
    for (char const* const name : {"", "nonsense", "rmg"}) {
        options.algorithm = name;
        EXPECT_NE(message(Error(keyswap_sort(words.data(), 2, KEYSWAP_U32, &options)))
                      .find("nown: buffered-radix, simd-merge)"),
                  std::string::npos)
            << name;
    }
}

TEST(KeyswapC, ChecksValuesAndStability) {
    std::vector<std::uint64_t> const before{9, 4, 9};
    std::vector<std::uint64_t> const after{4, 9, 9};
    std::vector<std::int64_t> indices{1, 2, 0};
    keyswap_array const values = array(indices, KEYSWAP_I64);
    keyswap_check_options options{};
    options.struct_size = sizeof options;
    options.values = &values;
    EXPECT_TRUE(holds(check(array(before, KEYSWAP_U64), array(after, KEYSWAP_U64), &options)));
    options.stable = 1;
    EXPECT_FALSE(holds(check(array(before, KEYSWAP_U64), array(after, KEYSWAP_U64), &options)));
    indices = {1, 0, 2};
    EXPECT_TRUE(holds(check(array(before, KEYSWAP_U64), array(after, KEYSWAP_U64), &options)));
    indices = {1, 0, 0};
    EXPECT_FALSE(holds(check(array(before, KEYSWAP_U64), array(after, KEYSWAP_U64), &options)));
}

TEST(KeyswapC, ChecksTheOrderOfOneArray) {
    std::vector<std::uint32_t> const keys{1, 3, 2};
    keyswap_result* made = nullptr;
    EXPECT_EQ(message(Error(keyswap_check_order(array(keys, KEYSWAP_U32), nullptr, &made))), "");
    Result const result(made);
    EXPECT_FALSE(holds(result));
    EXPECT_EQ(json(result)["order"]["first_unsorted"], 2);
}

TEST(KeyswapC, RefusesWhatCannotBeDone) {
    std::vector<std::uint32_t> const keys{1, 2};
    keyswap_result* result = nullptr;
    keyswap_array const fine = array(keys, KEYSWAP_U32);
    auto const refused = [&](keyswap_array input, keyswap_check_options const* options) {
        return message(Error(keyswap_check(input, fine, options, &result)));
    };
    EXPECT_EQ(refused({nullptr, 2, KEYSWAP_U32}, nullptr),
              "input: is NULL (give its keys, or a count of 0)");
    EXPECT_EQ(refused(array(keys, KEYSWAP_I32), nullptr),
              "output: has keys of u32, and the input of i32 (compare arrays of one type)");
    EXPECT_EQ(refused(array(keys, static_cast<keyswap_type>(0)), nullptr),
              "input: has the type 0, which is not a key type (give a keyswap_type, such as "
              "KEYSWAP_U32)");
    keyswap_check_options options{};
    EXPECT_NE(refused(fine, &options).find("struct_size is 0"), std::string::npos);
    options.struct_size = sizeof options;
    options.nan_order = static_cast<keyswap_nan_order>(3);
    EXPECT_NE(refused(fine, &options).find("nan_order: is 3"), std::string::npos);
    options.nan_order = KEYSWAP_NANS_TOTAL;
    options.stable = 1;
    EXPECT_NE(refused(fine, &options).find("only values can show it"), std::string::npos);
    EXPECT_NE(message(Error(keyswap_check(fine, fine, nullptr, nullptr))).find("result: is NULL"),
              std::string::npos);
    EXPECT_EQ(result, nullptr);
}

TEST(KeyswapC, TakesOptionsOfAnOlderAndOfANewerHeader) {
    std::vector<std::uint32_t> const before{1, 2};
    std::vector<std::uint32_t> const after{2, 1};
    struct Newer {
        keyswap_check_options known{};
        std::uint64_t added = 0;
    } newer;
    newer.known.struct_size = sizeof newer;
    newer.known.direction = KEYSWAP_DESCENDING;
    EXPECT_TRUE(holds(check(array(before, KEYSWAP_U32), array(after, KEYSWAP_U32), &newer.known)));
    newer.added = 1;
    keyswap_result* result = nullptr;
    Error const error(keyswap_check(
        array(before, KEYSWAP_U32), array(after, KEYSWAP_U32), &newer.known, &result));
    EXPECT_NE(message(error).find("load a newer libkeyswap.so"), std::string::npos);
    newer.known.struct_size = offsetof(keyswap_check_options, zero_order);
    EXPECT_TRUE(holds(check(array(before, KEYSWAP_U32), array(after, KEYSWAP_U32), &newer.known)));
}

TEST(KeyswapC, SortsWhatItGenerates) {
    for (keyswap_type const type :
         {KEYSWAP_U32, KEYSWAP_I64, KEYSWAP_F32, KEYSWAP_F64, KEYSWAP_I128, KEYSWAP_B128}) {
        constexpr std::size_t count = 5'000;
        std::vector<std::uint64_t> before(2 * count);
        ASSERT_EQ(message(Error(keyswap_generate(before.data(), count, type, "zipf", 7, nullptr))),
                  "");
        std::vector<std::uint64_t> after = before;
        std::vector<std::uint32_t> values(count);
        std::iota(values.begin(), values.end(), 0U);
        keyswap_sort_options options{};
        options.struct_size = sizeof options;
        options.values = values.data();
        options.value_bits = 32;
        ASSERT_EQ(message(Error(keyswap_sort(after.data(), count, type, &options))), "");
        keyswap_array const checked_values = array(values, KEYSWAP_U32);
        keyswap_check_options check_options{};
        check_options.struct_size = sizeof check_options;
        check_options.values = &checked_values;
        check_options.stable = 1;
        EXPECT_TRUE(
            holds(check({before.data(), count, type}, {after.data(), count, type}, &check_options)))
            << keyswap_type_name(type);
    }
}

TEST(KeyswapC, SortsNansToTheEndThatIsAskedFor) {
    double const nan = std::nan("");
    std::vector<double> const before{nan, 3, -nan, 1, nan};
    for (keyswap_nan_order const order :
         {KEYSWAP_NANS_TOTAL, KEYSWAP_NANS_FIRST, KEYSWAP_NANS_LAST}) {
        for (keyswap_direction const direction : {KEYSWAP_ASCENDING, KEYSWAP_DESCENDING}) {
            std::vector<double> after = before;
            std::vector<std::uint64_t> values{0, 1, 2, 3, 4};
            keyswap_sort_options options{};
            options.struct_size = sizeof options;
            options.direction = direction;
            options.nan_order = order;
            options.values = values.data();
            options.value_bits = 64;
            ASSERT_EQ(
                message(Error(keyswap_sort(after.data(), after.size(), KEYSWAP_F64, &options))),
                "");
            keyswap_array const checked_values = array(values, KEYSWAP_U64);
            keyswap_check_options check_options{};
            check_options.struct_size = sizeof check_options;
            check_options.direction = direction;
            check_options.nan_order = order;
            check_options.values = &checked_values;
            EXPECT_TRUE(
                holds(check(array(before, KEYSWAP_F64), array(after, KEYSWAP_F64), &check_options)))
                << order << direction;
        }
    }
    std::vector<float> all_nans{std::nanf(""), -std::nanf("")};
    keyswap_sort_options options{};
    options.struct_size = sizeof options;
    options.nan_order = KEYSWAP_NANS_FIRST;
    EXPECT_EQ(message(Error(keyswap_sort(all_nans.data(), 2, KEYSWAP_F32, &options))), "");
}

TEST(KeyswapC, RefusesSortsThatItDoesNotHave) {
    std::vector<std::uint32_t> keys{2, 1, 0};
    EXPECT_EQ(message(Error(keyswap_sort(keys.data(), 2, KEYSWAP_U16, nullptr))),
              "keys: has keys of u16, and sorts take 32, 64 or 128 bits (widen them to u32, which "
              "keeps their order)");
    keyswap_sort_options options{};
    options.struct_size = sizeof options;
    options.algorithm = "rmg";
    EXPECT_EQ(message(Error(keyswap_sort(keys.data(), 3, KEYSWAP_U32, &options))),
              "algorithm: 'rmg' is not known (known: buffered-radix, simd-merge)");
    options.algorithm = nullptr;
    options.threads = 1025;
    EXPECT_EQ(message(Error(keyswap_sort(keys.data(), 3, KEYSWAP_U32, &options))),
              "threads: is 1025 (give 1 to 1024, or 0)");
    options.threads = 0;
    options.values = keys.data();
    options.value_bits = 17;
    EXPECT_EQ(message(Error(keyswap_sort(keys.data(), 3, KEYSWAP_U32, &options))),
              "value_bits: is 17 (give 32 or 64)");
    auto* const odd = reinterpret_cast<char*>(keys.data()) + 1;
    EXPECT_NE(message(Error(keyswap_sort(odd, 2, KEYSWAP_U32, nullptr))).find("aligned to 4"),
              std::string::npos);
    EXPECT_EQ(keys, (std::vector<std::uint32_t>{2, 1, 0}));
}

TEST(KeyswapC, PlansWhereKeysGo) {
    std::vector<std::uint32_t> keys(10'000, 3);
    keyswap_plan_options options{};
    options.struct_size = sizeof options;
    options.gpu_count = 4;
    keyswap_result* made = nullptr;
    ASSERT_EQ(message(Error(keyswap_plan(array(keys, KEYSWAP_U32), &options, &made))), "");
    Result const result(made);
    EXPECT_EQ(json(result)["config"]["gpu_count"], 4);
    EXPECT_EQ(json(result)["config"]["keys"], 10'000);
    EXPECT_EQ(json(result)["plan"]["gpus"].size(), 4U);
}

TEST(KeyswapC, CopiesInputsThatBrokeSorts) {
    keyswap_result* made = nullptr;
    ASSERT_EQ(message(Error(keyswap_zoo(KEYSWAP_F32, &made))), "");
    Result const result(made);
    auto const cases = json(result)["cases"];
    ASSERT_GT(cases.size(), 30U);
    for (Json const& one : cases) {
        std::vector<float> keys(one["keys"].get<std::size_t>());
        auto const name = one["name"].get<std::string>();
        EXPECT_EQ(
            message(Error(keyswap_zoo_keys(KEYSWAP_F32, name.c_str(), keys.data(), keys.size()))),
            "");
    }
    float key = 0;
    EXPECT_NE(message(Error(keyswap_zoo_keys(KEYSWAP_F32, "AllEqual", &key, 1)))
                  .find("the case has 10000 keys"),
              std::string::npos);
}

TEST(KeyswapC, EndsACheckWhenTheCallerAsks) {
    std::vector<std::uint32_t> const keys(1 << 20);
    keyswap_check_options options{};
    options.struct_size = sizeof options;
    int calls = 0;
    options.progress_data = &calls;
    options.progress = [](void* data, std::uint64_t, std::uint64_t) {
        ++*static_cast<int*>(data);
        return 1;
    };
    keyswap_result* result = nullptr;
    Error const error(
        keyswap_check(array(keys, KEYSWAP_U32), array(keys, KEYSWAP_U32), &options, &result));
    ASSERT_TRUE(error);
    EXPECT_EQ(keyswap_error_kind(error.get()), KEYSWAP_CANCELLED);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(result, nullptr);
}

TEST(KeyswapC, EndsASortThatItsCallbackCancels) {
    for (char const* const algorithm : {"buffered-radix", "simd-merge"}) {
        std::vector<std::uint32_t> keys(100'000);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            keys[i] = static_cast<std::uint32_t>(keys.size() - i);
        }
        keyswap_sort_options options{};
        options.struct_size = sizeof options;
        options.algorithm = algorithm;
        int calls = 0;
        options.progress_data = &calls;
        options.progress = [](void* data, std::uint64_t, std::uint64_t) {
            ++*static_cast<int*>(data);
            return 1;
        };
        Error const error(keyswap_sort(keys.data(), keys.size(), KEYSWAP_U32, &options));
        ASSERT_TRUE(error) << algorithm;
        EXPECT_EQ(keyswap_error_kind(error.get()), KEYSWAP_CANCELLED);
        EXPECT_EQ(calls, 1);
        options.progress = [](void*, std::uint64_t, std::uint64_t) { return 0; };
        EXPECT_EQ(message(Error(keyswap_sort(keys.data(), keys.size(), KEYSWAP_U32, &options))),
                  "");
        EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
    }
}

} // namespace
} // namespace keyswap::c_test
