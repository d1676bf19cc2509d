#include "kernels/primitives/copy_kernels.hpp"

#include "kernels/device/device_copies_test.hpp"
#include "kernels/device/gpu_test.hpp"

#include <algorithm>
#include <vector>

namespace keyswap::kernels {
namespace {

using gpu_test::make_keys;
using gpu_test::on_device;
using gpu_test::on_host;

template <class Word>
void expect_elements_are_copied() {
    for (std::uint64_t const count : {0ULL, 1ULL, 255ULL, 2'048ULL, 2'049ULL, 3'000'001ULL}) {
        auto const words = make_keys<Word>(0, count + 3, 1);
        auto const from = on_device(words);
        auto const to = on_device(std::vector<Word>(count + 3, Word{0}));
        launch_copy(nullptr, sizeof(Word), to.data() + 1, from.data() + 2, count);
        std::vector<Word> expected(count + 3, Word{0});
        std::copy_n(words.begin() + 2, count, expected.begin() + 1);
        ASSERT_TRUE(on_host(to.data(), count + 3) == expected) << count;
    }
}

TEST(CopyKernel, CopiesEveryElementAndNoMore) {
    KEYSWAP_NEEDS_GPUS(1);
    expect_elements_are_copied<std::uint32_t>();
    expect_elements_are_copied<std::uint64_t>();
    expect_elements_are_copied<WideImage>();
}

/// Fills separated by single keys that must not change.
template <class Word>
void expect_keys_are_filled(std::vector<std::uint64_t> const& counts) {
    std::vector<KeyFill> fills;
    std::vector<Word> expected{Word{7}};
    for (std::uint64_t const count : counts) {
        auto const image = static_cast<Word>(0xf123456789abcdefULL + fills.size());
        fills.push_back({expected.size(), count, image});
        expected.insert(expected.end(), count, image);
        expected.push_back(Word{7});
    }
    auto const keys = on_device(std::vector<Word>(expected.size(), Word{7}));
    launch_fills(nullptr, sizeof(Word), keys.data(), fills);
    ASSERT_TRUE(on_host(keys.data(), expected.size()) == expected);
}

TEST(FillKernel, WritesEveryKeyAndNoMore) {
    KEYSWAP_NEEDS_GPUS(1);
    // One launch's number of fills, one more, and several launches.
    std::vector<std::uint64_t> counts{0, 1, 255, 8'191, 8'192, 8'193, 0, 3'000'001};
    for (std::size_t const fills : {std::size_t{0}, counts.size(), 128UL, 129UL, 300UL}) {
        counts.resize(fills, 5);
        expect_keys_are_filled<std::uint32_t>(counts);
        expect_keys_are_filled<std::uint64_t>(counts);
    }
}

} // namespace
} // namespace keyswap::kernels
