#pragma once

/// \file Runs a shuffle by the reference or on GPUs, and compares it with the stable partition of
/// the whole input by owner and bucket.

#include "model/partition/bucket_rule_text.hpp"
#include "model/partition/shuffle.hpp"
#include "tools/backends/key_memory.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::tools {

/// Parameters of a shuffle, without the keys.
struct ShuffleJob {
    std::string method;
    std::vector<GpuId> owners; ///< [m]
    std::vector<int> devices;  ///< [g] GPUs; the reference uses only the size
};

/// Multisplit of one GPU's chunk.
struct ChunkSplit {
    std::vector<std::uint64_t> counts; ///< [m]
    PartitionRecord partition;
    std::vector<MultisetDigest> digests; ///< [m]
};

struct ShuffleRun {
    BucketFunction function;
    std::vector<ChunkSplit> splits; ///< [g]
    model::Shuffle shuffle;         ///< as returned by the run
    /// [placements] keys of each placed bucket, as received by its owner.
    std::vector<MultisetDigest> arrivals;
    std::vector<std::uint64_t> starts;  ///< [m] index of each bucket's first key in the output
    std::vector<PhaseTimeRecord> times; ///< empty for the reference
    SequenceDigest output;
    std::string wrong; ///< first violated property; empty if none

    [[nodiscard]] bool holds() const { return wrong.empty(); }
};

/// Shuffles the keys in `memory`. It then holds the output, ordered by GPU, as images.
/// \return an error if the method is unknown or does not support so many buckets
[[nodiscard]] Expected<ShuffleRun> shuffle_by_reference(model::ParsedFunction const& given,
                                                        ShuffleJob const& job,
                                                        KeyMemory& memory,
                                                        model::SortConfig const& config);

/// As shuffle_by_reference(), with the kernels on job.devices.
[[nodiscard]] Expected<ShuffleRun> shuffle_on_gpus(model::ParsedFunction const& given,
                                                   ShuffleJob const& job,
                                                   KeyMemory& memory,
                                                   model::SortConfig const& config);

} // namespace keyswap::tools
