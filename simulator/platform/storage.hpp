#pragma once

/// \file The disks of a machine, from the table [storage] of its platform file. Only sorts on files
/// depend on them.

#include "simulator/platform/platform.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace keyswap::simulator {

/// All disks together, striped, as a sort's file system has them.
struct Storage {
    std::uint64_t read_Bps = 0;
    std::uint64_t write_Bps = 0;
    std::optional<std::uint64_t> total_Bps; ///< reads and writes at the same time, where limited
    SimTime latency;                        ///< of one small read
    Origins origins;
};

/// Of a platform as load_platform() takes it, no cluster.
/// \return an error naming the line of a mistake, or that the file has no such table
[[nodiscard]] Expected<Storage> load_storage(std::string_view platform);

/// The platform with the disks as a memory of their own, its last, behind a link to cpu0.
[[nodiscard]] Platform with_storage(Platform platform, Storage const& storage);

} // namespace keyswap::simulator
