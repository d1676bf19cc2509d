#include "model/testing/arrow_fixtures.hpp"
#include "tools/c/handles_test.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::c_test {
namespace {

using model::testing::ArrowNode;

/// A table with a number and a text column, as a stream that counts its releases.
ArrowArrayStream stream_of(std::vector<std::int64_t> const& numbers,
                           std::vector<std::string> const& texts,
                           int& released) {
    ArrowNode const batch = model::testing::record_batch(
        {model::testing::number_column("l", "number", numbers),
         model::testing::text_column<std::int32_t>("u", "text", texts)});
    return model::testing::export_stream({batch, {batch}, 0, -1, &released});
}

TEST(KeyswapC, ChecksRows) {
    int released = 0;
    auto before = stream_of({2, 1, 2}, {"b", "a", "c"}, released);
    auto after = stream_of({2, 2, 1}, {"b", "c", "a"}, released);
    ArrowArrayStream* const parts = &after;
    keyswap_rows_options options{};
    options.struct_size = sizeof options;
    options.stable = 1;
    keyswap_result* made = nullptr;
    ASSERT_EQ(
        message(Error(keyswap_check_rows(&before, &parts, 1, "number:desc", &options, &made))), "");
    Result const result(made);
    EXPECT_TRUE(holds(result)) << keyswap_result_text(made);
    EXPECT_EQ(json(result)["config"]["by"], "number:desc:nulls-last");
    EXPECT_EQ(released, 2);
}

TEST(KeyswapC, SaysWhatIsWrongWithRows) {
    int released = 0;
    auto first = stream_of({1, 3}, {"a", "c"}, released);
    auto second = stream_of({2}, {"b"}, released);
    std::array<ArrowArrayStream*, 2> const parts{&first, &second};
    keyswap_result* made = nullptr;
    ASSERT_EQ(message(Error(keyswap_check_rows(nullptr, parts.data(), 2, "text", nullptr, &made))),
              "");
    Result const result(made);
    EXPECT_FALSE(holds(result));
    EXPECT_EQ(json(result)["order"]["row"], 2);
    EXPECT_EQ(json(result)["order"]["output_file"], 1);
}

/// Runs a check of rows whose n-th progress callback cancels it. \return number of callbacks
int calls_until_cancelled(std::vector<std::int64_t> const& numbers, int n) {
    struct Calls {
        int made = 0;
        int last = 0;
    } calls{0, n};
    int released = 0;
    std::vector<std::string> const texts(numbers.size(), "x");
    auto before = stream_of(numbers, texts, released);
    auto after = stream_of(numbers, texts, released);
    ArrowArrayStream* const parts = &after;
    keyswap_rows_options options{};
    options.struct_size = sizeof options;
    options.threads = 2;
    options.progress_data = &calls;
    options.progress = [](void* data, std::uint64_t done, std::uint64_t total) {
        EXPECT_LE(done, total);
        auto& counted = *static_cast<Calls*>(data);
        return ++counted.made == counted.last ? 1 : 0;
    };
    keyswap_result* made = nullptr;
    Error const error(keyswap_check_rows(&before, &parts, 1, "number", &options, &made));
    EXPECT_EQ(released, 2);
    if (error) {
        EXPECT_EQ(keyswap_error_kind(error.get()), KEYSWAP_CANCELLED);
        EXPECT_EQ(made, nullptr);
        return calls.made;
    }
    Result const result(made);
    return 0;
}

TEST(KeyswapC, EndsACheckOfRowsThatItsCallbackCancels) {
    std::vector<std::int64_t> const numbers(20'000, 7);
    EXPECT_EQ(calls_until_cancelled(numbers, 1), 1);
    EXPECT_EQ(calls_until_cancelled(numbers, 1'000'000), 0);
}

TEST(KeyswapC, ReleasesStreamsAlsoAfterErrors) {
    int released = 0;
    keyswap_result* result = nullptr;
    auto before = stream_of({1}, {"a"}, released);
    auto after = stream_of({1}, {"a"}, released);
    std::array<ArrowArrayStream*, 2> const parts{nullptr, &after};
    EXPECT_EQ(
        message(Error(keyswap_check_rows(&before, parts.data(), 2, "number", nullptr, &result))),
        "after[0]: is NULL (give it)");
    EXPECT_EQ(released, 2);
    auto again = stream_of({1}, {"a"}, released);
    ArrowArrayStream* const part = &again;
    EXPECT_NE(message(Error(keyswap_check_rows(nullptr, &part, 1, "nubmer", nullptr, &result)))
                  .find("did you mean 'number'"),
              std::string::npos);
    EXPECT_EQ(released, 3);
    auto third = stream_of({1}, {"a"}, released);
    ArrowArrayStream* const third_part = &third;
    keyswap_rows_options options{};
    options.struct_size = sizeof options;
    options.stable = 1;
    EXPECT_NE(message(Error(keyswap_check_rows(nullptr, &third_part, 1, "text", &options, &result)))
                  .find("need the rows before the sort"),
              std::string::npos);
    EXPECT_EQ(released, 4);
    EXPECT_NE(message(Error(keyswap_check_rows(nullptr, nullptr, 0, "text", nullptr, &result)))
                  .find("after: has no table"),
              std::string::npos);
    EXPECT_EQ(result, nullptr);
}

} // namespace
} // namespace keyswap::c_test
