#pragma once

/// \file The records of a run. The reference model and a real sort both write them, so that their
/// decisions on the same input can be compared. Positions are 0-based key indices, never bytes.

#include "traces/records/bucket_function.hpp"
#include "traces/records/bucket_prefix.hpp"
#include "traces/records/digest.hpp"
#include "traces/records/key_type.hpp"
#include "traces/records/operation.hpp"
#include "traces/records/phase.hpp"
#include "traces/records/sort_shape.hpp"
#include "traces/records/swap_layout.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace keyswap {

/// Newest version of the text format that this library writes; the reader rejects newer ones.
inline constexpr int trace_format_version = 3;

/// Where the keys came from: enough for a verifier to regenerate or reread them.
struct InputRecord {
    std::string distribution;              ///< name as `keyswap distributions` lists it, or "file"
    std::optional<double> parameter;       ///< Zipf exponent, bit entropy ...
    std::uint64_t seed = 0;                ///< of the generator; 0 for a file
    int generator_version = 0;             ///< incremented when a seed yields different keys
    std::string file;                      ///< path, for "file"
    std::optional<MultisetDigest> content; ///< of all keys; nullopt if unknown
    // From version 3 on.
    std::vector<std::string> more_files; ///< files after the first, in input order
    std::optional<std::string> format;   ///< format of key files, as --format names it
    std::optional<std::string> column;   ///< column of a text file
    friend bool operator==(InputRecord const&, InputRecord const&) = default;
};

/// First record of every trace: the resolved configuration.
struct RunHeader : SortShape, SortParameters {
    int version = 1;             ///< of the text format: the lowest that can represent the run
    std::string program;         ///< "keyswap 0.1.0", or another sort's name and version
    std::string commit;          ///< of the program; empty if unknown
    std::string created;         ///< ISO 8601 date; empty in reproducible model traces
    std::string device;          ///< "NVIDIA H200"; empty for a replay on the CPU
    std::string driver;          ///< driver version; empty for a replay on the CPU
    std::string algorithm;       ///< "rmg", "p2p-merge", "het-merge" ...
    std::string variant;         ///< "reference", "paper", "rotated", "fast" ...
    std::uint64_t key_count = 0; ///< n
    std::vector<int> gpus;       ///< device number of each GPU in order; its size is g
    bool virtual_gpus = false;   ///< several GPUs simulated on one device or in host memory
    InputRecord input;

    // From version 2 on.
    Operation operation = Operation::sort;
    std::optional<SwapLayout> layout; ///< of the exchange; nullopt if the run exchanges no buckets
    friend bool operator==(RunHeader const&, RunHeader const&) = default;
};

/// Divides a bucket by a function instead of a digit. Precedes the first record that refers to it.
/// From version 2 on.
struct BucketFunctionRecord {
    std::uint32_t id = 0; ///< unique; histograms and partitions refer to it
    BucketPrefix bucket;  ///< the bucket that it divides; pass 0 = the whole input
    BucketFunction function;
    friend bool operator==(BucketFunctionRecord const&, BucketFunctionRecord const&) = default;
};

/// Histogram of a bucket's keys on one GPU, over the next digit or a function's buckets.
struct HistogramRecord {
    BucketPrefix bucket; ///< the bucket that is refined; pass 0 = the whole input
    GpuId gpu;
    std::uint64_t offset = 0;          ///< first key of the bucket in the GPU's memory
    std::vector<std::uint64_t> counts; ///< [2^digit_bits], or [m] of the function
    // From version 2 on.
    std::optional<int> step{};               ///< partition step; 1 = the first
    std::optional<std::uint32_t> function{}; ///< id; nullopt: the digit of the pass
    friend bool operator==(HistogramRecord const&, HistogramRecord const&) = default;
};

enum class PlacementState {
    placed,   ///< first == last: one GPU receives all of it
    spanning, ///< refined by the next pass
    cut       ///< still spanning after the last pass: equal keys, cut at the borders
};

