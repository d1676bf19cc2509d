#pragma once

/// \file The device memory of a multisplit method, and its steps by any rule.

#include "kernels/device/device_buffer.hpp"
#include "kernels/multisplit.hpp"
#include "kernels/multisplit/split_kernels.hpp"

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// Inputs that determine the size of a workspace.
struct SplitNeeds {
    MultisplitMethod method = MultisplitMethod::fused;
    ElementShape shape;
    std::uint32_t buckets_max = 1;
    std::uint64_t count_max = 0;
    bool stores_labels = false;                  ///< see stores_labels()
    std::uint64_t slice_count = fused_slice_max; ///< fused only; see MultisplitOptions
};

/// True if the method stores a label per key, since evaluating the rule twice costs more.
[[nodiscard]] bool stores_labels(MultisplitMethod method, RuleKind kind, int key_bytes);

/// A method's table of subproblem starts, scanned and bucket-major; `entries` is null without one.
struct ScannedTable {
    std::uint32_t const* entries = nullptr; ///< [count] device
    std::uint64_t count = 0;
    std::uint32_t tile_keys = 0; ///< keys of a subproblem
};

/// Device memory of a method; steps must not overlap.
class SplitWorkspace {
  public:
    /// Allocates all memory on the current device. \throws CudaFailure
    explicit SplitWorkspace(SplitNeeds const& needs);

    /// Device memory of such a workspace, in bytes. Needs a device to query CUB's share.
    [[nodiscard]] static std::uint64_t bytes(SplitNeeds const& needs);

    [[nodiscard]] SplitNeeds const& needs() const { return needs_; }

    /// Queues a step.
    /// \param counts [rule.buckets] device: keys by bucket if known; null: counted by the
    /// step
    /// \param starts [rule.buckets] device
    /// \pre rule.buckets <= buckets_max, arrays.count <= count_max; counts only for methods that
    /// use them, and for a single slice
    void split(cudaStream_t stream,
               OutOfPlaceArrays const& arrays,
               DeviceRule const& rule,
               std::uint64_t const* counts,
               std::uint64_t* starts);

    /// The two halves of a `bit-split` step, to measure them separately: counts tiles and scans
    /// their table; then moves all tiles.
    void count_tiles(cudaStream_t stream, OutOfPlaceArrays const& arrays, DeviceRule const& rule);
    void move_tiles(cudaStream_t stream,
                    OutOfPlaceArrays const& arrays,
                    DeviceRule const& rule,
                    std::uint64_t* starts);

    /// The table of the last step, with `count` keys and `buckets` buckets.
    [[nodiscard]] ScannedTable table(std::uint64_t count, std::uint32_t buckets) const;

  private:
    void split_in_slices(cudaStream_t stream,
                         OutOfPlaceArrays const& arrays,
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
