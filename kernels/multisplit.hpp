#pragma once

/// \file Multisplit: reorders keys (and values) by bucket, for any bucket rule, on one GPU. Source:
/// GPU Multisplit (Ashkiani, Davidson, Meyer, Owens, TOPC 2017). No CUDA header is needed; for a
/// bucket function of your own in CUDA code see multisplit.cuh.

#include "kernels/sort.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace keyswap::kernels {

/// How the destinations of elements are computed. All methods but `atomic` are stable: elements of
/// a bucket keep their order, so that all stable methods return the same result.
enum class MultisplitMethod {
    direct,          ///< paper: a warp counts and scatters its windows directly; m <= 32
    warp,            ///< paper: a warp reorders its tile first; m <= 32
    block,           ///< paper: a block reorders its tile first; m <= 256
    reduced_bit,     ///< paper's baseline: radix sort of labels; m <= 65,536
    scan_split,      ///< flags, one scan, two-sided compaction; m = 2
    recursive_split, ///< a scan split for each bit of the label; m <= 65,536
    bit_split,       ///< a block sorts its tile by a split for each bit of the label; m <= 4,096
    fused,           ///< one pass with decoupled look-back; m <= 256
    atomic,          ///< ranks and destinations by atomics; keys only, not stable; m <= 512
    split1           ///< one pass with one look-back word per tile; m = 2
};

struct MultisplitMethodInfo {
    MultisplitMethod method;
    std::string_view name;
    std::uint32_t buckets_max;
    Stability stability;
    std::string_view source;
};

/// All methods, those of the paper first.
[[nodiscard]] std::span<MultisplitMethodInfo const> multisplit_methods();
[[nodiscard]] MultisplitMethodInfo const& info_of(MultisplitMethod method);
[[nodiscard]] Expected<MultisplitMethod> parse_multisplit_method(std::string_view text);

/// Most elements of one pass of method `fused`, whose look-back words hold 30 bits.
inline constexpr std::uint64_t fused_slice_max = (std::uint64_t{1} << 30) - 65536;

struct MultisplitOptions {
    KeyType key_type = KeyType::u32;
    Direction direction = Direction::ascending; ///< descending: images are complemented
    ValueType value_type = ValueType::none;
    BucketFunction function;
    std::optional<MultisplitMethod> method; ///< nullopt: the fastest stable one
    /// Method `fused` splits longer inputs into slices of this many elements, a multiple of 16.
    std::uint64_t slice_count = fused_slice_max;
    int device = 0;
};

/// All methods that support the options, regardless of options.method, in the order of
/// multisplit_methods().
[[nodiscard]] std::vector<MultisplitMethod> supported_methods(MultisplitOptions const& options);

/// One call's arrays in device memory. Outputs must not overlap inputs, which are not modified.
struct MultisplitArrays {
    void const* keys_in = nullptr;   ///< [n]
    void* keys_out = nullptr;        ///< [n]
    void const* values_in = nullptr; ///< [n]; null without values
    void* values_out = nullptr;      ///< [n]
    void const* labels = nullptr;    ///< [n] words of label_bytes; for LabelBuckets only
    int label_bytes = 1;             ///< 1, 2 or 4
    std::uint64_t* starts = nullptr; ///< [m]: first position of each bucket
    void* stream = nullptr;          ///< cudaStream_t of the device
};

/// Trace records of one call. The caller fills in the numbers of step, GPU and
/// function.
struct SplitRecords {
    PartitionRecord partition;           ///< with the digest of its table if the method has one
    std::vector<std::uint64_t> counts;   ///< [m] elements by bucket
    std::vector<MultisetDigest> digests; ///< [m] digest of each bucket's elements
};

class MultisplitState;

/// A multisplit of up to count_max elements by one function; allocates all memory on creation.
/// Calls must not overlap; different objects are independent.
class Multisplitter {
  public:
    /// \param count_max at most 2^32 - 1
    [[nodiscard]] static SortExpected<Multisplitter> create(MultisplitOptions const& options,
                                                            std::uint64_t count_max);
    Multisplitter(Multisplitter&&) noexcept;
    Multisplitter& operator=(Multisplitter&&) noexcept;
    ~Multisplitter();

    [[nodiscard]] MultisplitMethod method() const;
    /// Device memory held by the object.
    [[nodiscard]] std::uint64_t workspace_bytes() const;

    /// Queues the multisplit of `count` elements in the arrays' stream and returns without waiting.
    /// \pre every label is below m
    [[nodiscard]] SortExpected<void> split(MultisplitArrays const& arrays, std::uint64_t count);

    /// Like split, but with arrays in host memory; waits for the result.
    [[nodiscard]] SortExpected<void> split_host(MultisplitArrays const& arrays,
                                                std::uint64_t count);

    /// Like split_host; also returns trace records of the call.
    [[nodiscard]] SortExpected<SplitRecords> record_host(MultisplitArrays const& arrays,
                                                         std::uint64_t count);

    /// Records of the last call of split, which must have used these arrays. Waits for it.
    [[nodiscard]] SortExpected<SplitRecords> records(MultisplitArrays const& arrays,
                                                     std::uint64_t count) const;

  private:
    explicit Multisplitter(std::unique_ptr<MultisplitState> state);
    /// \param look called with the device arrays once the split is queued
    SortExpected<void> on_device_and_back(MultisplitArrays const& arrays,
                                          std::uint64_t count,
                                          std::function<void(MultisplitArrays const&)> const& look);
    std::unique_ptr<MultisplitState> state_;
};

} // namespace keyswap::kernels
