#pragma once

/// \file One GPU's sort by digits from the highest on, as variant `fast` does it
/// (kernels/README.md): level by level every segment is divided by an unstable step, down to leaves
/// that fit the shared memory, or to stretches that are sorted by counting.

#include "model/keys/key_source.hpp"
#include "model/plan/sort_config.hpp"
#include "simulator/cost/device_profile.hpp"
#include "simulator/schedules/schedule_builder.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace keyswap::simulator {

/// The digits that keys are divided by.
struct DigitLevels {
    std::vector<int> bits; ///< of each level's digit, the highest first
    bool counting = false; ///< of 32-bit keys: what two levels leave is counted
};

/// Whether the kernels take digits, by the rule that they have: 2^20 keys or more and fewer than
/// 2^32, without values, and no stretch of neighbouring images so full, as 4,096 of the keys tell,
/// that it would need a level of its own. Levels are those of keys spread evenly.
/// \pre one GPU
[[nodiscard]] std::optional<DigitLevels> digit_levels(model::SortConfig const& config,
                                                      model::KeySource& keys);

/// Sorts all keys of the first GPU on its stream after the last barrier. \pre device.fast, and
/// device.leaves for keys of 64 bits
void add_digit_levels(ScheduleBuilder& builder,
                      DigitLevels const& levels,
                      DeviceProfile const& device,
                      std::uint64_t key_count);

} // namespace keyswap::simulator