/// Partitions one bucket on one GPU: histogram, prefix sum and scatter. Step q + 1 reads the output
/// of step q; partitions of one step by different methods all read the same input. From version 2
/// on.
struct PartitionRecord {
    int step = 1; ///< 1 = the first
    GpuId gpu;
    BucketPrefix bucket;        ///< the bucket that it divides; pass 0 = the whole input
    std::uint32_t function = 0; ///< id of the bucket function
    std::uint64_t offset = 0;   ///< first key of the part in the GPU's memory
    std::uint64_t count = 0;    ///< keys in the part
    std::string method;         ///< "fused", "warp" ...
    Stability stability = Stability::stable;
    std::uint64_t tile_keys = 0;          ///< keys in a column of the scanned table; 0 = no table
    std::vector<std::uint64_t> starts;    ///< [m] first key of each bucket, relative to `offset`
    std::optional<SequenceDigest> table;  ///< of the scanned table, bucket-major
    std::optional<SequenceDigest> output; ///< of the part after the step; set if stable
    friend bool operator==(PartitionRecord const&, PartitionRecord const&) = default;
};

/// Assigns a non-empty bucket to its GPUs.
struct PlacementRecord {
    BucketPrefix bucket;
    std::uint64_t begin = 0; ///< global index of its first key in sorted order
    std::uint64_t end = 0;   ///< one past its last key
    GpuId first;             ///< after applying the tolerance
    GpuId last;              ///< after applying the tolerance
    PlacementState state = PlacementState::placed;
    friend bool operator==(PlacementRecord const&, PlacementRecord const&) = default;
};

/// The range of the sorted order that a GPU owns after the exchange.
struct OwnershipRecord {
    GpuId gpu;
    std::uint64_t base = 0; ///< global index of its first key
    std::uint64_t count = 0;
    friend bool operator==(OwnershipRecord const&, OwnershipRecord const&) = default;
};

/// One copy of an exchange between GPUs, or within one GPU. All copies of a stage read the memory
/// as it was before the stage.
struct CopyRecord {
    GpuId source;
    std::uint64_t source_offset = 0;
    GpuId destination;
    std::uint64_t destination_offset = 0;
    std::uint64_t count = 0;
    int stage = 0; ///< merge sorts: merge stage; layout by_round: the round; from version 2 on
    friend bool operator==(CopyRecord const&, CopyRecord const&) = default;
};

/// One call of the bucket sort: sorts a range by bits [begin_bit, end_bit).
struct SortRangeRecord {
    GpuId gpu;
    std::uint64_t offset = 0; ///< relative to the GPU's own range
    std::uint64_t count = 0;
    int begin_bit = 0;
    int end_bit = 0; ///< exclusive; equal to begin_bit if the range is already sorted
    friend bool operator==(SortRangeRecord const&, SortRangeRecord const&) = default;
};

/// Merges adjacent sorted runs in place. From version 2 on.
struct MergeRecord {
    int stage = 0;            ///< runs after this stage's copies and before those of the next
    std::optional<GpuId> gpu; ///< nullopt: the CPU merges in host memory
    std::uint64_t offset = 0; ///< of the first run, in the GPU's range or the whole output
    std::vector<std::uint64_t> runs; ///< keys in each run, in memory order
    friend bool operator==(MergeRecord const&, MergeRecord const&) = default;
};

enum class DigestStage {
    before_swap,
    after_swap,
    after_sort,
    after_step ///< after a partition step; from version 2 on
};

/// Digest of one bucket's keys on one GPU.
struct DigestRecord {
    DigestStage stage = DigestStage::before_swap;
    GpuId gpu;
    BucketPrefix bucket;
    MultisetDigest digest;
    std::optional<int> step{}; ///< only for after_step
    friend bool operator==(DigestRecord const&, DigestRecord const&) = default;
};

/// One round of a shortest-path search. From version 2 on.
struct RelaxationRecord {
    std::uint64_t round = 0;           ///< from 0
    std::uint64_t pending = 0;         ///< distinct vertices waiting at the start
    std::uint64_t frontier = 0;        ///< waiting vertices that the round relaxes
    std::uint64_t improved = 0;        ///< vertices whose distance decreased
    std::uint32_t lower = 0;           ///< multisplit, bucketing: lower bound of the first bucket
    std::uint64_t split = 0;           ///< exclusive upper bound of the frontier's distances
    std::vector<std::uint64_t> counts; ///< of waiting vertices: [10] by bucket, or [2] near and far
    std::optional<SequenceDigest> distances{}; ///< by vertex, after the last round only
    friend bool operator==(RelaxationRecord const&, RelaxationRecord const&) = default;
};

