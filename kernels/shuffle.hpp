#pragma once

/// \file Shuffle: a multisplit across GPUs, as data frames and GPU databases repartition a table.
/// Every GPU orders its chunk by bucket, then each bucket goes whole to the GPU that owns it, where
/// buckets ascend and a bucket's pieces lie in the order of the GPUs they come from: after a stable
/// method the keys of a bucket keep their input order. By hash, label column, ranges or digits; for
/// a bucket function of your own in CUDA code see shuffle.cuh. No CUDA header is needed.

#include "kernels/multisplit.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// `device` is not read.
struct ShuffleOptions : MultisplitOptions {
    /// Device number of each GPU in order, 1 to 64; a number may come again: virtual GPUs.
    std::vector<int> devices = {0};
    /// [m] the GPU of each bucket by its place in `devices`; empty: bucket b to GPU floor(b g / m).
    std::vector<std::uint32_t> owners;
};

/// One GPU's part of a call, in its memory. Outputs must not overlap inputs, which stay as they
/// are.
struct ShuffleChunk {
    void const* keys_in = nullptr;   ///< [count]
    void const* values_in = nullptr; ///< [count], where there are values
    void const* labels = nullptr;    ///< [count] words of label_bytes, for LabelBuckets
    int label_bytes = 1;             ///< 1, 2 or 4
    std::uint64_t count = 0;
    void* keys_out = nullptr;   ///< [capacity]
    void* values_out = nullptr; ///< [capacity], where there are values
    std::uint64_t capacity = 0; ///< most keys that the GPU can take; imbalance is the function's
    void* stream = nullptr;     ///< a cudaStream_t of the device, whose work is waited for
};

/// Result of a shuffle.
struct ShuffleReport {
    std::vector<OwnershipRecord> ownership;  ///< [g] stretch of the whole output on each GPU
    std::vector<std::uint64_t> starts;       ///< [m] first key of each bucket in the whole output
    std::vector<PlacementRecord> placements; ///< of buckets that hold keys
    std::vector<CopyRecord> copies;          ///< in the order queued
    std::vector<PhaseTimeRecord> times;      ///< scatter and key swap; empty unless measured
    bool peer_access = true;                 ///< false: some pairs copy through the host
};

/// What a recorded shuffle adds to it.
struct ShuffleRecords {
    ShuffleReport report;
    std::vector<SplitRecords> splits;     ///< [g]
    std::vector<MultisetDigest> arrivals; ///< of each of report.placements on its owner
};

class ShuffleState;

/// A shuffle of up to so many keys a GPU by one function; its memory is made once. One call at a
/// time; different ones are independent.
class Shuffler {
  public:
    /// \param chunk_max keys of a GPU before the exchange, at most 2^32 - 1
    [[nodiscard]] static SortExpected<Shuffler> create(ShuffleOptions const& options,
                                                       std::uint64_t chunk_max);
    Shuffler(Shuffler&&) noexcept;
    Shuffler& operator=(Shuffler&&) noexcept;
    ~Shuffler();

    [[nodiscard]] MultisplitMethod method() const;
    /// Device memory that it holds on each GPU.
    [[nodiscard]] std::uint64_t workspace_bytes() const;

    /// Shuffles chunks that lie on the GPUs; returns when it is done. Where a GPU would take more
    /// keys than it has room for nothing is moved, and the error names both numbers.
    /// \param chunks [g] of any size, also of none
    [[nodiscard]] SortExpected<ShuffleReport> shuffle(std::span<ShuffleChunk const> chunks,
                                                      PhaseTiming timing = PhaseTiming::off);

    /// From host memory to host memory: chunk i is [iC, min((i+1)C, n)) with C = ceil(n/g).
    /// \param arrays of host memory; its stream is not read, `starts` takes report.starts
    [[nodiscard]] SortExpected<ShuffleReport> shuffle_host(MultisplitArrays const& arrays,
                                                           std::uint64_t count,
                                                           PhaseTiming timing = PhaseTiming::off);

    /// As shuffle_host, with a record of all that was done.
    [[nodiscard]] SortExpected<ShuffleRecords> record_host(MultisplitArrays const& arrays,
                                                           std::uint64_t count);

  private:
    explicit Shuffler(std::unique_ptr<ShuffleState> state);
    std::unique_ptr<ShuffleState> state_;
};

} // namespace keyswap::kernels
