// Memory use of sorts against measurements; what fits, and what would fit.

#include "simulator/prediction/memory_fit.hpp"

#include "simulator/prediction/simulation.hpp"
#include "traces/measurements/measurement.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace keyswap::simulator {
namespace {

SortMemory memory_of(std::string const& schedule, model::SortConfig const& config) {
    ScheduleKind const* const kind = *find_schedule(schedule);
    return kind->memory(*kind->choice().algorithm, config);
}

model::SortConfig of_keys(std::uint64_t key_count, std::uint32_t gpu_count) {
    model::SortConfig config;
    config.key_count = key_count;
    config.gpu_count = gpu_count;
    return config;
}

TEST(SortMemory, OfThePublishedRmgSortIsWhatEveryPublishedRowHas) {
    std::size_t rows = 0;
    for (char const* name : {"ac922.csv", "dgx-a100.csv"}) {
        auto const runs = read_measurements(std::string(KEYSWAP_MEASUREMENTS) + "/" + name);
        ASSERT_TRUE(runs) << runs.error().message();
        for (Measurement const& run : *runs) {
            if (run.algorithm != "radix-mgpu-sort" || run.gpus.size() < 2) {
                continue;
            }
            auto config = of_keys(run.key_count, static_cast<std::uint32_t>(run.gpus.size()));
            config.key_type = *parse_key_type(run.key_type);
            SortMemory const memory = memory_of("rmg-paper", config);
            // Files have four decimals of a megabyte, and do not count the room for overhangs as
            // keys.
            EXPECT_NEAR(
                static_cast<double>(memory.device_bytes()) * 1e-6, run.device_memory_mb, 0.0003)
                << name << ' ' << run.key_count << ' ' << run.gpus.size();
            ++rows;
        }
    }
    EXPECT_GT(rows, 300U);
}

TEST(SortMemory, OfOurKernelsIsWhatTheyTookOnH200) {
    struct Taken {
        char const* schedule;
        std::uint32_t gpu_count;
        double megabytes; ///< traces/recorded/h200-x4.csv; `fast`: two H100, FIGURES.md
        double within;
    };
    for (Taken const& taken : {Taken{"rmg-rotated", 2, 8117.720575, 0.1},
                               Taken{"rmg-rotated", 4, 4077.741055, 0.1},
                               Taken{"one-gpu", 1, 16037.751295, 0.1},
                               Taken{"rmg-fast", 2, 8290.0, 10.0}}) {
        SortMemory const memory =
            memory_of(taken.schedule, of_keys(2'000'000'000, taken.gpu_count));
        EXPECT_NEAR(
            static_cast<double>(memory.device_bytes()) * 1e-6, taken.megabytes, taken.within)
            << taken.schedule << ' ' << taken.gpu_count;
    }
}

TEST(SortMemory, CannotOverflow) {
    SortMemory const memory = memory_of("rmg-fast", of_keys(1ULL << 63U, 2));
    EXPECT_EQ(memory.array_bytes, ~std::uint64_t{0});
    EXPECT_EQ(memory.device_bytes(), ~std::uint64_t{0});
}

SimulationRequest request_for(Machine const& machine, std::uint64_t key_count) {
    SimulationRequest request;
    request.config.key_count = key_count;
    request.gpus.resize(machine.platform.gpus.size());
    std::iota(request.gpus.begin(), request.gpus.end(), 0U);
    return request;
}

TEST(MemoryFit, WhatDoesNotFitIsRefusedWithWhatWould) {
    auto const machine = load_machine("dgx-a100", std::nullopt);
    ASSERT_TRUE(machine);
    SimulationRequest many = request_for(*machine, 100'000'000'000);
    many.algorithm = "rmg-rotated";
    auto const refused = simulate(*machine, many);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().subject, "memory");
    EXPECT_NE(refused.error().remedy.find("keys fit"), std::string::npos);
    EXPECT_NE(refused.error().remedy.find("such GPUs would be enough"), std::string::npos);
    SimulationRequest one = many;
    one.algorithm = "one-gpu";
    one.gpus = {0};
    EXPECT_NE(simulate(*machine, one).error().remedy.find("no number of such GPUs"),
              std::string::npos);
    // 4 TB in the memory of two CPUs: more GPUs alone do not help.
    many.config.key_count = 1'000'000'000'000;
    EXPECT_TRUE(simulate(*machine, many)
                    .error()
                    .remedy.ends_with("; cpu0, which has 512.0 GB, is too small as well"))
        << simulate(*machine, many).error().remedy;

    auto const small = simulate(*machine, request_for(*machine, 1000));
    ASSERT_TRUE(small);
    std::uint64_t const most = small->memory.keys_most;
    EXPECT_GT(most, 32'000'000'000U); // published runs have as many
    EXPECT_TRUE(simulate(*machine, request_for(*machine, most)));
    EXPECT_FALSE(simulate(*machine, request_for(*machine, most + 1)));
}

TEST(MemoryFit, TheGpusThatWouldBeEnoughAreAndOneFewerIsNot) {
    auto const machine = load_machine("dgx-a100", std::nullopt);
    ASSERT_TRUE(machine);
    SimulationRequest request = request_for(*machine, 100'000'000'000);
    request.algorithm = "rmg-rotated";
    auto const refused = simulate(*machine, request);
    ASSERT_FALSE(refused);
    std::string const& remedy = refused.error().remedy;
    std::size_t const at = remedy.find("; ");
    ASSERT_NE(at, std::string::npos) << remedy;
    auto const gpus = static_cast<std::uint32_t>(std::stoul(remedy.substr(at + 2)));
    std::uint64_t const free = device_of(machine->platform, 0).memory_bytes - device_reserve_bytes;
    EXPECT_LE(memory_of("rmg-rotated", of_keys(100'000'000'000, gpus)).device_bytes(), free);
    EXPECT_GT(memory_of("rmg-rotated", of_keys(100'000'000'000, gpus - 1)).device_bytes(), free);
}

TEST(MemoryFit, HostMemoryCountsWhereKeysLie) {
    auto machine = load_machine("dgx-a100", std::nullopt);
    ASSERT_TRUE(machine);
    for (Cpu& cpu : machine->platform.cpus) {
        cpu.memory_bytes = 6'000'000'000;
    }
    SimulationRequest request = request_for(*machine, 2'000'000'000); // 8 GB
    auto const refused = simulate(*machine, request);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().remedy.find("--input-on"), std::string::npos);
    for (KeyPlace::Kind const kind : {KeyPlace::Kind::interleaved, KeyPlace::Kind::local}) {
        request.input = KeyPlace{kind, 0};
        auto const fits = simulate(*machine, request);
        ASSERT_TRUE(fits) << fits.error().message();
        ASSERT_EQ(fits->memory.uses.size(), 3U); // GPUs and two nodes
        EXPECT_EQ(fits->memory.uses[1].used_bytes, 4'000'000'000U);
    }
    // A second array if the output is in another place.
    request.output = KeyPlace{KeyPlace::Kind::node, 1};
    EXPECT_FALSE(simulate(*machine, request));
}

TEST(MemoryFit, WhatWasMeasuredIsPredictedWhateverItsMemory) {
    auto machine = load_machine("dgx-a100", std::nullopt);
    ASSERT_TRUE(machine);
    machine->platform.devices.front().memory_bytes = 1'000'000'000;
    SimulationRequest request = request_for(*machine, 2'000'000'000);
    EXPECT_FALSE(simulate(*machine, request));
    request.memory_limits = MemoryLimits::ignored;
    EXPECT_TRUE(simulate(*machine, request));
}

} // namespace
} // namespace keyswap::simulator
