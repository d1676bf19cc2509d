#pragma once

/// \file Interface of a sort: a driver, described by the catalogue's row of the same name. A line
/// in kernels/CMakeLists.txt adds one.

#include "kernels/exchange_plan/local_sizes.hpp"
#include "kernels/runtime/run_context.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::kernels {

/// Arguments of a driver's `sort`.
struct SortCall {
    SortOptions const& options;
    std::uint64_t key_capacity = 0; ///< per buffer and GPU
    RunContext& context;
    std::vector<GpuState>& gpus; ///< buffer 0 holds raw keys or is being uploaded
    /// Receives the result; nullopt: the result remains on the GPUs.
    std::optional<Columns<void>> const& host;
};

/// Result of a driver's `sort`, which may return before the queued work has finished.
struct SortOutcome {
    int passes = 0; ///< of partitioning
    std::vector<OwnershipRecord> ownership{};
};

/// Thrown by a sort whose options turn out not to work for the given keys.
struct SortRefused {
    std::string message; ///< problem and what to try
};

struct SortDriver {
    std::string_view name; ///< as in the catalogue
    /// GPUs must be able to read each other's memory.
    bool needs_peer_access = false;
    /// Memory for `capacity` keys; own_bytes are those of its SortMemory. Null: no memory other
    /// than what every sort needs.
    SortScratch (*scratch)(SortOptions const&, std::uint64_t capacity) = nullptr;
    /// Allocates the sort's own memory on a GPU; may return null. \throws CudaFailure
    std::unique_ptr<SortMemory> (*memory)(SortOptions const&,
                                          GpuId gpu,
                                          std::uint64_t capacity) = nullptr;
    /// \throws CudaFailure, SortRefused
    SortOutcome (*sort)(SortCall const&) = nullptr;
    std::uint64_t key_count_max = std::numeric_limits<std::uint64_t>::max(); ///< of a call
    /// Bits of a child's index in a pass; null: those of a digit.
    int (*child_bits)(SortOptions const&) = nullptr;
    /// Supports ranks without shared memory.
    bool sorts_with_ranks = false;
    /// True if the sort itself waits for uploads and counts keys as they arrive (chunk_upload.hpp);
    /// null: uploads are queued in the GPUs' streams before it starts.
    bool (*awaits_uploads)(SortOptions const&, std::uint64_t capacity) = nullptr;
};

/// All drivers, in the order of tables. The build generates the definition.
[[nodiscard]] std::span<SortDriver const* const> sort_drivers();

/// \pre runs_on_gpus(*options.choice.algorithm)
[[nodiscard]] SortDriver const& driver_of(SortOptions const& options);

} // namespace keyswap::kernels
