#pragma once

/// \file The records of a run: what both the reference model and a real sort say about the same
/// sort, so that the two can be compared. Positions are 0-based key indices, never bytes.

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

/// Newest version of the text format that this library writes; a reader refuses newer ones.
inline constexpr int trace_format_version = 3;

/// Where the keys came from, so that a verifier can have them again.
struct InputRecord {
    std::string distribution;              ///< name as `keyswap distributions` lists it, or "file"
    std::optional<double> parameter;       ///< Zipf exponent, bit entropy ...
    std::uint64_t seed = 0;                ///< of the generator; 0 for a file
    int generator_version = 0;             ///< changes when a seed would give other keys
    std::string file;                      ///< path, for "file"
    std::optional<MultisetDigest> content; ///< of all keys, where known
    // From version 3 on.
    std::vector<std::string> more_files; ///< sorted with it, in order
    std::optional<std::string> format;   ///< of keys in files, as --format names it
    std::optional<std::string> column;   ///< of text
    friend bool operator==(InputRecord const&, InputRecord const&) = default;
};

/// First record of every trace: the resolved configuration.
struct RunHeader : SortShape, SortParameters {
    int version = 1;             ///< of the text format: the lowest one that can say the run
    std::string program;         ///< "keyswap 0.1.0", or another sort's name and version
    std::string commit;          ///< of the program; empty if unknown
    std::string created;         ///< ISO 8601 date; empty for reproducible model traces
    std::string device;          ///< "NVIDIA H200"; empty for a replay on the CPU
    std::string driver;          ///< driver version; empty for a replay on the CPU
    std::string algorithm;       ///< "rmg", "p2p-merge", "het-merge" ...
    std::string variant;         ///< "reference", "paper", "rotated", "fast" ...
    std::uint64_t key_count = 0; ///< n
    std::vector<int> gpus;       ///< device number of each GPU in order; its size is g
    bool virtual_gpus = false;   ///< all on one device, or in host memory
    InputRecord input;

    // From version 2 on.
    Operation operation = Operation::sort;
    std::optional<SwapLayout> layout; ///< of the run's exchange; nullopt if none moves buckets
    friend bool operator==(RunHeader const&, RunHeader const&) = default;
};

/// How a bucket is divided where no digit says it. Stands before the first record that names it.
/// From version 2 on.
struct BucketFunctionRecord {
    std::uint32_t id = 0; ///< by which histograms and partitions name it; no two are the same
    BucketPrefix bucket;  ///< that it divides; pass 0 = the whole input
    BucketFunction function;
    friend bool operator==(BucketFunctionRecord const&, BucketFunctionRecord const&) = default;
};

/// Keys of one bucket's part on one GPU by the next digit, or by a function.
struct HistogramRecord {
    BucketPrefix bucket; ///< the bucket that is refined; pass 0 = the whole input
    GpuId gpu;
    std::uint64_t offset = 0;          ///< where the part starts in the GPU's memory
    std::vector<std::uint64_t> counts; ///< [2^digit bits], or [m] of the function
    // From version 2 on.
    std::optional<int> step{};               ///< that counts; 1 = the first
    std::optional<std::uint32_t> function{}; ///< nullopt: the digit of the pass
    friend bool operator==(HistogramRecord const&, HistogramRecord const&) = default;
};

enum class PlacementState {
    placed,   ///< first = last: goes to that GPU whole
    spanning, ///< refined by the next pass
    cut       ///< spanning after the last pass: one key value, cut at the borders
};

/// One histogram, scan and scatter: the keys of a part lie by bucket afterwards. Step q + 1 reads
/// what step q wrote; partitions of one step by different methods all read the same. From version 2
/// on.
struct PartitionRecord {
    int step = 1; ///< 1 = the first
    GpuId gpu;
    BucketPrefix bucket;        ///< that is divided; pass 0 = the whole input
    std::uint32_t function = 0; ///< id of its function
    std::uint64_t offset = 0;   ///< where the part starts in the GPU's memory
    std::uint64_t count = 0;    ///< keys of the part
    std::string method;         ///< "fused", "warp" ...
    Stability stability = Stability::stable;
    std::uint64_t tile_keys = 0;          ///< keys of a column of the scanned table; 0 = no table
    std::vector<std::uint64_t> starts;    ///< [m] first key of each bucket, from `offset` on
    std::optional<SequenceDigest> table;  ///< of the scanned table, bucket-major
    std::optional<SequenceDigest> output; ///< of the part afterwards; a stable method's has one
    friend bool operator==(PartitionRecord const&, PartitionRecord const&) = default;
};

/// Where a non-empty bucket goes.
struct PlacementRecord {
    BucketPrefix bucket;
    std::uint64_t begin = 0; ///< global index of its first key in sorted order
    std::uint64_t end = 0;   ///< one past its last key
    GpuId first;             ///< after the tolerance is used
    GpuId last;              ///< after the tolerance is used
    PlacementState state = PlacementState::placed;
    friend bool operator==(PlacementRecord const&, PlacementRecord const&) = default;
};

/// The part of the sorted order that a GPU owns after the swap.
struct OwnershipRecord {
    GpuId gpu;
    std::uint64_t base = 0; ///< global index of its first key
    std::uint64_t count = 0;
    friend bool operator==(OwnershipRecord const&, OwnershipRecord const&) = default;
};

/// One copy of an exchange between GPUs; a copy within a GPU is recorded too. Copies of one stage
/// read what lay on the GPUs before any of them.
struct CopyRecord {
    GpuId source;
    std::uint64_t source_offset = 0;
    GpuId destination;
    std::uint64_t destination_offset = 0;
    std::uint64_t count = 0;
    int stage = 0; ///< of a merge sort; by rounds the round; from version 2 on
    friend bool operator==(CopyRecord const&, CopyRecord const&) = default;
};

