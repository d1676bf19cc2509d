/// \file Runs the inputs that broke other sorts through every sort of this project, on one, three,
/// four, eight and twelve GPUs.

#include "model/keys/materialized_source.hpp"
#include "model/sorts/algorithm.hpp"
#include "proptests/testing/sort_testing.hpp"
#include "traces/catalog/parameters.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace keyswap::testing {
namespace {

/// Plans and replays a sort of the keys. \return true if the output is correct
template <class Key>
bool sorts(model::Algorithm const& algorithm,
           std::uint32_t gpu_count,
           Direction direction,
           ZooCase<Key> const& given) {
    using Image = model::ImageOf<Key>;
    std::vector<Image> images(given.keys.size());
    for (std::size_t i = 0; i < images.size(); ++i) {
        images[i] = model::image_of(given.keys[i], direction);
    }
    model::SortConfig config;
    config.key_type = model::key_type_of<Key>;
    config.direction = direction;
    config.key_count = images.size();
    config.gpu_count = gpu_count;
    for (ParameterInfo const& parameter : algorithm.info().parameters) {
        set_value(config, parameter, parameter.default_value);
    }
    model::MaterializedSource source{std::span<Image const>(images)};
    auto const plan = algorithm.plan(config, source);
    if (!plan) {
        ADD_FAILURE() << plan.error().message();
        return false;
    }
    std::vector<Image> scratch(images.size());
    auto const violation = (*plan)->replay(
        model::ReplayMemory<Image, model::NoValue>{{images, {}}, {scratch, {}}}, nullptr);
    EXPECT_FALSE(violation) << model::describe(*violation);
    std::vector<Key> sorted(images.size());
    for (std::size_t i = 0; i < images.size(); ++i) {
        sorted[i] = model::key_of<Key>(images[i], direction);
    }
    EXPECT_THAT(sorted, SortedPermutationOf(given.keys, {.direction = direction}));
    return !violation;
}

template <class Key>
class ZooOfOwnSorts : public ::testing::Test {};

using OwnSortKeys =
    ::testing::Types<std::uint32_t, std::uint64_t, std::int32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(ZooOfOwnSorts, OwnSortKeys);

TYPED_TEST(ZooOfOwnSorts, IsSortedByEach) {
    constexpr std::array<std::uint32_t, 5> gpu_counts{8, 3, 1, 4, 12};
    for (model::Algorithm const* const algorithm : model::algorithms()) {
        std::size_t turn = 0;
        std::size_t sorted = 0;
        for (auto const& given : key_zoo<TypeParam>()) {
            std::uint32_t gpu_count = gpu_counts[turn % gpu_counts.size()];
            gpu_count = takes_gpus(algorithm->info().gpus, gpu_count) ? gpu_count : 1;
            if (!takes_gpus(algorithm->info().gpus, gpu_count)) {
                gpu_count = 2;
            }
            SCOPED_TRACE(std::string(algorithm->name) + " on " + std::to_string(gpu_count) +
                         " GPUs: " + given.name + " (" + given.source + ")");
            auto const direction = ++turn % 3 == 0 ? Direction::descending : Direction::ascending;
            sorted += sorts<TypeParam>(*algorithm, gpu_count, direction, given) ? 1 : 0;
        }
        EXPECT_EQ(sorted, turn) << algorithm->name;
        EXPECT_GT(sorted, 30U);
    }
}

} // namespace
} // namespace keyswap::testing
