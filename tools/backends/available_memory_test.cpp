#include "tools/backends/available_memory.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <sys/resource.h>
#include <unistd.h>

namespace keyswap::tools {
namespace {

constexpr std::uint64_t gigabyte = 1'000'000'000;

TEST(AvailableMemory, IsReadFromTheLineOfTheKernel) {
    EXPECT_EQ(
        available_bytes_of_meminfo("MemTotal:  16 kB\nMemFree: 4 kB\nMemAvailable:   12 kB\n"),
        12U * 1024);
    EXPECT_EQ(available_bytes_of_meminfo("MemTotal:  16 kB\n"), std::nullopt);
    EXPECT_EQ(available_bytes_of_meminfo("MemAvailable: much\n"), std::nullopt);
}

TEST(AvailableMemory, IsKnownOfThisMachine) {
    auto const bytes = available_memory_bytes();
    ASSERT_TRUE(bytes.has_value());
    EXPECT_GT(*bytes, 1'000'000U);
}

/// Ends the process, successfully if no more than a limit of its address space is available.
[[noreturn]] void exit_within_limit() {
    constexpr std::uint64_t left = 600'000'000;
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit{};
    limit.rlim_cur = limit.rlim_max =
        pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + left;
    bool const is_set = setrlimit(RLIMIT_AS, &limit) == 0;
    auto const bytes = available_memory_bytes();
    std::exit(is_set && bytes && *bytes <= left && *bytes > 0 ? 0 : 1);
}

TEST(AvailableMemory, IsAtMostWhatTheProcessMayAllocate) {
    EXPECT_EXIT(exit_within_limit(), ::testing::ExitedWithCode(0), "");
}

TEST(AvailableMemory, AdmitsKeysThatFitInAdditionToTheReserve) {
    EXPECT_TRUE(expect_memory_for("--keys", 900'000'000, 8, 8 * gigabyte).has_value());
    EXPECT_TRUE(expect_memory_for("--keys", 1'000'000'000'000, 8, std::nullopt).has_value());
}

TEST(AvailableMemory, RefusesKeysThatDoNotFitAndSaysHowManyDo) {
    auto const refused = expect_memory_for("--keys 3000000000", 3'000'000'000, 8, 8'256'000'000);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().message(),
              "--keys 3000000000: needs 24.0 GB of memory (8 bytes per key), and 8.0 GB is free "
              "(use at most 1,000,000,000 keys, or plan them without making them: 'keyswap plan "
              "--distribution')");
}

TEST(AvailableMemory, RefusesMoreBytesThanThereAreNumbers) {
    constexpr auto all = std::numeric_limits<std::uint64_t>::max();
    EXPECT_FALSE(expect_memory_for("--keys", all / 2, 16, gigabyte).has_value());
}

} // namespace
} // namespace keyswap::tools
