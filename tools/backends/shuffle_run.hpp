#pragma once

/// \file A shuffle by the reference or on GPUs, held against the one stable partition of the whole
/// input by owner and bucket.

#include "model/partition/bucket_rule_text.hpp"
#include "model/partition/shuffle.hpp"
#include "tools/backends/key_memory.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::tools {

/// What is asked for in addition to the keys.
struct ShuffleJob {
    std::string method;
    std::vector<GpuId> owners; ///< [m]
    std::vector<int> devices;  ///< [g] of GPUs; of the reference, only their number counts
};

/// What one GPU did with its chunk.
struct ChunkSplit {
    std::vector<std::uint64_t> counts; ///< [m]
    PartitionRecord partition;
    std::vector<MultisetDigest> digests; ///< [m]
};

struct ShuffleRun {
    BucketFunction function;
    std::vector<ChunkSplit> splits; ///< [g]
    model::Shuffle shuffle;         ///< as the run returned it
    /// Of each placed bucket, on its owner.
    std::vector<MultisetDigest> arrivals;
    std::vector<std::uint64_t> starts;  ///< [m] first key of each bucket in the output
    std::vector<PhaseTimeRecord> times; ///< none of the reference
    SequenceDigest output;
    std::string wrong; ///< the first property that does not hold; empty if all do

    [[nodiscard]] bool holds() const { return wrong.empty(); }
};

/// Shuffles the keys in the memory, which holds the output afterwards, GPU after GPU, as images.
/// \return an error for a method that is not known or takes fewer buckets
[[nodiscard]] Expected<ShuffleRun> shuffle_by_reference(model::GivenFunction const& given,
                                                        ShuffleJob const& job,
                                                        KeyMemory& memory,
                                                        model::SortConfig const& config);

/// The same by the kernels.
[[nodiscard]] Expected<ShuffleRun> shuffle_on_gpus(model::GivenFunction const& given,
                                                   ShuffleJob const& job,
                                                   KeyMemory& memory,
                                                   model::SortConfig const& config);

} // namespace keyswap::tools
