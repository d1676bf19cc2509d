#pragma once

/// \file Measures the disk of a folder by large reads and writes of a temporary file, and by syncs
/// and removals of small ones, with as many concurrent accesses as an external sort makes, and the
/// machine's cores by a sort.

#include "simulator/platform/storage.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <filesystem>

namespace keyswap::tools {

/// Bytes that each of its measurements writes and reads back.
inline constexpr std::uint64_t storage_probe_bytes = std::uint64_t{1} << 30;

/// \param folder for the temporary file, which is removed afterwards
/// \return medians of several measurements, to four digits, and their spread, to three decimals; an
/// error if the file cannot be created, written or read
[[nodiscard]] Expected<simulator::Storage>
probe_storage(std::filesystem::path const& folder, std::uint64_t size_bytes = storage_probe_bytes);

} // namespace keyswap::tools
