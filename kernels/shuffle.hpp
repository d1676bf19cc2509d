#pragma once

/// \file Shuffle: a multisplit across GPUs, like the repartitioning of a table in a data frame or
/// database. Every GPU orders its chunk by bucket; then each bucket goes whole to its owner, where
/// buckets ascend and the pieces of a bucket are ordered by source GPU: with a stable method, keys
/// of a bucket keep their input order. By hash, label column, ranges or digits; for a bucket
/// function of your own in CUDA code see shuffle.cuh. No CUDA header is needed.

#include "kernels/multisplit.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// Options of a shuffle; `device` is ignored.
struct ShuffleOptions : MultisplitOptions {
    /// Device number of each GPU in order, 1 to 64; repeated numbers are virtual GPUs.
    std::vector<int> devices = {0};
    /// [m] index in `devices` of each bucket's owner; empty: floor(b g / m) for bucket b.
    std::vector<std::uint32_t> owners;
};

/// One GPU's arrays of a call, in its memory. Outputs must not overlap inputs, which are not
/// modified.
struct ShuffleChunk {
    void const* keys_in = nullptr;   ///< [count]
    void const* values_in = nullptr; ///< [count]; null without values
    void const* labels = nullptr;    ///< [count] words of label_bytes; for LabelBuckets only
    int label_bytes = 1;             ///< 1, 2 or 4
    std::uint64_t count = 0;
    void* keys_out = nullptr;   ///< [capacity]
    void* values_out = nullptr; ///< [capacity]; null without values
    std::uint64_t capacity = 0; ///< most keys this GPU can receive; balance depends on the function
    void* stream = nullptr;     ///< a cudaStream_t of the device; work queued in it runs first
};

/// Result of a shuffle.
struct ShuffleReport {
    std::vector<OwnershipRecord> ownership;  ///< [g] each GPU's range of the whole output
    std::vector<std::uint64_t> starts;       ///< [m] global index of each bucket's first key
    std::vector<PlacementRecord> placements; ///< of non-empty buckets
    std::vector<CopyRecord> copies;          ///< in the order they were queued
    std::vector<PhaseTimeRecord> times;      ///< scatter and key swap; empty unless measured
    bool peer_access = true;                 ///< false if some pairs of GPUs copy through the host
};

/// The report and records of a recorded shuffle.
struct ShuffleRecords {
    ShuffleReport report;
    std::vector<SplitRecords> splits;     ///< [g]
    std::vector<MultisetDigest> arrivals; ///< for each of report.placements, digest on the owner
};

class ShuffleState;

/// A shuffle by one function of up to chunk_max keys per GPU; allocates all memory on creation.
/// Calls must not overlap; different objects are independent.
class Shuffler {
  public:
    /// \param chunk_max keys of a GPU before the exchange, at most 2^32 - 1
    [[nodiscard]] static SortExpected<Shuffler> create(ShuffleOptions const& options,
                                                       std::uint64_t chunk_max);
    Shuffler(Shuffler&&) noexcept;
    Shuffler& operator=(Shuffler&&) noexcept;
    ~Shuffler();

    [[nodiscard]] MultisplitMethod method() const;
    /// Device memory held on each GPU.
    [[nodiscard]] std::uint64_t workspace_bytes() const;

    /// Shuffles chunks in GPU memory and waits for the result. If a GPU would receive more keys
    /// than its capacity, nothing is moved and the error names both numbers.
    /// \param chunks [g] of any sizes, including 0
    [[nodiscard]] SortExpected<ShuffleReport> shuffle(std::span<ShuffleChunk const> chunks,
                                                      PhaseTiming timing = PhaseTiming::off);

    /// From host memory to host memory: chunk i is [iC, min((i+1)C, n)) with C = ceil(n/g).
    /// \param arrays in host memory; `stream` is ignored, `starts` receives report.starts
    [[nodiscard]] SortExpected<ShuffleReport> shuffle_host(MultisplitArrays const& arrays,
                                                           std::uint64_t count,
                                                           PhaseTiming timing = PhaseTiming::off);

    /// Like shuffle_host; also returns trace records of the call.
    [[nodiscard]] SortExpected<ShuffleRecords> record_host(MultisplitArrays const& arrays,
                                                           std::uint64_t count);

  private:
    explicit Shuffler(std::unique_ptr<ShuffleState> state);
    std::unique_ptr<ShuffleState> state_;
};

} // namespace keyswap::kernels
