#pragma once

/// \file Checks whether a sort fits into a machine's memories, and what would fit.

#include "simulator/platform/memory_place.hpp"
#include "simulator/platform/platform.hpp"
#include "simulator/schedules/schedule.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace keyswap::simulator {

/// A memory and how much of it a sort uses.
struct MemoryUse {
    std::string name;             ///< "each GPU", "cpu0"
    std::uint64_t used_bytes = 0; ///< of one such memory
    std::uint64_t free_bytes = 0; ///< available to a sort

    [[nodiscard]] bool fits() const { return used_bytes <= free_bytes; }
    [[nodiscard]] double part() const {
        return static_cast<double>(used_bytes) / static_cast<double>(free_bytes);
    }
};

/// GPU memory unavailable to sorts: reserved by the driver, and a CUDA context. Assumed: about what
/// `nvidia-smi` shows for an idle process.
inline constexpr std::uint64_t device_reserve_bytes = 512ULL << 20U;

struct MemoryFit {
    SortMemory sort;
    std::vector<MemoryUse> uses; ///< GPUs first, if any; then host memories
    std::uint64_t keys_most = 0; ///< largest number that fits, same sort and GPUs
    [[nodiscard]] bool fits() const;
};

/// A sort on some GPUs of a platform; the number of keys varies.
struct MemoryRequest {
    ScheduleKind const* kind = nullptr;   ///< never null
    Platform const* platform = nullptr;   ///< never null
    ScheduleInput const* input = nullptr; ///< never null; holds the sort's GPUs and memories
    std::optional<std::uint64_t> range_keys = std::nullopt; ///< of a sort range by range
};

/// Memory of the smallest of these GPUs, without the reserve.
[[nodiscard]] std::uint64_t device_bytes_free(MemoryRequest const& question);

[[nodiscard]] MemoryFit memory_fit(MemoryRequest const& question);

/// Error with the number of keys that would fit and the number of such GPUs that would suffice.
/// \pre !fit.fits()
[[nodiscard]] InputError out_of_memory_error(MemoryRequest const& question, MemoryFit const& fit);

} // namespace keyswap::simulator
