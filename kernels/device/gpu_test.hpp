#pragma once

/// \file Helpers for GPU tests: a visible skip without a GPU, and test keys.

#include "kernels/device/key_image.hpp"
#include "kernels/sort.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace keyswap::kernels::gpu_test {

/// Number of GPUs without which tests fail: environment variable KEYSWAP_GPUS_REQUIRED.
inline int gpus_required() {
    char const* const text = std::getenv("KEYSWAP_GPUS_REQUIRED");
    return text == nullptr ? 0 : std::atoi(text);
}

/// Reason why a test that needs `needed` GPUs cannot run; empty if it can.
inline std::string missing_gpus(int needed) {
    int const found = device_count();
    if (found >= needed) {
        return {};
    }
    return "needs " + std::to_string(needed) + " GPUs, this machine shows " + std::to_string(found);
}

/// SplitMix64: test keys must be the same on every machine.
class TestRandom {
  public:
    explicit TestRandom(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15ULL;
        return mix_bits(state_);
    }

  private:
    std::uint64_t state_;
};

inline constexpr char const* pattern_names[] = {"uniform",
                                                "zero",
                                                "all ones",
                                                "two values",
                                                "small values",
                                                "sorted",
                                                "reversed",
                                                "zipf",
                                                "one hot bucket",
                                                "equal top half"};
inline constexpr int pattern_count = 10;

/// All bits random.
template <class Word>
Word random_word(TestRandom& random) {
    if constexpr (sizeof(Word) == sizeof(WideImage)) {
        return wide_image({random.next(), random.next()});
    } else {
        return static_cast<Word>(random.next() >> (64 - sizeof(Word) * 8));
    }
}

/// Keys by pattern; patterns over the whole range include NaN, infinities and -0.0 for floats.
template <class Word>
std::vector<Word> make_keys(int pattern, std::uint64_t count, std::uint64_t seed) {
    TestRandom random{seed};
    constexpr int bits = sizeof(Word) * 8;
    std::vector<Word> keys(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        auto const word = random_word<Word>(random);
        switch (pattern) {
        case 1:
            keys[i] = 0;
            break;
        case 2:
            keys[i] = static_cast<Word>(~Word{0});
            break;
        case 3:
            keys[i] = (word & 1) != 0 ? Word{1} << (bits - 1) : Word{0}; // -0.0 and +0.0
            break;
        case 4:
            keys[i] = word % 100;
            break;
        case 5:
        case 6:
            keys[i] = word;
            break;
        case 7: { // approximately Zipf 1: the exponent of a key is uniform
            int const width = static_cast<int>(word % bits) + 1;
            keys[i] = random_word<Word>(random) & static_cast<Word>(~Word{0} >> (bits - width));
            break;
        }
        case 8:
            keys[i] = word % 10 < 7 ? static_cast<Word>((Word{0x5a} << (bits - 8)) | (word & 0xff))
                                    : word;
            break;
        case 9:
            keys[i] = static_cast<Word>((Word{0x1234} << (bits - 16)) | (word & 0xffff));
            break;
        default:
            keys[i] = word;
        }
    }
    if (pattern == 5 || pattern == 6) {
        std::sort(keys.begin(), keys.end());
    }
    if (pattern == 6) {
        std::reverse(keys.begin(), keys.end());
    }
    return keys;
}

} // namespace keyswap::kernels::gpu_test

/// Skips the test visibly without `needed` GPUs; fails it if KEYSWAP_GPUS_REQUIRED demands them.
#define KEYSWAP_NEEDS_GPUS(needed)                                                                 \
    do {                                                                                           \
        std::string const missing = ::keyswap::kernels::gpu_test::missing_gpus(needed);            \
        if (!missing.empty() && ::keyswap::kernels::gpu_test::gpus_required() >= (needed)) {       \
            FAIL() << missing;                                                                     \
        }                                                                                          \
        if (!missing.empty()) {                                                                    \
            GTEST_SKIP() << missing;                                                               \
        }                                                                                          \
    } while (false)
