#include "traces/catalog/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

namespace keyswap {
namespace {

bool is_option_word(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char letter) {
        return std::islower(static_cast<unsigned char>(letter)) != 0 ||
               std::isdigit(static_cast<unsigned char>(letter)) != 0 || letter == '-';
    });
}

TEST(Catalog, RowsAreComplete) {
    ASSERT_FALSE(catalog().empty());
    for (AlgorithmInfo const* const algorithm : catalog()) {
        SCOPED_TRACE(algorithm->name);
        EXPECT_TRUE(is_option_word(algorithm->name));
        EXPECT_FALSE(algorithm->description.empty());
        EXPECT_FALSE(algorithm->source.empty());
        EXPECT_FALSE(algorithm->variants.empty());
        EXPECT_FALSE(algorithm->residences.empty());
        EXPECT_FALSE(algorithm->key_types.empty());
        EXPECT_FALSE(algorithm->phases.empty());
        EXPECT_FALSE(algorithm->properties.empty());
        for (VariantInfo const& variant : algorithm->variants) {
            EXPECT_TRUE(is_option_word(variant.name)) << variant.name;
            EXPECT_FALSE(variant.description.empty()) << variant.name;
        }
        for (ParameterInfo const& parameter : algorithm->parameters) {
            EXPECT_TRUE(is_option_word(parameter.name)) << parameter.name;
            EXPECT_FALSE(parameter.source.empty()) << parameter.name;
            EXPECT_LE(parameter.least, parameter.default_value) << parameter.name;
            EXPECT_LE(parameter.default_value, parameter.most) << parameter.name;
        }
    }
}

TEST(Catalog, ASortThatDoesNotTakeAKeyTypeNamesThoseThatDo) {
    auto const sample_sort = find_algorithm_info("sample-sort").value();
    auto const rmg = find_algorithm_info("rmg").value();
    for (KeyType const type : every_key_type) {
        EXPECT_TRUE(check_key_type(*sample_sort, type)) << to_string(type);
        EXPECT_EQ(check_key_type(*rmg, type).has_value(), key_bits(type) <= 64) << to_string(type);
    }
    std::string const message = check_key_type(*rmg, KeyType::b128).error().message();
    EXPECT_NE(message.find("--type b128: rmg does not take"), std::string::npos) << message;
    EXPECT_NE(message.find("sample-sort"), std::string::npos) << message;
    EXPECT_EQ(message.find("p2p-merge"), std::string::npos) << message;
}

TEST(Catalog, ASortThatPromisesStabilityHasItChecked) {
    for (AlgorithmInfo const* const algorithm : catalog()) {
        bool const checked =
            std::ranges::find(algorithm->properties, "stable") != algorithm->properties.end();
        EXPECT_EQ(checked, algorithm->stability == Stability::stable) << algorithm->name;
    }
}

TEST(Catalog, FullNamesAreUniqueAndUnderstood) {
    std::set<std::string> names;
    for (AlgorithmChoice const choice : every_choice()) {
        EXPECT_TRUE(names.insert(full_name(choice)).second) << full_name(choice);
        auto const parsed = parse_full_name(full_name(choice));
        ASSERT_TRUE(parsed.has_value()) << full_name(choice);
        EXPECT_EQ(*parsed, choice) << full_name(choice);
    }
    EXPECT_TRUE(names.contains("rmg-paper"));
    EXPECT_TRUE(names.contains("p2p-merge")) << "of one variant, named by the algorithm alone";
}

TEST(Catalog, AnAlgorithmAloneMeansItsFirstVariant) {
    auto const chosen = choose("rmg", std::nullopt);
    ASSERT_TRUE(chosen.has_value());
    EXPECT_EQ(chosen->variant, &chosen->algorithm->variants.front());
    EXPECT_EQ(parse_full_name("rmg").value(), *chosen);
    EXPECT_EQ(choose("rmg", "paper").value().variant->name, "paper");
}

TEST(Catalog, UnknownNamesAreRefusedWithTheKnownOnes) {
    auto const algorithm = find_algorithm_info("quick");
    ASSERT_FALSE(algorithm.has_value());
    EXPECT_EQ(algorithm.error().message(),
              "algorithm: 'quick' is not known (did you mean 'quicksort'? Known: rmg, p2p-merge, "
              "het-merge, sample-sort, quicksort, uniform-buckets, multisplit-sort, split-radix, "
              "buffered-radix, network-merge, simd-merge, one-gpu, cpu-gnu-parallel, cpu-paradis)");
    auto const variant = choose("rmg", "slow");
    ASSERT_FALSE(variant.has_value());
    EXPECT_EQ(variant.error().message(),
              "variant of rmg: 'slow' is not known (known: fast, rotated, paper)");
    EXPECT_FALSE(parse_full_name("rmg-slow").has_value());
}

TEST(Catalog, PublishedNamesLeadToOneChoice) {
    std::set<std::string_view> names;
    for (AlgorithmChoice const choice : every_choice()) {
        std::string_view const name = choice.variant->published_name;
        EXPECT_TRUE(name.empty() || names.insert(name).second) << name;
    }
    EXPECT_EQ(full_name(find_published("radix-mgpu-sort").value()), "rmg-paper");
    EXPECT_EQ(find_published(""), std::nullopt);
    EXPECT_EQ(find_published("quick-sort"), std::nullopt);
}

TEST(Catalog, ParametersAreFoundByName) {
    AlgorithmInfo const& rmg = **find_algorithm_info("rmg");
    ASSERT_NE(find_parameter(rmg, "tolerance-ppm"), nullptr);
    EXPECT_EQ(find_parameter(rmg, "tolerance-ppm")->default_value, 5000U);
    EXPECT_EQ(find_parameter(rmg, "ways"), nullptr);
    EXPECT_EQ(find_parameter(**find_algorithm_info("p2p-merge"), "tolerance-ppm"), nullptr);
}

} // namespace
} // namespace keyswap
