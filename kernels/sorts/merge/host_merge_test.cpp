#include "kernels/sorts/merge/host_merge.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

namespace keyswap::kernels {
namespace {

struct Element {
    std::uint64_t key = 0;
    std::uint32_t value = 0;
    friend bool operator==(Element const&, Element const&) = default;
};

/// Runs of the given sizes with keys below `range`; values number the keys of all runs.
std::vector<std::vector<Element>> sorted_runs(std::vector<std::size_t> const& sizes,
                                              std::uint64_t range) {
    std::uint64_t state = 12345;
    std::uint32_t value = 0;
    std::vector<std::vector<Element>> runs;
    for (std::size_t const size : sizes) {
        auto& run = runs.emplace_back();
        for (std::size_t i = 0; i < size; ++i) {
            state = mix_bits(state + 0x9e3779b97f4a7c15ULL);
            run.push_back({range == 0 ? state : state % range, 0});
        }
        std::ranges::stable_sort(run, {}, &Element::key);
        for (Element& element : run) {
            element.value = value++;
        }
    }
    return runs;
}

std::vector<Element>
merged(std::vector<std::vector<Element>> const& runs, ImageCode code, unsigned threads) {
    std::vector<std::vector<std::uint64_t>> keys;
    std::vector<std::vector<std::uint32_t>> values;
    std::size_t total = 0;
    for (auto const& run : runs) {
        auto& run_keys = keys.emplace_back();
        auto& run_values = values.emplace_back();
        for (Element const& element : run) {
            run_keys.push_back(element.key);
            run_values.push_back(element.value);
        }
        total += run.size();
    }
    std::vector<HostPiece> sources;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        sources.push_back({{keys[i].data(), values[i].data()}, keys[i].size()});
    }
    std::vector<std::uint64_t> keys_out(total);
    std::vector<std::uint32_t> values_out(total);
    merge_on_host(8, 4, sources, code, {keys_out.data(), values_out.data()}, threads);
    std::vector<Element> result;
    for (std::size_t i = 0; i < total; ++i) {
        result.push_back({keys_out[i], values_out[i]});
    }
    return result;
}

TEST(HostMerge, EqualsAStableSortOfAllRunsForAnyNumberOfThreads) {
    for (std::uint64_t const range : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{7}}) {
        for (auto const& sizes : std::vector<std::vector<std::size_t>>{
                 {0}, {1}, {0, 0, 5}, {1'000}, {999, 1'000, 1}, {100, 0, 3'000, 17, 250}}) {
            auto const runs = sorted_runs(sizes, range);
            std::vector<Element> expected;
            for (auto const& run : runs) {
                expected.insert(expected.end(), run.begin(), run.end());
            }
            std::ranges::stable_sort(expected, {}, &Element::key);
            for (unsigned const threads : {1U, 2U, 3U, 16U}) {
                EXPECT_EQ(merged(runs, ImageCode{}, threads), expected)
                    << sizes.size() << " runs, keys below " << range << ", " << threads
                    << " threads";
            }
        }
    }
}

TEST(HostMerge, TurnsImagesBackIntoKeys) {
    std::vector<std::uint32_t> const images = {0x00000000U, 0x7fffffffU, 0x80000000U};
    std::vector<std::uint32_t> keys(images.size());
    merge_on_host(4,
                  0,
                  {{{images.data(), nullptr}, images.size()}},
                  image_code(KeyType::i32, Direction::ascending),
                  {keys.data(), nullptr},
                  2);
    // Images of -2^31 (the smallest), -1 and 0.
    EXPECT_EQ(keys, (std::vector<std::uint32_t>{0x80000000U, 0xffffffffU, 0x00000000U}));
}

} // namespace
} // namespace keyswap::kernels
