#pragma once

/// \file Whether a sort fits into the memories of a machine, and what would.

#include "simulator/platform/memory_place.hpp"
#include "simulator/platform/platform.hpp"
#include "simulator/schedules/schedule.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace keyswap::simulator {

/// A memory with what a sort takes of it.
struct MemoryUse {
    std::string name;             ///< "each GPU", "cpu0"
    std::uint64_t used_bytes = 0; ///< of one such memory
    std::uint64_t free_bytes = 0; ///< that a sort can have

    [[nodiscard]] bool fits() const { return used_bytes <= free_bytes; }
    [[nodiscard]] double part() const {
        return static_cast<double>(used_bytes) / static_cast<double>(free_bytes);
    }
};

/// Bytes of a GPU's memory that no sort gets: what the driver keeps and a context takes.
/// Assumed: about what `nvidia-smi` shows for an idle process.
inline constexpr std::uint64_t device_reserve_bytes = 512ULL << 20U;

struct MemoryFit {
    SortMemory sort;
    std::vector<MemoryUse> uses; ///< GPUs first, if there are any; then host memories
    std::uint64_t keys_most = 0; ///< that fit into all of them, by the same sort on the same GPUs
    [[nodiscard]] bool fits() const;
};

/// A sort on some GPUs of a platform, of any number of keys.
struct MemoryQuestion {
    ScheduleKind const* kind = nullptr;   ///< never null
    Platform const* platform = nullptr;   ///< never null
    ScheduleInput const* input = nullptr; ///< never null; its GPUs and places are those of the sort
};

[[nodiscard]] MemoryFit memory_fit(MemoryQuestion const& question);

/// Why the sort cannot run, with how many keys would fit and how many such GPUs would be enough.
/// \pre !fit.fits()
[[nodiscard]] InputError does_not_fit(MemoryQuestion const& question, MemoryFit const& fit);

} // namespace keyswap::simulator
