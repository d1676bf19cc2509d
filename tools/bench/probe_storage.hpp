#pragma once

/// \file Measures the disks below a folder, by large reads and writes of a file of its own, as many
/// at once as an external sort makes.

#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <filesystem>

namespace keyswap::tools {

struct StorageProbe {
    double read_Bps = 0.0;
    double write_Bps = 0.0;
    double total_Bps = 0.0; ///< reads and writes at the same time
    double latency_s = 0.0; ///< of a small read, one after the other
    bool is_direct = false; ///< past the page cache
};

/// Bytes that a probe writes, and reads again.
inline constexpr std::uint64_t storage_probe_bytes = std::uint64_t{1} << 30;

/// \param folder in which a file is made and removed again
/// \return an error where that cannot be
[[nodiscard]] Expected<StorageProbe> probe_storage(std::filesystem::path const& folder,
                                                   std::uint64_t size_bytes = storage_probe_bytes);

} // namespace keyswap::tools
