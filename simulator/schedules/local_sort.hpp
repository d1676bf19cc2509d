#pragma once

/// \file The sort of one GPU's ranges as our kernels do it (kernels/README.md): level by level,
/// each segment is divided by a digit or between splitters, down to leaves that fit in shared
/// memory or to stretches that are sorted by counting. A GPU that sorts alone uses actual counts of
/// the first digit, and of later digits of children that hold many keys; all other levels assume
/// evenly distributed keys.

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

/// Error for a profile without the costs of our kernels (table [fast]).
[[nodiscard]] InputError missing_fast_costs(DeviceProfile const& device);

/// How the kernels divide the keys of a single GPU; nullopt if CUB sorts them.
[[nodiscard]] std::optional<kernels::LocalLevels> single_gpu_levels(model::SortConfig const& config,
                                                                    model::KeySource& keys);

/// Adds the sorts of GPUs' ranges, each on its GPU's stream after the last barrier. Results for the
/// host are copied in up to eight pieces, overlapped with the sort of later keys; a first level
/// that divides all keys of a GPU at once precedes the pieces.
class LocalSort {
  public:
    /// \pre device.fast has a value; the arguments outlive the object
    LocalSort(ScheduleBuilder& builder, DeviceProfile const& device);

    /// Converts `key_count` keys to images before everything else.
    void change_images(std::uint64_t key_count);

    /// Sorts all keys of the first GPU, with actual counts of the first digit.
    void by_digits(model::KeySource& keys, kernels::LocalLevels levels, Stability ties);

    /// Sorts all keys of the first GPU, between splitters or as in published sample sort.
    /// \param segments_max segments per launch
    void by_splitters(model::KeySource& keys, std::uint64_t segments_max);
    void as_published(model::KeySource& keys);

    /// Sorts segments of one GPU separately. \param in_order further keys, sorted; only copied
    void by_splitters(std::span<LocalSegment const> segments,
                      KeySample const& sample,
                      std::uint64_t in_order,
                      std::uint64_t segments_max);

    /// Likewise as in published sample sort: 128 ways per level down to 2^17 keys, then quicksort.
    void as_published(std::span<LocalSegment const> segments,
                      KeySample const& sample,
                      std::uint64_t in_order);

    /// Adds the tasks of all calls above for a GPU, and copies `key_count` keys back.
    void finish(std::uint32_t gpu, std::uint64_t key_count);

  private:
    enum class Extent { all_at_once, piece_by_piece };
    void run(LocalStep const& step, Extent extent = Extent::piece_by_piece);
    /// \param first extent of the first batch: all_at_once if it divides a single segment
    void run_batches(std::vector<LocalBatch> const& batches, Extent first);
    ScheduleBuilder& builder_;
    FastKernels kernels_;
    std::vector<LocalStep> at_once_; ///< of the GPU that the next finish() names, before its pieces
    std::vector<LocalStep> by_piece_;
};

} // namespace keyswap::simulator
