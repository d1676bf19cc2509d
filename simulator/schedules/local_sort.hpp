#pragma once

/// \file The sort of one GPU's ranges, as our kernels do it (kernels/README.md): level by level
/// every segment is divided, by a digit or between splitters, down to leaves that fit the shared
/// memory, or to stretches that are sorted by counting. Levels are those of keys spread evenly.

#include "model/keys/key_source.hpp"
#include "model/plan/sort_config.hpp"
#include "simulator/cost/fast_cost.hpp"
#include "simulator/schedules/schedule_builder.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::simulator {

/// What a profile without the costs of our kernels is refused with.
[[nodiscard]] InputError lacks_our_kernels(DeviceProfile const& device);

/// The digits that all keys of a GPU are divided by.
struct DigitLevels {
    std::vector<int> bits; ///< of each level's digit, the highest first
    bool counting = false; ///< of 32-bit keys: what two levels leave is counted
};

/// Whether the kernels take digits, by the rule that they have: 2^20 keys or more and fewer than
/// 2^32, without values, and no stretch of neighbouring images so full, as 4,096 of the keys tell,
/// that it would need a level of its own. \pre one GPU
[[nodiscard]] std::optional<DigitLevels> digit_levels(model::SortConfig const& config,
                                                      model::KeySource& keys);

/// Into how many each level divides a segment, in bits of it. Source: GPU Sample Sort, section 4;
/// levels are alike, and leaves 0.3 to 0.6
/// full. \param key_bytes 4, 8 or 16
[[nodiscard]] std::vector<int> splitter_levels(std::uint64_t segment_keys, std::size_t key_bytes);

/// Segments of about one size on a GPU.
struct SegmentGroup {
    std::uint64_t keys = 0;
    std::uint64_t segment_keys = 0; ///< of each, on average
    std::uint64_t heavy_keys = 0;   ///< that need no second level, as many are equal
};

/// Keys of values that splitters find so often that they get buckets of their own, as 4,096 of the
/// keys tell. Source: GPU Sample Sort, section 4, "equality buckets".
[[nodiscard]] std::uint64_t heavy_keys(model::KeySource& keys);

/// Adds the sorts of GPUs' ranges, each on its GPU's stream after the last barrier.
class LocalSort {
  public:
    /// \pre device.fast; both outlive it
    LocalSort(ScheduleBuilder& builder, DeviceProfile const& device);

    /// All keys of the first GPU.
    void by_digits(DigitLevels const& levels, std::uint64_t key_count);

    /// Segments of one GPU, each divided alone. \param in_order further keys, which are copied
    void
    by_splitters(std::uint32_t gpu, std::span<SegmentGroup const> groups, std::uint64_t in_order);

    /// The same as sample sort was published: 128 ways a level down to 2^17 keys, then quicksort.
    void
    as_published(std::uint32_t gpu, std::span<SegmentGroup const> groups, std::uint64_t in_order);

  private:
    void run(std::uint32_t gpu, KernelCost cost, int launches);

    ScheduleBuilder& builder_;
    DeviceProfile const& device_;
    FastKernels kernels_;
};

} // namespace keyswap::simulator
