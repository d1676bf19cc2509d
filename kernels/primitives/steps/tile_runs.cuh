#pragma once

/// \file Labels of the elements of a tile ordered by label: begins of runs of equal labels are
/// stored as bits; counting these bits gives the run of a position.

#include <cstdint>

namespace keyswap::kernels {

/// For shared memory. \tparam size positions of the tile
template <int size>
class TileRuns {
  public:
    __device__ void clear() {
        for (int i = static_cast<int>(threadIdx.x); i < row_count; i += blockDim.x) {
            rows_[i] = {0, 0};
        }
    }
    /// \pre all threads have returned from clear() and synchronized
    __device__ void begin_run(std::uint32_t place) {
        atomicOr(&rows_[place / row_places].heads, 1U << place % row_places);
    }
    /// Numbers the runs after all have begun. Called by all lanes of one warp.
    __device__ void number() {
        constexpr int rows_per_lane = (row_count + row_places - 1) / row_places;
        int const lane = static_cast<int>(threadIdx.x) % row_places;
        std::uint32_t before[rows_per_lane];
        std::uint32_t sum = 0;
#pragma unroll
        for (int i = 0; i < rows_per_lane; ++i) {
            int const row = lane * rows_per_lane + i;
            before[i] = sum;
            sum += row < row_count ? __popc(static_cast<int>(rows_[row].heads)) : 0;
        }
        std::uint32_t to_lane = sum;
#pragma unroll
        for (int lanes = 1; lanes < row_places; lanes *= 2) {
            std::uint32_t const other = __shfl_up_sync(0xffffffffU, to_lane, lanes);
            to_lane += lane >= lanes ? other : 0;
        }
#pragma unroll
        for (int i = 0; i < rows_per_lane; ++i) {
            int const row = lane * rows_per_lane + i;
            if (row < row_count) {
                rows_[row].before = to_lane - sum + before[i];
            }
        }
    }
    /// Index of the run that contains a position. \pre position 0 begins a run
    [[nodiscard]] __device__ std::uint32_t run_at(std::uint32_t place) const {
        Row const row = rows_[place / row_places];
        std::uint32_t const up_to = row.heads & (~0U >> (row_places - 1 - place % row_places));
        return row.before + static_cast<std::uint32_t>(__popc(static_cast<int>(up_to))) - 1;
    }

  private:
    static constexpr int row_places = 32;
    static constexpr int row_count = size / row_places;
    static_assert(size % row_places == 0);
    struct alignas(8) Row {
        std::uint32_t heads;
        std::uint32_t before; ///< runs that begin in earlier rows
    };
    Row rows_[row_count];
};

} // namespace keyswap::kernels