/// Record layout of an external sort and how it divides its memory. From version 3 on.
struct ExternalSortRecord {
    std::uint32_t record_bytes = 0; ///< size of a record; its key starts at key_offset
    std::uint32_t key_offset = 0;
    std::uint32_t key_bytes = 0;
    std::uint64_t memory_bytes = 0;               ///< total budget
    std::uint64_t reserve_bytes = 0;              ///< share of the budget left to the program
    std::uint64_t block_bytes = 0;                ///< size of a read or write
    std::uint64_t ranges_max = 0;                 ///< upper bound for ranges of one division
    std::uint64_t records_max = 0;                ///< upper bound for a range sorted in memory
    std::optional<std::uint64_t> gpu_records_max; ///< that fit the GPUs; nullopt: CPU sort
    friend bool operator==(ExternalSortRecord const&, ExternalSortRecord const&) = default;
};

/// Divides a range of keys into smaller ones at splitters from a sample. From version 3 on.
struct RangeDivisionRecord {
    std::uint64_t range = 0;           ///< id of the divided range; 0 = the whole input
    std::uint64_t seed = 0;            ///< of the random sample positions
    std::uint64_t draws = 0;           ///< sample size in records
    std::uint64_t planned_records = 0; ///< target size of each new range
    std::uint64_t buffer_bytes = 0;    ///< one of the two write buffers of each range
    SequenceDigest sample;             ///< of the sampled images, in order of position
    friend bool operator==(RangeDivisionRecord const&, RangeDivisionRecord const&) = default;
};

/// A range of keys of an external sort. Its records form a run on the scratch disk, in order of
/// arrival. From version 3 on.
struct KeyRangeRecord {
    std::uint64_t id = 0;                ///< 0 = the whole input, which is not copied to scratch
    std::optional<std::uint64_t> parent; ///< the range that it is part of; nullopt: none
    KeyImage lowest;
    KeyImage highest; ///< inclusive; equal to lowest if all keys are equal
    std::uint64_t count = 0;
    std::optional<MultisetDigest> digest; ///< of the records on arrival; nullopt: unknown
    std::optional<std::uint64_t> place;   ///< first record in the output; nullopt: divided or empty
    std::optional<MultisetDigest> output; ///< of the records written to the output
    friend bool operator==(KeyRangeRecord const&, KeyRangeRecord const&) = default;
};

/// Time that one GPU spent in one phase, on the run's own clock.
struct PhaseTimeRecord {
    GpuId gpu;
    PhaseName phase;
    int pass = 0;              ///< 0 if the phase is not part of a pass
    std::int64_t begin_ns = 0; ///< relative to the run's start
    std::int64_t end_ns = 0;
    friend bool operator==(PhaseTimeRecord const&, PhaseTimeRecord const&) = default;
};

/// Verdict of a checker on one property of the run.
struct VerdictRecord {
    std::string property; ///< "sorted", "permutation", "balance" ...
    bool holds = false;
    std::string detail; ///< empty if it holds
    friend bool operator==(VerdictRecord const&, VerdictRecord const&) = default;
};

using TraceRecord = std::variant<RunHeader,
                                 BucketFunctionRecord,
                                 HistogramRecord,
                                 PartitionRecord,
                                 PlacementRecord,
                                 OwnershipRecord,
                                 CopyRecord,
                                 SortRangeRecord,
                                 MergeRecord,
                                 DigestRecord,
                                 RelaxationRecord,
                                 ExternalSortRecord,
                                 RangeDivisionRecord,
                                 KeyRangeRecord,
                                 PhaseTimeRecord,
                                 VerdictRecord>;

/// Receives the records of a run in the order of events. A sort gets a pointer to one and calls it
/// for every decision; without a sink no record is built.
class TraceSink {
  public:
    virtual ~TraceSink() = default;
    virtual void write(TraceRecord const& record) = 0;
    /// Completes the header with a layout that the sort chooses at run time. Called at most once,
    /// before the first record of the exchange.
    virtual void declare(SwapLayout /*layout*/) {}
};

} // namespace keyswap
