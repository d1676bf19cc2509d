#include "tools/bench/probe_profile.hpp"

#include "simulator/cost/fast_cost.hpp"

#include <gtest/gtest.h>

namespace keyswap::tools {
namespace {

ProbeResult planted_probe(std::size_t gpus) {
    ProbeResult probe;
    probe.device = "NVIDIA H200";
    probe.driver = "580.1";
    probe.date = "2026-11-21";
    probe.host_memory_bytes = 500'000'000'000;
    probe.kernels.memory_bytes = 141'000'000'000;
    probe.kernels.key32 = {2.0, 5.0, 4.0, {6.0, 11.0, 16.0, 21.0}, 3.0};
    probe.kernels.key64 = {4.0, 10.0, 12.0, {12.0, 22.0, 32.0, 42.0}, 6.0};
    probe.kernels.histogram_us = 7;
    probe.kernels.sort_us = 19;
    probe.kernels.host_call_us = 4.25;
    probe.kernels.local_copy_GBps = 2'000;
    probe.rates.memory_copy = 4'200;
    probe.rates.host_to_device_all = 100;
    probe.rates.device_to_host_all = 80;
    probe.rates.host_both_ways_all = 110;
    probe.rates.peer.assign(gpus * gpus, 390.0);
    for (std::size_t i = 0; i < gpus; ++i) {
        probe.devices.push_back(static_cast<int>(i));
        probe.rates.host_to_device.push_back(55);
        probe.rates.device_to_host.push_back(54);
        probe.rates.peer[i * gpus + i] = 0;
    }
    return probe;
}

TEST(ProbedProfile, IsReadBackWithTheMeasuredConstantsAndTheirOrigin) {
    auto const start = simulator::load_device_profile("h200");
    ASSERT_TRUE(start.has_value());
    auto const written = simulator::write_device_profile(probed_profile(planted_probe(2), *start));
    auto const profile = simulator::parse_device_profile(written, "probe");
    ASSERT_TRUE(profile.has_value()) << profile.error().message();
    EXPECT_DOUBLE_EQ(profile->key32.histogram_ps, 2.0);
    EXPECT_DOUBLE_EQ(profile->key32.sort_pass_ps, 5.0);      // (21 - 6) / 3
    EXPECT_DOUBLE_EQ(profile->key32.sort_base_ps, 1.0);      // 6 - 5
    EXPECT_DOUBLE_EQ(profile->key32.scatter_conflict_ps, 0); // no constant is negative
    EXPECT_DOUBLE_EQ(profile->key64.scatter_conflict_ps, 2.0);
    EXPECT_DOUBLE_EQ(profile->sort_launch_us, 19);
    EXPECT_DOUBLE_EQ(profile->host_call_us, 4.25);
    EXPECT_TRUE(profile->origins.at("launch.call").starts_with("measured"));
    EXPECT_DOUBLE_EQ(profile->local_copy_GBps, 2'000);
    EXPECT_NE(profile->origins.at("key32.histogram").find("--probe"), std::string::npos);
    EXPECT_EQ(profile->origins.at("plan.base"), start->origins.at("plan.base"));
    // Constants measured on another machine are marked as assumed.
    EXPECT_TRUE(start->origins.at("fast.launch").starts_with("measured"));
    EXPECT_TRUE(profile->origins.at("fast.launch").starts_with("assumed: as in profile 'h200' ("));
}

TEST(ProbedProfile, FindsTheConstantsThatExplainTheTimesOfOurKernels) {
    auto planted = simulator::load_device_profile("h200").value();
    planted.local_copy_GBps = 2'000;
    simulator::FastCosts& costs = *planted.fast;
    costs.read_GBps = 3'000;
    costs.count_ps = 0.2;
    costs.step_GBps = 2'500;
    costs.conflict_ps = 2.0;
    costs.step_value_ps = 0.7;
    costs.stable_step32_ps = 4.0;
    costs.stable_step64_ps = 5.0;
    costs.leaf_bin_ps = 3.5;
    constexpr std::uint64_t keys = 1'000'000;
    simulator::FastKernels const model{planted};
    auto const ps = [](simulator::KernelCost const& cost) {
        return simulator::to_seconds(cost.duration) * 1e12 / keys;
    };
    ProbeResult probe = planted_probe(1);
    probe.kernels.key32.histogram_ps = ps(model.histogram(4, keys));
    probe.kernels.fast = {.step32_ps = ps(model.unstable_step({4, 0}, keys, 8)),
                          .step64_ps = ps(model.unstable_step({8, 0}, keys, 8)),
                          .step_few_ps = ps(model.unstable_step({4, 0}, keys, 4)),
                          .step_pairs_ps = ps(model.unstable_step({4, 4}, keys, 8)),
                          .stable_step32_ps = ps(model.stable_step({4, 0}, keys)),
                          .stable_step64_ps = ps(model.stable_step({8, 0}, keys)),
                          .count_ps = ps(model.count(4, keys, 3)),
                          .leaf32_ps = ps(model.leaf_bins({4, 0}, keys)),
                          .leaf64_ps = ps(model.leaf_bins({8, 0}, keys)),
                          .leaf_pairs_ps = ps(model.leaf_bins({4, 4}, keys))};
    auto found = probed_profile(probe, simulator::load_device_profile("h200").value());
    for (simulator::ProfileConstant const& constant : simulator::constants_of(planted)) {
        if (constant.name.starts_with("fast.") &&
            found.origins.at(constant.name).starts_with("measured")) {
            auto const all = simulator::constants_of(found);
            auto const same =
                std::ranges::find(all, constant.name, &simulator::ProfileConstant::name);
            EXPECT_NEAR(*same->value / *constant.value, 1.0, 1e-3) << constant.name;
        }
    }
    EXPECT_TRUE(found.origins.at("fast.leaf_bin").starts_with("measured"));
}

TEST(ProbedProfile, HasNoConstantBeyondWhatAnotherTermLetsShow) {
    ProbeResult probe = planted_probe(1);
    probe.kernels.local_copy_GBps = 1'400;
    probe.kernels.fast.step32_ps = 3.6; // 10.67 B; a copy of them takes 3.8 ps
    probe.kernels.fast.step64_ps = 7.0;
    auto const found = probed_profile(probe, simulator::load_device_profile("h200").value());
    EXPECT_GT(found.fast->step_GBps, 2'700);
    EXPECT_LT(found.fast->step_GBps, 2'900);
}

TEST(ProbedPlatform, IsAValidFileForOneAndForSeveralGpus) {
    for (std::size_t const gpus : {1U, 2U, 4U, 8U}) {
        auto const platform = probed_platform(planted_probe(gpus), "probed", "h200");
        auto const read = simulator::parse_platform(simulator::write_platform(platform), "probe");
        ASSERT_TRUE(read.has_value()) << read.error().message();
        EXPECT_EQ(read->links, platform.links);
        EXPECT_EQ(read->switches, platform.switches);
        EXPECT_EQ(read->gpus, platform.gpus);
        EXPECT_EQ(read->gpus.size(), gpus);
        EXPECT_EQ(read->link_kinds.front().bandwidth_Bps, 55'000'000'000U);
        EXPECT_EQ(read->cpus.front().memory_read_Bps, 100'000'000'000U);
    }
}

TEST(ProbedPlatform, LinksHaveTheMedianOfUnequalGpus) {
    auto probe = planted_probe(4);
    probe.rates.host_to_device = {60, 20, 50, 10};
    probe.rates.device_to_host = {10, 40, 30, 20};
    // gpu3 has no peer access.
    probe.rates.peer = {0, 300, 100, 0, 400, 0, 200, 0, 600, 500, 0, 0, 0, 0, 0, 0};
    auto const platform = probed_platform(probe, "probed", "h200");
    ASSERT_EQ(platform.link_kinds.size(), 2U);
    EXPECT_EQ(platform.link_kinds[0].bandwidth_Bps, 50'000'000'000U);
    EXPECT_EQ(platform.link_kinds[0].bandwidth_back_Bps, 30'000'000'000U);
    EXPECT_EQ(platform.link_kinds[1].bandwidth_Bps, 400'000'000'000U);
}

TEST(ProbedPlatform, HasNoPeerLinksWithoutPeerAccess) {
    auto probe = planted_probe(2);
    probe.rates.peer.assign(4, 0.0);
    auto const platform = probed_platform(probe, "probed", "h200");
    EXPECT_EQ(platform.link_kinds.size(), 1U);
    EXPECT_EQ(platform.links.size(), 2U);
    auto const read = simulator::parse_platform(simulator::write_platform(platform), "probe");
    EXPECT_TRUE(read.has_value()) << read.error().message();
}

} // namespace
} // namespace keyswap::tools
