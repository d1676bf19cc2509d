#pragma once

/// \file The sort of one GPU's ranges, as our kernels do it (kernels/README.md): level by level
/// every segment is divided, by a digit or between splitters, down to leaves that fit the shared
/// memory, or to stretches that are sorted by counting. A lone GPU's first
/// digit is that of the actual keys; below it, and in other sorts, levels are those of keys spread
/// evenly.

#include "kernels/exchange_plan/segment_levels.hpp"
#include "model/keys/key_source.hpp"
#include "model/plan/sort_config.hpp"
#include "simulator/cost/fast_cost.hpp"
#include "simulator/schedules/crowding.hpp"
#include "simulator/schedules/local_batches.hpp"
#include "simulator/schedules/local_levels.hpp"
#include "simulator/schedules/schedule_builder.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::simulator {

/// What a profile without the costs of our kernels is refused with.
[[nodiscard]] InputError lacks_our_kernels(DeviceProfile const& device);

/// How the kernels divide the keys of a GPU alone; nullopt if CUB sorts them.
[[nodiscard]] std::optional<kernels::LocalLevels> single_gpu_levels(model::SortConfig const& config,
                                                                    model::KeySource& keys);

/// Adds the sorts of GPUs' ranges, each on its GPU's stream after the last barrier. What goes back
/// to the host does so in eight pieces, which hide behind the sort of later keys: a first level
/// that divides all keys of a GPU at once comes before them.
class LocalSort {
  public:
    /// \pre device.fast; both outlive it
    LocalSort(ScheduleBuilder& builder, DeviceProfile const& device);

    /// So many keys become images before all else.
    void change_images(std::uint64_t key_count);

    /// All keys of the first GPU, their first digit as they have it.
    /// \param place in order, dense or not
    void by_digits(model::KeySource& keys, SegmentPlace place, Stability ties);

    /// All keys of the first GPU, between splitters or as sample sort was published.
    /// \param segments_max of a launch
    void by_splitters(model::KeySource& keys, std::uint64_t segments_max);
    void as_published(model::KeySource& keys);

    /// Segments of one GPU, each divided alone. \param in_order further keys, which are copied
    void by_splitters(std::span<LocalSegment const> segments,
                      KeySample const& sample,
                      std::uint64_t in_order,
                      std::uint64_t segments_max);

    /// The same as sample sort was published: 128 ways a level down to 2^17 keys, then quicksort.
    void as_published(std::span<LocalSegment const> segments,
                      KeySample const& sample,
                      std::uint64_t in_order);

    /// Adds all of a GPU that is said above, and the copies back of so many keys.
    void finish(std::uint32_t gpu, std::uint64_t key_count);

  private:
    enum class Extent { all_at_once, piece_by_piece };
    struct Step {
        KernelCost cost;
        int launches = 0;
        Extent extent = Extent::piece_by_piece;
    };
    void run(KernelCost cost, int launches, Extent extent = Extent::piece_by_piece);
    /// \param first of the first batch, if it divides one segment
    void run_batches(std::vector<LocalBatch> const& batches, Extent first);
    TaskId add(std::uint32_t gpu, KernelCost cost, int launches);

    ScheduleBuilder& builder_;
    DeviceProfile const& device_;
    FastKernels kernels_;
    std::vector<Step> steps_; ///< of the GPU that finish() comes to
};

} // namespace keyswap::simulator
