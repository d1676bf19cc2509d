/// \file Every fault planted in the CPU sorts is found, by verification of the records or by the
/// check of the output.

#include "kernels/cpu/cpu_faults.hpp"
#include "model/distributions/counter_generator.hpp"
#include "model/verify/verify_trace.hpp"
#include "proptests/properties/cpu_run.hpp"

#include <gtest/gtest.h>

namespace keyswap::proptests {
namespace {

struct FoundBy {
    int records = 0;
    int output = 0;
};

/// Runs sorts of 20 sizes with a fault and reports what found it.
FoundBy find(kernels::CpuFault fault, std::string const& algorithm) {
    kernels::planted_cpu_fault = fault;
    FoundBy found;
    for (std::uint64_t i = 0; i < 20; ++i) {
        RunHeader header;
        header.algorithm = algorithm;
        header.variant = "published";
        header.version = 2;
        header.gpus = {0};
        header.virtual_gpus = true;
        header.key_count = 1000 + 37 * i;
        header.input.distribution = "uniform";
        header.input.seed = i;
        header.input.generator_version = model::generator_version;
        if (algorithm == "simd-merge") {
            header.parameters = {{"run-keys", 100}};
        } else {
            header.stability = Stability::stable;
        }
        auto const sorted = sort_on_cpu(header, {2, kernels::SimdUse::best, i});
        if (!sorted) {
            ADD_FAILURE() << "the header names no run";
            continue;
        }
        auto const report = model::verify::verify_run(sorted->run);
        found.records += report && !report->holds() ? 1 : 0;
        found.output += sorted->is_sorted() && sorted->is_permutation() ? 0 : 1;
    }
    kernels::planted_cpu_fault = kernels::CpuFault::none;
    return found;
}

TEST(CpuFaults, NoneIsFoundWhereNoneIsPlanted) {
    for (char const* const algorithm : {"buffered-radix", "simd-merge"}) {
        FoundBy const found = find(kernels::CpuFault::none, algorithm);
        EXPECT_EQ(found.records, 0) << algorithm;
        EXPECT_EQ(found.output, 0) << algorithm;
    }
}

TEST(CpuFaults, LostTailOfABufferIsFoundInTheRecords) {
    EXPECT_EQ(find(kernels::CpuFault::buffer_tail_lost, "buffered-radix").records, 20);
}

TEST(CpuFaults, LineWrittenOverTheStartOfABucketIsFoundInTheRecords) {
    EXPECT_EQ(find(kernels::CpuFault::line_over_bucket_start, "buffered-radix").records, 20);
}

TEST(CpuFaults, MissingComparatorsOfTheNetworkAreFoundInTheOutput) {
    if (kernels::simd_target(kernels::SimdUse::best) == "scalar") {
        GTEST_SKIP() << "this build has no Highway, and so no network";
    }
    EXPECT_EQ(find(kernels::CpuFault::network_swaps_missing, "simd-merge").output, 20);
}

TEST(CpuFaults, DroppedOddRunIsFoundInTheOutput) {
    EXPECT_GE(find(kernels::CpuFault::odd_run_dropped, "simd-merge").output, 15);
}

} // namespace
} // namespace keyswap::proptests