/// One call of the bucket sort.
struct SortRangeRecord {
    GpuId gpu;
    std::uint64_t offset = 0; ///< in the GPU's own range
    std::uint64_t count = 0;
    int begin_bit = 0;
    int end_bit = 0; ///< one past the highest bit; equal to begin_bit where nothing is left to sort
    friend bool operator==(SortRangeRecord const&, SortRangeRecord const&) = default;
};

/// Sorted runs that lie one after the other become one, where they lay. From version 2 on.
struct MergeRecord {
    int stage = 0;            ///< after the copies of this stage, before those of the next
    std::optional<GpuId> gpu; ///< nullopt: the CPU merges in host memory
    std::uint64_t offset = 0; ///< of the first run in the GPU's range, or in the whole output
    std::vector<std::uint64_t> runs; ///< keys of each, in the order in which they lie
    friend bool operator==(MergeRecord const&, MergeRecord const&) = default;
};

enum class DigestStage {
    before_swap,
    after_swap,
    after_sort,
    after_step ///< of a partition; from version 2 on
};

/// Digest of one bucket's keys on one GPU.
struct DigestRecord {
    DigestStage stage = DigestStage::before_swap;
    GpuId gpu;
    BucketPrefix bucket;
    MultisetDigest digest;
    std::optional<int> step{}; ///< of after_step
    friend bool operator==(DigestRecord const&, DigestRecord const&) = default;
};

/// One round of a search for shortest paths. From version 2 on.
struct RelaxationRecord {
    std::uint64_t round = 0;           ///< from 0
    std::uint64_t pending = 0;         ///< vertices that wait at its start, each once
    std::uint64_t frontier = 0;        ///< of those, relaxed in it
    std::uint64_t improved = 0;        ///< vertices whose distance it lowered
    std::uint32_t lower = 0;           ///< multisplit, bucketing: where the first bucket begins
    std::uint64_t split = 0;           ///< frontier vertices are nearer than this
    std::vector<std::uint64_t> counts; ///< of what waits: [10] by bucket, or [2] near and far
    std::optional<SequenceDigest> distances{}; ///< after it, by vertex; the last round has one
    friend bool operator==(RelaxationRecord const&, RelaxationRecord const&) = default;
};

/// What an external sort was given, and how it divided its memory. From version 3 on.
struct ExternalSortRecord {
    std::uint32_t record_bytes = 0; ///< of a record, which has its key at key_offset
    std::uint32_t key_offset = 0;
    std::uint32_t key_bytes = 0;
    std::uint64_t memory_bytes = 0;               ///< given
    std::uint64_t reserve_bytes = 0;              ///< of those, left to the program
    std::uint64_t block_bytes = 0;                ///< of reading and writing
    std::uint64_t ranges_max = 0;                 ///< that a division may make
    std::uint64_t records_max = 0;                ///< of a range that is sorted at once
    std::optional<std::uint64_t> gpu_records_max; ///< that fit the GPUs that sort; nullopt: cores
    friend bool operator==(ExternalSortRecord const&, ExternalSortRecord const&) = default;
};

/// A division of a range into others by a sample of its records. From version 3 on.
struct RangeDivisionRecord {
    std::uint64_t range = 0;           ///< id of the range that is divided; 0 = the whole input
    std::uint64_t seed = 0;            ///< of the sample's positions
    std::uint64_t draws = 0;           ///< records of the sample
    std::uint64_t planned_records = 0; ///< of each range that is made
    std::uint64_t buffer_bytes = 0;    ///< of one of the two buffers that each range has
    SequenceDigest sample;             ///< of the images drawn, by their positions
    friend bool operator==(RangeDivisionRecord const&, RangeDivisionRecord const&) = default;
};

/// A range of keys of an external sort, whose records lie in a run of their own on the scratch
/// space, in order of arrival. From version 3 on.
struct KeyRangeRecord {
    std::uint64_t id = 0;                ///< 0 = the whole input, which is its own run
    std::optional<std::uint64_t> parent; ///< the range that was divided; nullopt: none
    KeyImage lowest;
    KeyImage highest; ///< included; equal to lowest where the range is of one value
    std::uint64_t count = 0;
    std::optional<MultisetDigest> digest; ///< of its records as they came; nullopt: not read whole
    std::optional<std::uint64_t> place;   ///< index in the output; nullopt: divided, or empty
    std::optional<MultisetDigest> output; ///< of what was written there
    friend bool operator==(KeyRangeRecord const&, KeyRangeRecord const&) = default;
};

/// Time that one GPU spent in one phase, on the run's own clock.
struct PhaseTimeRecord {
    GpuId gpu;
    PhaseName phase;
    int pass = 0;              ///< 0 if the phase belongs to no pass
    std::int64_t begin_ns = 0; ///< since the run's start
    std::int64_t end_ns = 0;
    friend bool operator==(PhaseTimeRecord const&, PhaseTimeRecord const&) = default;
};

/// What a checker said of the run.
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

/// Takes the records of a run in the order in which they happen. A sort is given one and calls it
/// for everything that it decides; giving none costs nothing.
class TraceSink {
  public:
    virtual ~TraceSink() = default;
    virtual void write(TraceRecord const& record) = 0;
    /// Completes the header by a layout that a sort chooses while it runs. A sort says it once,
    /// before the first record of its exchange.
    virtual void declare(SwapLayout /*layout*/) {}
};

} // namespace keyswap
