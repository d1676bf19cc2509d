// A key swap that first gathers inside the node, and the flat one: two nodes with two GPUs each.

#include "simulator/schedules/node_exchange.hpp"

#include "simulator/engine/engine.hpp"
#include "simulator/prediction/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace keyswap::simulator {
namespace {

using enum ExchangeStep;

CopyRecord copy(std::uint32_t source,
                std::uint64_t source_offset,
                std::uint32_t destination,
                std::uint64_t destination_offset,
                std::uint64_t count) {
    return {GpuId{source}, source_offset, GpuId{destination}, destination_offset, count};
}

/// Every GPU sends equally many keys to each GPU, the next one first and itself last, in `pieces`
/// pieces that are contiguous at the source and separate at the destination.
std::vector<CopyRecord> all_to_all(std::uint64_t piece_keys, std::uint64_t pieces) {
    std::vector<CopyRecord> copies;
    for (std::uint32_t source = 0; source < 4; ++source) {
        for (std::uint32_t const destination : {source ^ 1U, source ^ 2U, source ^ 3U, source}) {
            for (std::uint64_t piece = 0; piece < pieces; ++piece) {
                copies.push_back(copy(source,
                                      (destination * pieces + piece) * piece_keys,
                                      destination,
                                      (piece * 4 + source) * piece_keys,
                                      piece_keys));
            }
        }
    }
    return copies;
}

TEST(NodeExchange, TrainsStayTrainsWithinANodeAndAreSpreadInTheirPieces) {
    std::vector<std::uint32_t> const machines{0, 0, 1, 1};
    std::vector<CopyRecord> const trains = all_to_all(10, 1);
    std::vector<std::uint32_t> pieces;
    pieces.reserve(trains.size());
    for (CopyRecord const& train : trains) {
        pieces.push_back(10 * train.source.value + train.destination.value + 1);
    }
    std::vector<StagedCopy> const staged = node_exchange(trains, machines, pieces);
    std::map<ExchangeStep, std::vector<std::uint32_t>> by_step;
    for (StagedCopy const& next : staged) {
        by_step[next.step].push_back(next.pieces);
    }
    EXPECT_EQ(by_step[within], (std::vector<std::uint32_t>{2, 1, 11, 12, 24, 23, 33, 34}));
    EXPECT_EQ(by_step[gather], std::vector<std::uint32_t>(8, 1)); // contiguous keys
    EXPECT_EQ(by_step[send], std::vector<std::uint32_t>(4, 1));
    // GPU 0 gets the keys of 2 and 3, GPU 1 likewise, 2 those of 0 and 1.
    EXPECT_EQ(by_step[spread], (std::vector<std::uint32_t>{21, 31, 22, 32, 3, 13, 4, 14}));
}

TEST(NodeExchange, GathersOnTheSendersSendsOnceAndSpreads) {
    std::vector<std::uint32_t> const machines{0, 0, 1, 1};
    std::vector<StagedCopy> const staged = node_exchange(all_to_all(1, 1), machines);
    std::vector<StagedCopy> const expected{
        {0, within, copy(0, 1, 1, 0, 1)},
        {0, within, copy(0, 0, 0, 0, 1)},
        {0, within, copy(1, 0, 0, 1, 1)},
        {0, within, copy(1, 1, 1, 1, 1)},
        {0, within, copy(2, 3, 3, 2, 1)},
        {0, within, copy(2, 2, 2, 2, 1)},
        {0, within, copy(3, 2, 2, 3, 1)},
        {0, within, copy(3, 3, 3, 3, 1)},
        // GPU 0 sends to GPU 2, GPU 1 to GPU 3, and back: each source begins with its mate.
        {1, gather, copy(0, 3, 1, 0, 1)},
        {1, gather, copy(0, 2, 0, 0, 1)},
        {1, gather, copy(1, 2, 0, 1, 1)},
        {1, gather, copy(1, 3, 1, 1, 1)},
        {1, gather, copy(2, 1, 3, 0, 1)},
        {1, gather, copy(2, 0, 2, 0, 1)},
        {1, gather, copy(3, 0, 2, 1, 1)},
        {1, gather, copy(3, 1, 3, 1, 1)},
        {1, send, copy(2, 0, 0, 0, 2)},
        {1, send, copy(3, 0, 1, 0, 2)},
        {1, send, copy(0, 0, 2, 0, 2)},
        {1, send, copy(1, 0, 3, 0, 2)},
        {1, spread, copy(0, 0, 0, 2, 1)},
        {1, spread, copy(0, 1, 0, 3, 1)},
        {1, spread, copy(1, 0, 1, 2, 1)},
        {1, spread, copy(1, 1, 1, 3, 1)},
        {1, spread, copy(2, 0, 2, 0, 1)},
        {1, spread, copy(2, 1, 2, 1, 1)},
        {1, spread, copy(3, 0, 3, 0, 1)},
        {1, spread, copy(3, 1, 3, 1, 1)}};
    EXPECT_EQ(staged, expected);
}

TEST(NodeExchange, OnOneNodeIsTheFlatSwap) {
    std::vector<CopyRecord> const copies = all_to_all(3, 2);
    std::vector<CopyRecord> staged;
    for (StagedCopy const& next : node_exchange(copies, std::vector<std::uint32_t>(4, 7))) {
        EXPECT_EQ(next.step, within);
        staged.push_back(next.copy);
    }
    EXPECT_EQ(staged, copies);
}

TEST(NodeExchange, ANodeOfOneGpuSendsToOneOfTheOthersAfterTheOther) {
    std::vector<std::uint32_t> const machines{4, 9, 9};
    std::vector<CopyRecord> const copies{copy(0, 0, 1, 0, 5), copy(0, 5, 2, 0, 6)};
    std::vector<StagedCopy> const staged = node_exchange(copies, machines);
    std::vector<StagedCopy> const expected{{1, gather, copy(0, 0, 0, 0, 5)},
                                           {1, send, copy(0, 0, 1, 0, 5)},
                                           {1, spread, copy(1, 0, 1, 0, 5)},
                                           {2, gather, copy(0, 5, 0, 0, 6)},
                                           {2, send, copy(0, 0, 2, 0, 6)},
                                           {2, spread, copy(2, 0, 2, 0, 6)}};
    EXPECT_EQ(staged, expected);
}

/// A swap without a sort, on two GPUs of each of two DGX H100.
Timeline swapped(std::vector<CopyRecord> const& copies, SwapOrder order) {
    auto const machine = load_machine("cluster:dgx-h100:2", std::nullopt);
    EXPECT_TRUE(machine);
    ScheduleInput input;
    input.config.gpu_count = 4;
    input.gpus = {0, 1, 8, 9};
    input.machines = {0, 0, 1, 1};
    for (std::uint32_t const gpu : input.gpus) {
        input.input_memories.push_back(gpu_memory(gpu));
    }
    input.output_memories = input.input_memories;
    input.device = machine->device;
    input.swap = order;
    ScheduleBuilder builder(input);
    add_swap(builder, copies);
    auto timeline = run_task_graph(builder.graph, machine->platform);
    EXPECT_TRUE(timeline) << timeline.error().message();
    return *timeline;
}

TEST(NodeExchange, EachLinkCarriesWhatItsOrderSays) {
    constexpr std::uint64_t keys = 1'000'000;
    constexpr double pair_bytes = 4e6;
    struct Carried {
        char const* link;
        double flat; ///< bytes of the pairs
        double by_node;
    };
    for (Carried const& carried : {
             // Both remote pairs of a GPU, or all for one remote GPU, use its adapter.
             Carried{"n0.nic0-leaf0: n0.nic0 > leaf0", 2, 2},
             Carried{"n0.nic0-leaf0: leaf0 > n0.nic0", 2, 2},
             Carried{"n1.nic1-leaf1: n1.nic1 > leaf1", 2, 2},
             Carried{"n1.nic1-leaf1: leaf1 > n1.nic1", 2, 2},
             // Pairs on different rails cross the spine: 0 to 3, 2 to 1.
             Carried{"leaf0-spine: leaf0 > spine", 2, 0},
             Carried{"leaf1-spine: spine > leaf1", 2, 0},
             // The pair with the mate, and what the mate gathers for the GPU.
             Carried{"n0.nvlink gpu0: n0.gpu0 > n0.nvswitch", 1, 2},
             Carried{"n1.nvlink gpu1: n1.nvswitch > n1.gpu1", 1, 2},
         }) {
        auto const bytes = [&](SwapOrder order) {
            Timeline const timeline = swapped(all_to_all(keys, 1), order);
            auto const use = std::ranges::find(timeline.channels, carried.link, &ChannelUse::name);
            return use == timeline.channels.end() ? -1.0 : use->size_bytes;
        };
        EXPECT_NEAR(bytes(SwapOrder::flat), carried.flat * pair_bytes, 1.0) << carried.link;
        EXPECT_NEAR(bytes(SwapOrder::by_node), carried.by_node * pair_bytes, 1.0) << carried.link;
    }
}

TEST(NodeExchange, PaysWhereAPairsFewKeysLieInSeveralPieces) {
    // Only the fixed time of each copy: a launch of 3.5 us; 2 us of NVLinks to a mate; 4 us of PCIe
    // links and 1.3 us of cables to the GPU on the same rail, 2.6 us to another.
    constexpr double local = 3.5;
    constexpr double mate = local + 2.0;
    constexpr double rail = local + 5.3;
    constexpr double other_rail = local + 6.6;
    auto const time_us = [](std::uint64_t pieces, SwapOrder order) {
        return to_seconds(swapped(all_to_all(1, pieces), order).makespan) * 1e6;
    };
    for (std::uint64_t const pieces : {1U, 2U}) {
        auto const count = static_cast<double>(pieces);
        double const flat = count * (mate + rail + other_rail + local);
        double const by_node = count * (mate + local) + mate + local + rail + 2 * count * local;
        EXPECT_NEAR(time_us(pieces, SwapOrder::flat), flat, 0.01);
        EXPECT_NEAR(time_us(pieces, SwapOrder::by_node), by_node, 0.01);
        EXPECT_EQ(by_node < flat, pieces == 2);
    }
}

TEST(NodeExchange, NothingIsSentBeforeItIsGatheredNorSpreadBeforeItIsThere) {
    // From GPU 1 to its mate, from there to GPU 2 on the same rail, then to the final place.
    Timeline const timeline = swapped({copy(1, 0, 2, 0, 1)}, SwapOrder::by_node);
    EXPECT_NEAR(to_seconds(timeline.makespan) * 1e6, 5.5 + 8.8 + 3.5, 0.01);
}

SimulationRequest
of_sort(std::string algorithm, std::uint64_t keys, std::optional<SwapOrder> swap) {
    SimulationRequest request;
    request.algorithm = std::move(algorithm);
    request.config.key_count = keys;
    for (std::uint32_t gpu = 0; gpu < 16; ++gpu) {
        request.gpus.push_back(gpu);
    }
    request.swap = swap;
    request.engine.rate_tolerance = 1e-2;
    return request;
}

TEST(SwapOrder, TheFasterOneIsTakenWithTheOtherBesideIt) {
    auto const machine = load_machine("cluster:dgx-h100:2", std::nullopt);
    ASSERT_TRUE(machine);
    struct Case {
        char const* algorithm;
        std::uint64_t keys;
        SwapOrder faster; ///< few keys: fewest messages win; many: fewest bytes
    };
    for (Case const& sort : {Case{"rmg-rotated", 1'000'000, SwapOrder::by_node},
                             Case{"rmg-rotated", 20'000'000'000, SwapOrder::flat},
                             Case{"sample-sort", 100'000, SwapOrder::by_node}}) {
        auto const time = [&](SwapOrder order) {
            auto const one = simulate(*machine, of_sort(sort.algorithm, sort.keys, order));
            EXPECT_TRUE(one && !one->other_swap && one->request.swap == order);
            return one->timeline.makespan;
        };
        SwapOrder const other =
            sort.faster == SwapOrder::flat ? SwapOrder::by_node : SwapOrder::flat;
        EXPECT_LT(time(sort.faster), time(other)) << sort.algorithm << ' ' << sort.keys;
        auto const best = simulate(*machine, of_sort(sort.algorithm, sort.keys, std::nullopt));
        ASSERT_TRUE(best && best->other_swap);
        EXPECT_EQ(best->request.swap, sort.faster);
        EXPECT_EQ(best->timeline.makespan, time(sort.faster));
        EXPECT_EQ(best->other_swap->order, other);
        EXPECT_EQ(best->other_swap->makespan, time(other));
    }
}

TEST(SwapOrder, StagingBuffersAreCountedAndMayNotFit) {
    auto const machine = load_machine("cluster:dgx-h100:2", std::nullopt);
    ASSERT_TRUE(machine);
    auto const flat = simulate(*machine, of_sort("rmg-rotated", 16'000'000, SwapOrder::flat));
    auto const by_node = simulate(*machine, of_sort("rmg-rotated", 16'000'000, SwapOrder::by_node));
    ASSERT_TRUE(flat && by_node);
    // Two buffers for a chunk of 1e6 keys of 4 B and two tolerances of 5,000 keys.
    EXPECT_EQ(by_node->memory.sort.device_bytes() - flat->memory.sort.device_bytes(),
              2U * 1'010'000U * 4U);
    EXPECT_LT(by_node->memory.keys_most, flat->memory.keys_most);

    std::uint64_t const keys = by_node->memory.keys_most + 16;
    EXPECT_EQ(simulate(*machine, of_sort("rmg-rotated", keys, SwapOrder::by_node)).error().subject,
              "memory");
    auto const best = simulate(*machine, of_sort("rmg-rotated", keys, std::nullopt));
    ASSERT_TRUE(best);
    EXPECT_EQ(best->request.swap, SwapOrder::flat);
    ASSERT_TRUE(best->other_swap);
    EXPECT_FALSE(best->other_swap->makespan);
}

TEST(SwapOrder, ByNodeIsRefusedOnOneNodeAndBySortsThatKnowNone) {
    auto const cluster = load_machine("cluster:dgx-h100:2", std::nullopt);
    auto const single = load_machine("dgx-h100", std::nullopt);
    ASSERT_TRUE(cluster && single);
    for (std::optional<SwapOrder> const swap : {std::optional(SwapOrder::by_node), {}}) {
        auto request = of_sort("rmg-fast", 1'000'000, swap);
        auto const unknown = simulate(*cluster, request).error();
        EXPECT_EQ(unknown.subject, "--swap");
        EXPECT_NE(unknown.remedy.find("rmg-rotated"), std::string::npos) << unknown.message();
        request.algorithm = "rmg-rotated";
        request.gpus.resize(8);
        for (Machine const* const machine : {&*cluster, &*single}) {
            EXPECT_EQ(simulate(*machine, request).error().subject, "--swap");
        }
    }
    EXPECT_TRUE(simulate(*single, [] {
        auto request = of_sort("rmg-rotated", 1'000'000, SwapOrder::flat);
        request.gpus.resize(8);
        return request;
    }()));
}

} // namespace
} // namespace keyswap::simulator
