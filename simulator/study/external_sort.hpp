#pragma once

/// \file A sort on files, simulated: rounds of read, distribute and write, then of read, sort and
/// write, on a machine's disks, cores and memory. What the steps are: model/external.

#include "model/external/external_plan.hpp"
#include "simulator/platform/platform.hpp"
#include "simulator/platform/sim_time.hpp"
#include "simulator/platform/storage.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::simulator {

/// What steps cost on one core.
struct ExternalCost {
    double distribute_ns = 5.3; ///< a record, counted and copied to one of some dozens of ranges
    double digest_ns = 1.0;     ///< 16 bytes of a record, for the digests that prove it was kept
    double copy_GBps = 10.0;    ///< what the system does for bytes between a file and memory
    double radix_ns = 1.7;      ///< a key and 8 bits of it
    static constexpr char const* origin =
        "measured: samples of a sort of 2 GB of u64 keys, on two cores of an AMD EPYC, 2026-11-27";
};

/// GPUs that sort the ranges, from host memory to host memory.
struct RangeGpus {
    std::uint32_t count = 0;
    double record_ns = 0.0; ///< of a range as large as they take, divided by its records
};

/// A step of the sort, from the first reading to the last writing.
struct ExternalPhase {
    std::string name; ///< "sample", "partition", "sort"
    SimTime duration;
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;
    /// What it waits for most: "storage reads", "all cores", or a stage: "distributing".
    std::string limit;
    double limited = 0.0; ///< part of the phase in which that was at its limit
};

struct ExternalPrediction {
    std::vector<ExternalPhase> phases;
    SimTime total; ///< their sum
};

/// \param threads cores that take part \param gpus that sort ranges; nullopt: cores do
/// \return an error where the platform cannot be simulated
[[nodiscard]] Expected<ExternalPrediction> predict_external_sort(Platform const& platform,
                                                                 Storage const& storage,
                                                                 model::ExternalPlan const& plan,
                                                                 std::uint32_t threads,
                                                                 std::optional<RangeGpus> gpus = {},
                                                                 ExternalCost const& cost = {});

} // namespace keyswap::simulator
