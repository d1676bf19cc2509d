#pragma once

/// \file Simulates an external sort: rounds of read, distribute and write, then of read, sort and
/// write, on a machine's disks, cores and memory. The steps are defined in model/external.

#include "model/external/external_plan.hpp"
#include "simulator/platform/platform.hpp"
#include "simulator/platform/sim_time.hpp"
#include "simulator/platform/storage.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::simulator {

/// Costs of the steps on one core.
struct ExternalCost {
    double distribute_ns = 5.6; ///< per record counted and copied to one of some dozens of ranges
    double digest_ns = 2.1;     ///< per 16 bytes of a record: digests that verify its preservation
    double copy_GBps = 8.0;     ///< bytes that the OS copies between a file and memory
    double radix_ns = 1.85;     ///< per key and 8 bits of it
    double thread_us = 20.0;    ///< per thread started
    /// Upper bound of all costs, relative to these: with other programs on the cores, the same
    /// sort took 1.6 times as much processor time.
    double spread = 1.6;
    static constexpr char const* origin =
        "measured: samples of a sort of 1 GB of u64 keys, on two cores of an AMD EPYC, 2026-11-28";
};

/// GPUs that sort ranges, from host memory to host memory.
struct RangeGpus {
    std::uint32_t count = 0;
    double record_ns = 0.0; ///< time of a range of maximum size / its records
};

/// A step of the sort, from the first read to the last write.
struct ExternalPhase {
    std::string name; ///< "sample", "partition", "sort"
    SimTime duration;
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;
    std::uint64_t requests = 0; ///< reads and writes
    SimTime saving;             ///< syncs of files and removals of runs, part of `duration`
    /// Main bottleneck: "storage reads", "all cores", "file syncs" (and removals), or a stage such
    /// as "distributing".
    std::string limit;
    double limited = 0.0; ///< fraction of the phase in which it was at its limit
};

struct ExternalPrediction {
    std::vector<ExternalPhase> phases;
    SimTime total; ///< sum over phases
};

/// Predictions at the ends of the ranges of the storage's rates and the cores' costs.
struct ExternalInterval {
    SimTime least;
    SimTime most;
};

/// \param threads cores used \param gpus that sort the ranges; nullopt: cores do
/// \return an error if the platform cannot be simulated
[[nodiscard]] Expected<ExternalPrediction> predict_external_sort(Platform const& platform,
                                                                 Storage const& storage,
                                                                 model::ExternalPlan const& plan,
                                                                 std::uint32_t threads,
                                                                 std::optional<RangeGpus> gpus = {},
                                                                 ExternalCost const& cost = {});

/// As predict_external_sort(); nullopt if the storage's rates were not measured.
[[nodiscard]] Expected<std::optional<ExternalInterval>>
external_interval(Platform const& platform,
                  Storage const& storage,
                  model::ExternalPlan const& plan,
                  std::uint32_t threads,
                  std::optional<RangeGpus> gpus = {},
                  ExternalCost const& cost = {});

} // namespace keyswap::simulator
