#pragma once

/// \file A Shuffler's state on its GPUs, and the steps of a call.

#include "kernels/device/device_buffer.hpp"
#include "kernels/device/stream.hpp"
#include "kernels/runtime/phase_clock.hpp"
#include "kernels/shuffle.hpp"
#include "kernels/shuffle/piece_copy.hpp"
#include "kernels/shuffle/shuffle_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace keyswap::kernels {

/// A GPU's resources, kept between calls.
struct ShuffleGpu {
    int device = 0;
    Multisplitter splitter;
    Stream stream;
    Stream own_stream; ///< local pieces, in parallel with those for other GPUs
    Event ready;
    DeviceBuffer<std::byte> keys; ///< the chunk, ordered by bucket
    DeviceBuffer<std::byte> values;
    DeviceBuffer<std::uint64_t> starts; ///< [m] bucket starts in the chunk
    PinnedBuffer<Piece> pieces;         ///< [m] pieces copied by a kernel
    DeviceBuffer<Piece> device_pieces;  ///< [m]
};

class ShuffleState {
  public:
    /// \param owners [m]
    /// \param splitters [g] \throws CudaFailure
    ShuffleState(ShuffleOptions const& options,
                 std::vector<std::uint32_t> owners,
                 std::uint64_t chunk_max,
                 std::vector<Multisplitter> splitters);
    ShuffleState(ShuffleState const&) = delete;
    ShuffleState& operator=(ShuffleState const&) = delete;
    ~ShuffleState();

    [[nodiscard]] MultisplitMethod method() const { return gpus_.front().splitter.method(); }
    [[nodiscard]] std::uint64_t workspace_bytes() const;

    /// See Shuffler. \throws CudaFailure
    SortExpected<ShuffleReport> shuffle(std::span<ShuffleChunk const> chunks, PhaseTiming timing);

    /// See Shuffler. \throws CudaFailure
    /// \param look called with the chunks on the GPUs after the shuffle
    SortExpected<ShuffleReport>
    shuffle_host(MultisplitArrays const& arrays,
                 std::uint64_t count,
                 PhaseTiming timing,
                 std::function<SortExpected<void>(std::span<ShuffleChunk const>,
                                                  ShuffleReport const&)> const& look);

    /// [g] records of the last call's multisplits.
    SortExpected<std::vector<SplitRecords>> splits(std::span<ShuffleChunk const> chunks) const;

    /// Digests of the placed buckets on their owners.
    [[nodiscard]] std::vector<MultisetDigest> arrivals(std::span<ShuffleChunk const> chunks,
                                                       ShuffleReport const& report) const;

  private:
    using Arrays = std::vector<DeviceBuffer<std::byte>>;

    [[nodiscard]] int key_bytes() const {
        return static_cast<int>(key_size_bytes(options_.key_type));
    }
    [[nodiscard]] int value_bytes() const {
        return static_cast<int>(value_size_bytes(options_.value_type));
    }
    [[nodiscard]] static GpuId id_of(std::size_t gpu) {
        return GpuId{static_cast<std::uint32_t>(gpu)};
    }
    [[nodiscard]] std::optional<std::string> problem_of(std::span<ShuffleChunk const> chunks) const;
    [[nodiscard]] static MultisplitArrays split_arrays(ShuffleChunk const& chunk,
                                                       ShuffleGpu const& gpu);
    /// Orders the chunks by bucket and plans the copies.
    SortExpected<ShuffleReport> split_chunks(std::span<ShuffleChunk const> chunks);
    /// Runs the copies; local copies run in parallel with those to other GPUs.
    ShuffleReport exchange(ShuffleReport plan, std::span<ShuffleChunk const> chunks);
    [[nodiscard]] bool is_by_kernel(CopyRecord const& copy) const;
    [[nodiscard]] Piece piece_of(CopyRecord const& copy,
                                 std::span<ShuffleChunk const> chunks) const;
    void queue_copy(CopyRecord const& copy, std::span<ShuffleChunk const> chunks) const;
    /// Queues the copies of a GPU that a kernel makes.
    void queue_pieces(std::size_t source,
                      std::span<CopyRecord const> copies,
                      std::span<ShuffleChunk const> chunks);
    /// Uploads the chunks. They have no outputs yet.
    [[nodiscard]] std::vector<ShuffleChunk>
    chunks_from_host(MultisplitArrays const& arrays, std::uint64_t count, Arrays& memory) const;
    /// Waits for all queued work.
    void synchronize() const;

    ShuffleOptions options_;
    std::vector<std::uint32_t> owners_; ///< [m]
    std::uint64_t chunk_max_;
    bool peer_access_;
    PinnedBuffer<std::uint64_t> counts_; ///< [g][m]
    PhaseClock clock_;                   ///< of the latest call
    std::vector<ShuffleGpu> gpus_;       ///< [g]
};

} // namespace keyswap::kernels
