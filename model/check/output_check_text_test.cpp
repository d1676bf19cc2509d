#include "model/check/image_scan.hpp"
#include "model/check/output_check.hpp"
#include "model/key_files/key_file.hpp"
#include "model/testing/temporary_keys.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace keyswap::model {
namespace {

using testing::KeyFolder;
using Keys = std::vector<std::uint32_t>;

TEST(OutputCheckNames, AreThoseOfTheCommandLine) {
    EXPECT_EQ(to_string(OrderShape::sorted), "sorted");
    EXPECT_EQ(to_string(OrderShape::reversed), "reversed");
    EXPECT_EQ(to_string(OrderShape::rotated), "rotated");
    EXPECT_EQ(to_string(OrderShape::unsorted), "unsorted");
    EXPECT_EQ(to_string(ContentShape::values), "values");
    EXPECT_EQ(to_string(ContentShape::block), "block");
    for (NanOrder const order : {NanOrder::total, NanOrder::first, NanOrder::last}) {
        EXPECT_EQ(parse_nan_order(to_string(order)).value(), order);
    }
    EXPECT_FALSE(parse_nan_order("middle"));
}

TEST(KeyFileFormats, SurviveTheirNames) {
    for (auto const format : {KeyFileFormat::raw, KeyFileFormat::npy, KeyFileFormat::csv}) {
        EXPECT_EQ(parse_key_file_format(to_string(format)).value(), format);
    }
    EXPECT_EQ(parse_key_file_format("auto").value(), std::nullopt);
    auto const unknown = parse_key_file_format("parquet");
    ASSERT_FALSE(unknown);
    EXPECT_NE(unknown.error().message().find("'parquet'"), std::string::npos);
}

/// All sentences about the output.
std::string text_of_check(Keys const& input, Keys const& output) {
    KeyFolder const folder;
    OutputCheckOptions options;
    options.input.key_type = KeyType::u32;
    auto const check = check_output(folder.put("in", input), folder.put("out", output), options);
    EXPECT_TRUE(check);
    std::string text;
    for (std::string const& sentence : sentences(*check)) {
        text += sentence + "\n";
    }
    return text;
}

TEST(OutputCheckSentences, SeparateOrderFromContent) {
    EXPECT_NE(text_of_check({3, 1, 2}, {3, 2, 1}).find("reversed"), std::string::npos);
    std::string const lost = text_of_check({3, 1, 2}, {1, 2, 2});
    EXPECT_NE(lost.find("lacks 1 key of value 3"), std::string::npos) << lost;
    EXPECT_NE(lost.find("1 key too many, of value 2"), std::string::npos) << lost;
}

TEST(OutputCheckErrors, NameTheFileThatCannotBeCompared) {
    KeyFolder const folder;
    auto const good = folder.put("good", Keys{1, 2});
    OutputCheckOptions options;
    options.input.key_type = KeyType::u32;
    auto const no_input = check_output(folder / "missing", good, options);
    ASSERT_FALSE(no_input);
    EXPECT_NE(no_input.error().message().find("missing"), std::string::npos);
    EXPECT_FALSE(check_output(good, folder / "missing", options));
    options.output.key_type = KeyType::f32;
    auto const two_types = check_output(good, good, options);
    ASSERT_FALSE(two_types);
    EXPECT_NE(two_types.error().message().find("f32"), std::string::npos);
}

} // namespace
} // namespace keyswap::model
