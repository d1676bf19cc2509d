#include "tools/backends/key_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <utility>

namespace keyswap::tools {
namespace {

/// Verdicts on generated keys after a planted fault.
class SortVerdicts : public ::testing::TestWithParam<char const*> {
  protected:
    [[nodiscard]] static KeyMemory loaded(std::string const& values) {
        SortArguments options;
        options.distribution = "uniform";
        options.key_count = 1'000;
        options.type = GetParam();
        options.values = values;
        auto request = resolve(options);
        auto memory = KeyMemory::load(*request, KeyMemory::Use::replay);
        EXPECT_TRUE(memory) << memory.error().message();
        return std::move(*memory);
    }
    /// Names of the verdicts that hold: "sorted, permutation".
    static std::string verdicts(KeyMemory& memory, MultisetDigest const& before) {
        std::string text;
        for (VerdictRecord const& verdict : check_sorted_keys(memory, before)) {
            EXPECT_EQ(verdict.detail.empty(), verdict.holds);
            text += verdict.holds ? (text.empty() ? "" : ", ") + verdict.property : "";
        }
        return text;
    }
    /// Changes the raw keys in memory, as 32- or 64-bit words.
    template <class Change>
    static void change(KeyMemory& memory, Change const& change) {
        memory.restore_keys();
        std::span<std::byte> const bytes = memory.key_bytes();
        if (bytes.size() == 4'000) {
            change(std::span(reinterpret_cast<std::uint32_t*>(bytes.data()), 1'000));
        } else {
            change(std::span(reinterpret_cast<std::uint64_t*>(bytes.data()), 1'000));
        }
        memory.make_images();
    }
};

TEST_P(SortVerdicts, HoldForTheSortedKeysAlone) {
    KeyMemory memory = loaded("none");
    MultisetDigest const before = memory.digest();
    EXPECT_EQ(verdicts(memory, before), "permutation");
    change(memory, [](auto keys) { std::ranges::sort(keys); });
    EXPECT_EQ(verdicts(memory, before), "sorted, permutation");
}

TEST_P(SortVerdicts, FindChangesThatKeepTheNumberOfKeysAndTheirSum) {
    std::mt19937_64 random(11);
    for (int round = 0; round < 20; ++round) {
        KeyMemory memory = loaded("none");
        MultisetDigest const before = memory.digest();
        std::size_t const at = 1 + random() % 998;
        change(memory, [at](auto keys) {
            std::ranges::sort(keys);
            keys[at - 1] -= 1; // still in order
            keys[at + 1] += 1;
            std::ranges::sort(keys);
        });
        EXPECT_EQ(verdicts(memory, before), "sorted") << at;
    }
}

TEST_P(SortVerdicts, FindValuesThatChangedTheirKeys) {
    KeyMemory memory = loaded("32");
    MultisetDigest const before = memory.digest();
    change(memory, [](auto keys) { std::ranges::sort(keys); });
    EXPECT_EQ(verdicts(memory, before), "sorted"); // the values did not move
}

INSTANTIATE_TEST_SUITE_P(Of, SortVerdicts, ::testing::Values("u32", "u64"));

} // namespace
} // namespace keyswap::tools
