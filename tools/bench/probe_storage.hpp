#pragma once

/// \file Measures the disk of a folder by large reads and writes of a temporary file, and by syncs
/// and removals of small ones, with as many concurrent accesses as an external sort makes.

#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <filesystem>

namespace keyswap::tools {

/// Medians of several measurements.
struct StorageProbe {
    double read_Bps = 0.0;
    double write_Bps = 0.0;
    double total_Bps = 0.0; ///< concurrent reads and writes
    double latency_s = 0.0; ///< of a small read, with several concurrent ones
    double request_s = 0.0; ///< to open a file, write a few bytes to the page cache, and close it
    double sync_s = 0.0;    ///< of a file, with several concurrent syncs
    double removal_s = 0.0; ///< of a synced file, with several concurrent removals
    double spread = 1.0;    ///< largest / smallest rate of the most variable kind
    bool is_direct = false; ///< bypasses the page cache
};

/// Bytes that each of its measurements writes and reads back.
inline constexpr std::uint64_t storage_probe_bytes = std::uint64_t{1} << 30;

/// \param folder for the temporary file, which is removed afterwards
/// \return an error if the file cannot be created, written or read
[[nodiscard]] Expected<StorageProbe> probe_storage(std::filesystem::path const& folder,
                                                   std::uint64_t size_bytes = storage_probe_bytes);

} // namespace keyswap::tools
