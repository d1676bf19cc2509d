#pragma once

/// \file The device memory of a multisplit method, with which it carries out any rule.

#include "kernels/device/device_buffer.hpp"
#include "kernels/multisplit.hpp"
#include "kernels/multisplit/split_kernels.hpp"

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// What memory is taken for.
struct SplitNeeds {
    MultisplitMethod method = MultisplitMethod::fused;
    ElementShape shape;
    std::uint32_t buckets_max = 1;
    std::uint64_t count_max = 0;
    bool keeps_labels = false;                   ///< see keeps_labels()
    std::uint64_t slice_count = fused_slice_max; ///< of fused; see MultisplitOptions
};

/// Whether the method keeps a label a key, since computing it again costs more than its two bytes.
[[nodiscard]] bool keeps_labels(MultisplitMethod method, RuleKind kind, int key_bytes);

/// Starts of subproblems as a method scanned them, bucket-major; entries 0 where it has none.
struct ScannedTable {
    std::uint32_t const* entries = nullptr; ///< [count] device
    std::uint64_t count = 0;
    std::uint32_t tile_keys = 0; ///< keys of a subproblem
};

/// One step at a time.
class SplitWorkspace {
  public:
    /// Takes all memory on the current device. \throws CudaFailure
    explicit SplitWorkspace(SplitNeeds const& needs);

    /// Device memory that such a workspace takes. Needs a device for CUB's share.
    [[nodiscard]] static std::uint64_t bytes(SplitNeeds const& needs);

    [[nodiscard]] SplitNeeds const& needs() const { return needs_; }

    /// Queues a step.
    /// \param counts [rule.buckets] device: keys by bucket where they are known; null = they are
    /// counted
    /// \param starts [rule.buckets] device
    /// \pre the rule has at most buckets_max buckets, arrays.count <= count_max; no counts for a
    /// method that takes none, or for more than one slice
    void split(cudaStream_t stream,
               SplitArrays const& arrays,
               DeviceRule const& rule,
               std::uint64_t const* counts,
               std::uint64_t* starts);

    /// A step of method `bit-split` in two halves, for those who time them apart: tiles counted and
    /// their table scanned, then all moved.
    void count_tiles(cudaStream_t stream, SplitArrays const& arrays, DeviceRule const& rule);
    void move_tiles(cudaStream_t stream,
                    SplitArrays const& arrays,
                    DeviceRule const& rule,
                    std::uint64_t* starts);

    /// The table of the last step, of `count` keys by `buckets` buckets.
    [[nodiscard]] ScannedTable table(std::uint64_t count, std::uint32_t buckets) const;

  private:
    void split_in_slices(cudaStream_t stream,
                         SplitArrays const& arrays,
                         DeviceRule const& rule,
                         std::uint64_t const* counts,
                         std::uint64_t* starts);

    SplitNeeds needs_;
    DeviceBuffer<std::uint64_t> counts_;    ///< [slices][buckets]
    DeviceBuffer<std::uint32_t> positions_; ///< [slices][buckets]
    DeviceBuffer<std::uint8_t> labels_;
    DeviceBuffer<unsigned char> scratch_;
};

} // namespace keyswap::kernels
