#pragma once

/// \file The disks of a machine, from the table [storage] of its platform file. They affect only
/// external sorts, i.e. sorts of files.

#include "simulator/platform/platform.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace keyswap::simulator {

/// All disks combined, striped, as the file system of the sort uses them.
struct Storage {
    std::uint64_t read_Bps = 0;
    std::uint64_t write_Bps = 0;
    std::optional<std::uint64_t> total_Bps; ///< limit of concurrent reads and writes, if any
    SimTime latency;                        ///< of a small read, with 16 in flight
    Origins origins;
    // Optional in platform files; by default, assumed values of an NVMe disk with a local ext4.
    SimTime request_overhead = microseconds(5); ///< of a core, per read or write
    SimTime sync = milliseconds(1);             ///< until a file's changes are on disk
    SimTime removal = microseconds(100);        ///< of a synced file
    double spread = 1.0; ///< largest / smallest rate in repeated probes, >= 1

    /// True if its rates were measured, and how much they vary.
    [[nodiscard]] bool is_measured() const;

    friend bool operator==(Storage const&, Storage const&) = default;
};

/// The same disks, with all rates multiplied by `factor`.
[[nodiscard]] Storage with_scaled_rates(Storage storage, double factor);

/// Loads the disks of a platform named as for load_platform(), if its file describes them.
/// \return nullopt if the file has no table [storage], or for a cluster; an error with the line of
/// a mistake
[[nodiscard]] Expected<std::optional<Storage>> find_storage(std::string_view platform);

/// Loads the disks of a platform named as for load_platform(), except clusters.
/// \return an error with the line of a mistake, or if the file has no table [storage]
[[nodiscard]] Expected<Storage> load_storage(std::string_view platform);

/// The table [storage] of a platform file, after an empty line.
[[nodiscard]] std::string write_storage(Storage const& storage);

/// Adds the disks to the platform as its last host memory, behind a link to cpu0.
[[nodiscard]] Platform with_storage(Platform platform, Storage const& storage);

} // namespace keyswap::simulator
