#pragma once

/// \file The records of a run: what both the reference model and a real sort say about the same
/// sort, so that the two can be compared. Positions are 0-based key indices, never bytes.

#include "traces/bucket_prefix.hpp"
#include "traces/digest.hpp"
#include "traces/key_type.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace keyswap {

/// Version of the text format that this library writes; a reader refuses newer ones.
inline constexpr int trace_format_version = 1;

/// Where the keys came from, so that a verifier can have them again.
struct InputRecord {
    std::string distribution;              ///< name as `keyswap distributions` lists it, or "file"
    std::optional<double> parameter;       ///< Zipf exponent, bit entropy ...
    std::uint64_t seed = 0;                ///< of the generator; 0 for a file
    int generator_version = 0;             ///< changes when a seed would give other keys
    std::string file;                      ///< path, for "file"
    std::optional<MultisetDigest> content; ///< of all keys, where known
    friend bool operator==(InputRecord const&, InputRecord const&) = default;
};

/// First record of every trace: the resolved configuration.
struct RunHeader {
    std::string program;         ///< "keyswap 0.1.0", or another sort's name and version
    std::string commit;          ///< of the program; empty where unknown
    std::string created;         ///< ISO 8601 date; empty for reproducible model traces
    std::string device;          ///< "NVIDIA H200"; empty for a replay on the CPU
    std::string driver;          ///< driver version; empty for a replay on the CPU
    std::string algorithm;       ///< "rmg", "p2p-merge", "het-merge" ...
    std::string variant;         ///< "reference", "paper", "rotated", "fast" ...
    std::uint64_t key_count = 0; ///< n
    std::vector<int> gpus;       ///< device number of each GPU in order; its size is g
    bool virtual_gpus = false;   ///< all on one device, or in host memory
    KeyType key_type = KeyType::u32;
    Direction direction = Direction::ascending;
    ValueType value_type = ValueType::none;
    Stability stability = Stability::unstable;
    ZeroOrder zero_order = ZeroOrder::total;
    int digit_bits = 8;                 ///< c
    std::uint32_t tolerance_ppm = 5000; ///< E = floor(C * tolerance / 1e6); paper: 0.5 %
    std::uint32_t fuse_ppm = 10000;     ///< groups are fused below C * fuse / 1e6; paper: 1 %
    InputRecord input;
    friend bool operator==(RunHeader const&, RunHeader const&) = default;
};

/// Keys of one bucket's part on one GPU by the next digit.
struct HistogramRecord {
    BucketPrefix bucket; ///< the bucket that is refined; pass 0 = the whole input
    GpuId gpu;
    std::uint64_t offset = 0;          ///< where the part starts in the GPU's memory
    std::vector<std::uint64_t> counts; ///< [2^digit bits]
    friend bool operator==(HistogramRecord const&, HistogramRecord const&) = default;
};

enum class PlacementState {
    placed,   ///< first = last: goes to that GPU whole
    spanning, ///< refined by the next pass
    cut       ///< spanning after the last pass: one key value, cut at the borders
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
    std::uint64_t base = 0;  ///< global index of its first key
    std::uint64_t count = 0; ///< at most C + 2E
    friend bool operator==(OwnershipRecord const&, OwnershipRecord const&) = default;
};

/// One copy of the key swap; a copy within a GPU is recorded too.
struct CopyRecord {
    GpuId source;
    std::uint64_t source_offset = 0;
    GpuId destination;
    std::uint64_t destination_offset = 0;
    std::uint64_t count = 0;
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

enum class DigestStage { before_swap, after_swap, after_sort };

/// Digest of one bucket's keys on one GPU.
struct DigestRecord {
    DigestStage stage = DigestStage::before_swap;
    GpuId gpu;
    BucketPrefix bucket;
    MultisetDigest digest;
    friend bool operator==(DigestRecord const&, DigestRecord const&) = default;
};

/// Time that one GPU spent in one phase, on the run's own clock.
struct PhaseTimeRecord {
    GpuId gpu;
    std::string phase;         ///< "host to device", "histogram", "scatter", "key swap" ...
    int pass = 0;              ///< 0 where the phase belongs to no pass
    std::int64_t begin_ns = 0; ///< since the run's start
    std::int64_t end_ns = 0;
    friend bool operator==(PhaseTimeRecord const&, PhaseTimeRecord const&) = default;
};

/// What a checker said of the run.
struct VerdictRecord {
    std::string property; ///< "sorted", "permutation", "balance" ...
    bool holds = false;
    std::string detail; ///< empty where it holds
    friend bool operator==(VerdictRecord const&, VerdictRecord const&) = default;
};

using TraceRecord = std::variant<RunHeader,
                                 HistogramRecord,
                                 PlacementRecord,
                                 OwnershipRecord,
                                 CopyRecord,
                                 SortRangeRecord,
                                 DigestRecord,
                                 PhaseTimeRecord,
                                 VerdictRecord>;

/// Takes the records of a run in the order in which they happen. A sort is given one and calls it
/// for everything that it decides; giving none costs nothing.
class TraceSink {
  public:
    virtual ~TraceSink() = default;
    virtual void write(TraceRecord const& record) = 0;
};

} // namespace keyswap
