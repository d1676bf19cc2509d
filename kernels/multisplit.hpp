#pragma once

/// \file Multisplit: keys (and values) ordered by bucket, for any bucket rule, on one GPU. Source:
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

/// How elements find their place. All but `atomic` are stable: elements of a bucket keep their
/// order, so that their results are equal.
enum class MultisplitMethod {
    direct,          ///< paper: a warp counts and writes straight from its windows; m <= 32
    warp,            ///< paper: a warp reorders its tile first; m <= 32
    block,           ///< paper: a block reorders its tile first; m <= 256
    reduced_bit,     ///< paper's baseline: radix sort of labels; m <= 65,536
    scan_split,      ///< flags, one scan, two-sided compaction; m = 2
    recursive_split, ///< a scan split for each bit of the label; m <= 65,536
    bit_split,       ///< a block sorts its tile by a split for each bit of the label; m <= 4,096
    fused,           ///< one pass with look-back; m <= 256
    atomic,          ///< ranks and room by atomics; keys only, not stable; m <= 512
    split1           ///< one pass with one look-back word a tile; m = 2
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

/// Most elements that one pass of method `fused` takes: its look-back words hold 30 bits.
inline constexpr std::uint64_t fused_slice_max = (std::uint64_t{1} << 30) - 65536;

struct MultisplitOptions {
    KeyType key_type = KeyType::u32;
    Direction direction = Direction::ascending; ///< images are complemented where descending
    ValueType value_type = ValueType::none;
    BucketFunction function;
    std::optional<MultisplitMethod> method; ///< none = the fastest stable one
    /// Method `fused` takes longer inputs in slices of so many elements, a multiple of 16.
    std::uint64_t slice_count = fused_slice_max;
    int device = 0;
};

/// The methods that carry the options out, whichever they name, in the order of
/// multisplit_methods().
[[nodiscard]] std::vector<MultisplitMethod> methods_that_take(MultisplitOptions const& options);

/// One call's arrays in device memory. Outputs must not overlap inputs, which stay as they are.
struct MultisplitArrays {
    void const* keys_in = nullptr;   ///< [n]
    void* keys_out = nullptr;        ///< [n]
    void const* values_in = nullptr; ///< [n], where there are values
    void* values_out = nullptr;      ///< [n]
    void const* labels = nullptr;    ///< [n] words of label_bytes, for LabelBuckets
    int label_bytes = 1;             ///< 1, 2 or 4
    std::uint64_t* starts = nullptr; ///< [m]: first position of each bucket
    void* stream = nullptr;          ///< cudaStream_t of the device
};

/// What one call did, as a trace records it. The numbers of its step, GPU and function are the
/// caller's.
struct SplitRecords {
    PartitionRecord partition;           ///< with the digest of its table, where the method has one
    std::vector<std::uint64_t> counts;   ///< [m] elements by bucket
    std::vector<MultisetDigest> digests; ///< [m] of the elements of each bucket
};

class MultisplitState;

/// A multisplit of up to n_max elements by one function; its memory is made once. One call at a
/// time; different ones are independent.
class Multisplitter {
  public:
    /// \param count_max at most 2^32 - 1
    [[nodiscard]] static SortExpected<Multisplitter> create(MultisplitOptions const& options,
                                                            std::uint64_t count_max);
    Multisplitter(Multisplitter&&) noexcept;
    Multisplitter& operator=(Multisplitter&&) noexcept;
    ~Multisplitter();

    [[nodiscard]] MultisplitMethod method() const;
    /// Device memory that it holds.
    [[nodiscard]] std::uint64_t workspace_bytes() const;

    /// Queues the multisplit of `count` elements in the arrays' stream and returns.
    /// \pre every label is below m
    [[nodiscard]] SortExpected<void> split(MultisplitArrays const& arrays, std::uint64_t count);

    /// As split, from host memory to host memory; returns when it is done.
    [[nodiscard]] SortExpected<void> split_host(MultisplitArrays const& arrays,
                                                std::uint64_t count);

    /// As split_host, with a record of what was done.
    [[nodiscard]] SortExpected<SplitRecords> record_host(MultisplitArrays const& arrays,
                                                         std::uint64_t count);

    /// What the last call of split did, whose arrays these are. Waits for it.
    [[nodiscard]] SortExpected<SplitRecords> records(MultisplitArrays const& arrays,
                                                     std::uint64_t count) const;

  private:
    explicit Multisplitter(std::unique_ptr<MultisplitState> state);
    /// \param look is given the arrays on the device once the split is queued
    SortExpected<void> on_device_and_back(MultisplitArrays const& arrays,
                                          std::uint64_t count,
                                          std::function<void(MultisplitArrays const&)> const& look);
    std::unique_ptr<MultisplitState> state_;
};

} // namespace keyswap::kernels
